// What a run shows. What was submitted goes to standard output, and nothing else; what happens on the way goes to standard error
// where that is a terminal, and elsewhere only what its person has to know.

import { join } from "node:path";
import { formatDuration } from "../../../base/text/duration.ts";
import { CONTROL, displayName } from "../../../domain/message/message.ts";
import { personFolderPath } from "../../../storage/folder/person/folder.ts";
import type { Inspect, Inspection } from "../../../domain/inspection.ts";
import type { RunOutcome } from "../../../legion/run/outcome.ts";
import { OUTAGE_MS, withoutWait } from "../../../legion/run/outage.ts";
import type { Floor } from "../../console/floor.ts";
import { openDisplay, type Display, type DisplayOptions } from "../../console/display.ts";
import { createUnaskedTeller } from "../../console/question/unasked.ts";
import type { Io } from "../../kit/command.ts";
import { oneLine, printJson, printWhole, warn } from "../../kit/output.ts";
import type { OpenDisplay } from "../start/view.ts";
import { endOfRun, lastLine, pathFrom, wayOn } from "./last-line.ts";
import type { Task } from "./task.ts";

export interface RunOutput {
  readonly run: string;
  readonly task: Task;
  readonly stdout: Io["stdout"];
  /** `end`: what came of it, as one object; `submission`: that alone. */
  readonly prints: "end" | "submission";
  /** Absent: nobody is at a prompt. */
  readonly floor?: Floor;
}

export function displayFor(output: RunOutput): OpenDisplay {
  const { run, task, stdout, prints, floor } = output;
  return async (options) => {
    const { stderr } = options.io;
    const goesOn = `legion run --resume ${run}`;
    const display = stderr.isTTY
      ? await openDisplay({ ...options, floor, wayOn: goesOn })
      : openQuiet(options, run);
    let shown = "";
    return {
      ...display,
      see(inspection) {
        shown = decidedIn(inspection) ?? shown;
        // What the agent says was shown when it said it.
        if (inspection.agent !== CONTROL) display.see(withoutSubmission(inspection));
      },
      async conclude(_, spent) {
        await display.conclude("", spent);
        const problem = await task.settled();
        const outcome = task.outcome();
        const trajectory = task.trajectory();
        const isSeen = Boolean(stdout.isTTY && stderr.isTTY) && shown.trim() === outcome.submission.trim();
        if (prints === "end") printJson({ stdout }, endOfRun({ run, trajectory }, outcome));
        else if (!isSeen) printSubmission(stdout, outcome);
        const way = wayOn(outcome, run);
        if (outcome.isHandedIn && outcome.submission.includes("\uFFFD")) warn({ stderr }, NO_TEXT);
        if (problem !== undefined) warn({ stderr }, problem);
        if (way !== undefined) warn({ stderr }, way);
        stderr.write(`${lastLine(outcome, pathFrom(options.io.cwd, trajectory))}\n`);
      },
    };
  };
}

const NO_TEXT =
  "what was handed in had bytes that are no UTF-8 text; each stands there as U+FFFD, also in the log";

/** What a command handed in goes out byte for byte: it may be a patch. */
function printSubmission(stdout: Io["stdout"], { submission, isHandedIn }: RunOutcome): void {
  if (!isHandedIn || stdout.isTTY) printWhole({ stdout }, submission);
  else stdout.write(submission);
}

/** What a command handed in is printed at the end. */
function withoutSubmission(seen: Inspection): Inspection {
  if (seen.kind !== "event" || seen.event.kind !== "result" || seen.event.submission === undefined)
    return seen;
  return { ...seen, event: { ...seen.event, content: "", sends: [] } };
}

function decidedIn(seen: Inspection): string | undefined {
  return seen.kind === "event" && seen.event.kind === "decision" ? seen.event.text : undefined;
}

/** Only what a person has to know, a line each. */
export function openQuiet({ io, roster }: Pick<DisplayOptions, "io" | "roster">, run: string): Display {
  const tell = (text: string): void => void io.stderr.write(`legion: ${oneLine(text)}\n`);
  const tellUnasked = createUnaskedTeller(join(personFolderPath(io.env), "config.yaml"), tell);
  const tellWait = createWaitTeller(tell);
  roster.remarks.forEach(tell);
  return {
    see(seen) {
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
    const reason = withoutWait(seen.reason);
    const how = `which is asked again for ${formatDuration(OUTAGE_MS)} at most (Ctrl-C stops the run)`;
    if (!told.has(reason)) tell(`${displayName(seen.agent)} waits for its model, ${how}: ${reason}`);
    told.add(reason);
  };
}
