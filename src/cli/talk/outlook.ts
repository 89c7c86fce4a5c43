// Who reads what was just sent, and when: what a person is told after `send`.

import type { AgentState } from "../../domain/inspection.ts";
import type { AgentId, SpokenLane } from "../../domain/message/message.ts";
import type { AgentStatus } from "../../legion/status.ts";
import { namesOf, oneLine } from "../kit/output.ts";

/** An abort is no message that is read. */
export type SaidLane = Exclude<SpokenLane, "abort">;

export interface ReadingOutlook {
  /** `never`: not before a person does something. */
  readonly comes: "by itself" | "never";
  /** In one line, without a full stop: `Agent 3 does not run; ...`. */
  readonly text: string;
}

/** One for each case, in the order of `agents`; `lastStarted` are those that a plain start hosts, `lane` is how it is said. */
export function readingOutlooks(
  agents: readonly AgentStatus[],
  lastStarted: readonly AgentId[],
  lane: SaidLane = "normal",
): readonly ReadingOutlook[] {
  const cases = new Map<string, Case & { readonly ids: AgentId[] }>();
  for (const status of agents) {
    const start = lastStarted.includes(status.id) ? "`legion start`" : START_ONLY;
    const found = caseOf(status, start, lane);
    const key = JSON.stringify(found);
    const ids = cases.get(key)?.ids ?? [];
    cases.set(key, { ...found, ids });
    ids.push(status.id);
  }
  return [...cases.values()].map(({ ids, comes, words, reason }) => {
    const agreed = words.replace(/\[(.*?)\|(.*?)\]/g, ids.length === 1 ? "$1" : "$2");
    const told = agreed.replaceAll("<ids>", ids.join()).replaceAll("<why>", () => reason);
    return { comes, text: `${namesOf(ids)} ${told}` };
  });
}

interface Case extends Pick<ReadingOutlook, "comes"> {
  /** What is said after the names: `[of one|of several]`, `<ids>`, `<why>`. */
  readonly words: string;
  readonly reason: string;
}

/** What one that runs and is not kept from reading does, by what is said to it. */
const WORDS: Readonly<Record<SaidLane, (state: AgentState, held: number) => string>> = {
  normal: (state) => (isBusy(state) ? "[reads|read] it after the step that runs" : "[reads|read] it now"),
  steer: (state) =>
    isBusy(state)
      ? "[finishes|finish] what runs, [begins|begin] nothing further and [reads|read] it"
      : "[reads|read] it now",
  "follow-up": (state, held) => {
    if (state !== "idle" && state !== "parked") return "[reads|read] it once all that is to do is done";
    return held > 0
      ? "[was|were] stopped, and [reads|read] it after what you say next"
      : "[reads|read] it now";
  },
};

function isBusy(state: AgentState): boolean {
  return state === "thinking" || state === "acting";
}

const START_ONLY = "`legion start --only <ids>`";
const RESUME = "`legion resume <ids>` lets [it|them] go on";

/** The way past a limit. */
function onwards({ id, waits }: Pick<AgentStatus, "id" | "waits">): string | undefined {
  const way = waits.find((wait) => wait.for === "limit")?.way;
  return way?.startsWith("legion ")
    ? `\`${way.replace(`limits ${id} `, "limits <ids> ")}\` lets [it|them] go on`
    : undefined;
}

function caseOf({ state, waitingFor, node, ...status }: AgentStatus, start: string, lane: SaidLane): Case {
  const why = oneLine(status.reason);
  const because = why === "" ? "" : ` (${why.replace(/\.$/, "")})`;
  const soon = (words: string, reason = ""): Case => ({ comes: "by itself", words, reason });
  const never = (words: string, reason = because): Case => ({ comes: "never", words, reason });
  if (waitingFor === "a node") return soon("[reads|read] it as soon as a node runs [it|them]");
  if (waitingFor === "its node") return soon("[reads|read] it later: <why>", why);
  if (state === "paused") return never(`[is|are] paused; ${RESUME}`);
  const wakes = waitingFor.startsWith("mail") && lane !== "follow-up";
  if (state === "parked" && !wakes) return never(`[is|are] parked<why>; ${onwards(status) ?? RESUME}`);
  if (state === "halted" && waitingFor === "resume") return never(`[is|are] halted<why>; ${RESUME}`);
  if (node === null) return never(`[does|do] not run<why>; ${start} runs [it|them]`);
  if (state === "halted") return soon("[is|are] halted, and [reads|read] it once that is over: <why>", why);
  if (state === "retrying") return soon("[reads|read] it as soon as the model answers");
  return soon(WORDS[lane](state, status.held));
}
