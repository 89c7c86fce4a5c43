// What came of decisions: which failed or ran in a circle, and the commands that they ran.

import { z } from "zod";
import { fieldsOf } from "../../../base/text/json.ts";
import { resultsFor, type Event, type EventOf } from "../../../domain/event/event.ts";
import { clause } from "../../../domain/message/receipt.ts";
import type { DecisionCourse } from "../charges/waste.ts";
import { commandOf } from "../command-of.ts";
import { incidentsOf, type Incident, type NewestIncidents } from "./incident.ts";

export const decisionsSchema = z.object({
  /** The newest decision that has all of its results failed. */
  isFailing: z.boolean(),
  /** It came to the same as those before it. */
  isLooping: z.boolean(),
  /** Calls of the newest decision without a result, and those of them that run a command. */
  left: z.array(z.string().nullable()),
  commands: z.array(z.tuple([z.string(), z.string()])),
  /** Some of the others did something, and some failed. */
  hasActed: z.boolean(),
  hasFailed: z.boolean(),
});

type PackedDecisions = z.output<typeof decisionsSchema>;

export const NO_DECISIONS: PackedDecisions = {
  ...{ isFailing: false, isLooping: false },
  ...{ left: [], commands: [], hasActed: false, hasFailed: false },
};

export function createDecisions({ known, add, again }: NewestIncidents, kept = NO_DECISIONS) {
  let now: PackedDecisions = { ...kept };
  const run = (text: string, result: EventOf<"result">, incidentOf: () => Incident): void => {
    const { outcome, details } = result;
    // It did not begin.
    if (outcome === "idle") return;
    const incident = incidentOf();
    const last = incidentsOf(known, "command").at(-1);
    const { exitCode } = fieldsOf(details);
    const exit = Number.isInteger(exitCode) ? { exit: Number(exitCode) } : {};
    const changed = changedIn(result);
    const isSame = last?.text === text && last.outcome === outcome && last.exit === exit.exit;
    const isSameDeed = isSame && JSON.stringify(last.changed) === JSON.stringify(changed);
    if (isSameDeed && last.cause === incident.cause) again("command", incident);
    else add("command", { ...incident, text, outcome, ...exit, ...(changed && { changed }) });
  };
  const settle = (event: EventOf<"result">, incidentOf: () => Incident, course: DecisionCourse): void => {
    const { call, outcome } = event;
    const command = now.commands.find(([id]) => id === call)?.[1];
    if (command !== undefined) run(command, event, incidentOf);
    now.left = now.left.filter((id) => id !== call);
    now.hasActed ||= outcome !== "idle";
    now.hasFailed ||= outcome === "error" || outcome === "interrupted";
    if (now.left.length > 0) return;
    const isLooping = course === "loop";
    if (now.hasFailed) (now.isFailing ? again : add)("failed", incidentOf());
    if (isLooping) (now.isLooping ? again : add)("loop", incidentOf());
    now.isFailing = now.hasFailed;
    now.isLooping = isLooping;
  };
  const begin = (event: EventOf<"decision">): void => {
    now.left = [...resultsFor(event)];
    if (now.left.length === 0) now.isFailing = now.isLooping = false;
    now.commands = event.calls.flatMap((call): [string, string][] => {
      const command = commandOf(call);
      return command === undefined ? [] : [[call.id, command]];
    });
    now.hasActed = now.hasFailed = false;
  };
  return {
    /** @param course its decision is one of a loop, as is known now */
    see(event: Event, incidentOf: () => Incident, course: DecisionCourse): void {
      if (event.kind === "result") settle(event, incidentOf, course);
      else if (event.kind === "decision") begin(event);
      else if (event.kind === "approval" && event.verdict !== undefined && event.verdict !== "approved")
        now.commands = now.commands.filter(([id]) => id !== event.call);
    },
    clear: () => void (now = { ...NO_DECISIONS }),
    pack: (): PackedDecisions => ({ ...now }),
  };
}

function changedIn({ changed }: EventOf<"result">): Incident["changed"] {
  if (!changed) return undefined;
  const { files, more = 0, isShared, unknown } = changed;
  return {
    files: files.length + more,
    ...(isShared && { isShared }),
    ...(unknown !== undefined && { unknown: clause(unknown) }),
  };
}
