// Agents that others listen to, and what whoever listens did.

import { core } from "../modules/core.ts";
import { messaging } from "../modules/messaging.ts";
import type { Event, EventOf } from "../src/domain/event/event.ts";
import { NOOP } from "./workshop.ts";
import type { WorldAgent } from "./world.ts";

/** One that hears, and has nothing to say. */
export const QUIET: WorldAgent = { script: () => NOOP, modules: [core, messaging] };

/** One that answers whatever it is told. */
export const POLITE: WorldAgent = {
  script: ({ turns }) => {
    const last = turns.at(-1);
    return last?.role === "user" ? `You said: ${last.text.split("\n").at(-1)}` : NOOP;
  },
  modules: [core, messaging],
};

/** What the scribe did, a line each: invocations, decisions and by whom, results. */
export function courseOf(events: readonly Event[]): readonly string[] {
  return events.flatMap((event): readonly string[] => {
    if (event.kind === "observed" && event.control !== "observe")
      return [
        `${event.control} ${event.thread}${event.message ? ` ${event.n}: ${event.message.content}` : ""}`,
      ];
    if (event.kind === "prompted") return ["asked"];
    if (event.kind === "decision") return [decisionLine(event)];
    return event.kind === "result" && event.outcome !== "ok" ? [`${event.outcome}: ${event.content}`] : [];
  });
}

function decisionLine({ model, calls, text }: EventOf<"decision">): string {
  const who = model === "rules" ? "rules" : "model";
  const what = calls.map(({ action }) => action).join(", ");
  return `${who}: ${what || text}`.trimEnd();
}
