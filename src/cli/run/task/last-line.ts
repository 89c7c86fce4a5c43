// What is said at the end of a run: why it is not done and how it goes on, and in one line what came of it.

import { relative, sep } from "node:path";
import { dayOf } from "../../../base/calendar.ts";
import type { SpendingLimit } from "../../../base/errors.ts";
import { formatDuration } from "../../../base/text/duration.ts";
import { count } from "../../../base/text/wording.ts";
import type { RunOutcome } from "../../../legion/run/outcome.ts";
import { formatCost } from "../../console/narration/narration.ts";
import { oneLine } from "../../kit/output.ts";

type ToldOutcome = Omit<RunOutcome, "isHandedIn" | "limit" | "until" | "ownSteps">;

/** What `--json` prints of a run. */
export function endOfRun(
  of: { readonly run: string; readonly trajectory: string },
  outcome: ToldOutcome,
): object {
  const { end, submission, answer = null, reason, agents, steps, tokens, cost, timeMs } = outcome;
  const bill = { agents, steps, tokens, cost, timeMs };
  return { kind: "end", run: of.run, end, submission, answer, reason, ...bill, trajectory: of.trajectory };
}

/** More of what was used up. */
const MORE: Readonly<Record<SpendingLimit, string>> = {
  steps: "steps=+50",
  tokens: "tokens=+1000000",
  cost: "cost=+1",
  time: "time=+10m",
};

/** Why it is not done, and what has it go on; `undefined` if it is done. */
export function wayOn({ end, reason, limit, until }: RunOutcome, run: string): string | undefined {
  if (end === "Submitted") return undefined;
  if (end === "stopped") return `Stopped; legion run --resume ${run} goes on.`;
  const used = limit ?? (end === "TimeExceeded" ? "time" : undefined);
  // What ends with a day is the person's purse, which no flag lifts.
  const limits = used && until === undefined ? ` --limits ${MORE[used]}` : "";
  // What fills the window of the same model ends the same way.
  const model = end === "ContextExceeded" ? " --model <one with a larger window>" : "";
  const when = until === undefined ? "" : ` ${onceAnew(until)}`;
  const way = `legion run --resume ${run}${limits}${model} goes on${when}`;
  return `${oneLine(reason).replace(/\.$/, "")}; ${way}`;
}

/** When something goes on that lacks what is the person's own for all projects, which the reason says. */
export function onceAnew(until: string): string {
  return `from ${dayOf(Date.parse(until))} on, or once you raise that limit there`;
}

/** `Submitted · 14 steps · 0.12 USD · 1m 20s · .ai-legion/runs/x/trajectory.json`; `2 agents` where more than one worked. */
export function lastLine({ end, agents, steps, cost, timeMs }: ToldOutcome, trajectory: string): string {
  const price = cost === null ? "cost unknown" : cost > 0 ? formatCost(cost) : "free";
  const who = agents === 1 ? [] : [count(agents, "agent")];
  return [end, ...who, count(steps, "step"), price, formatDuration(timeMs), oneLine(trajectory)].join(" · ");
}

/** A path as it is typed in the folder `cwd`. */
export function pathFrom(cwd: string, path: string): string {
  const way = relative(cwd, path);
  return way === "" || way === ".." || way.startsWith(`..${sep}`) ? path : way;
}
