// What a run shows. Its answer alone goes to standard output; what happens on the way goes to standard error where that is a
// terminal, and elsewhere only what its person has to know.

import { join } from "node:path";
import { CONTROL, displayName } from "../../../domain/message/message.ts";
import { personFolderPath } from "../../../storage/folder/person/folder.ts";
import type { Inspect } from "../../../domain/inspection.ts";
import { openDisplay, openFeed, type Display, type DisplayOptions } from "../../console/display.ts";
import { createUnaskedTeller } from "../../console/question/unasked.ts";
import type { Io } from "../../kit/command.ts";
import { oneLine, printJson, printWhole } from "../../kit/output.ts";
import type { OpenDisplay } from "../start/view.ts";
import type { Task } from "./task.ts";

export interface RunOutput extends Pick<Io, "stdout"> {
  readonly run: string;
  readonly task: Task;
}

/** `readers: "programs"` get one more line at the end: `{ kind: "end", run, end, answer, reason, steps, tokens, cost }`. */
export function displayFor({ run, task, stdout }: RunOutput): OpenDisplay {
  return async (options) => {
    const { readers, io } = options;
    const display = io.stderr.isTTY ? await openDisplay(options) : openQuiet(options, run);
    return {
      ...display,
      see(inspection) {
        task.see(inspection);
        // What the agent says was shown when it said it.
        if (readers === "programs" || inspection.agent !== CONTROL) display.see(inspection);
      },
      async conclude(ending, spent) {
        await display.conclude(ending, spent);
        const { end, answer, reason } = task.outcome();
        const { steps, tokens, cost } = spent;
        const facts = { answer: answer ?? null, reason: reason ?? null, steps, tokens, cost };
        if (readers === "programs") printJson({ stdout }, { kind: "end", run, end, ...facts });
        else if (answer !== undefined) printWhole({ stdout }, answer);
      },
    };
  };
}

function openQuiet({ readers, io, roster }: DisplayOptions, run: string): Display {
  const feed = readers === "programs" ? openFeed(io) : undefined;
  const tell = (text: string): void => void io.stderr.write(`legion: ${oneLine(text)}\n`);
  const tellUnasked = createUnaskedTeller(join(personFolderPath(io.env), "config.yaml"), tell);
  const tellWait = createWaitTeller(tell);
  roster.remarks.forEach(tell);
  return {
    see(seen) {
      feed?.see(seen);
      tellUnasked(seen);
      tellWait(seen);
      if (seen.kind !== "question" || seen.ended) return;
      const { id, agent, action } = seen.question;
      const way = `legion approvals ${id} --run ${run} shows it, approve and deny in its place answer it`;
      tell(`${displayName(agent)} asks ${id}: may I call ${action}? ${way}`);
    },
    settled: () => Promise.resolve(),
    tell,
    conclude: () => Promise.resolve(),
  };
}

/** Tells of each reason to ask the model again, once; how long that takes this time is left out. */
function createWaitTeller(tell: (text: string) => void): Inspect {
  const told = new Set<string>();
  return (seen) => {
    if (seen.kind !== "live:state" || seen.state !== "retrying") return;
    const reason = (seen.reason ?? "").replace(/ \(again in \d+ s\)$/, "");
    if (!told.has(reason))
      tell(
        `${displayName(seen.agent)} waits for its model, which is asked again until it answers: ${reason}`,
      );
    told.add(reason);
  };
}
