// The view of the one agent that a person talks to: all that it says and does scrolls by as it comes, and below stands what it
// is at. What the person said here stands on the screen already.

import { isPersons, laneOf } from "../../../domain/message/message.ts";
import type { Inspection } from "../../../domain/inspection.ts";
import { createPrinter, type PrinterOptions } from "../narration/printer.ts";
import { createAgentRows, type AgentRowsOptions } from "./agent-rows.ts";
import type { Live } from "./live.ts";

export type StreamOptions = PrinterOptions & Omit<AgentRowsOptions, "spent" | "lookOf">;

/** What is entered faster than it is taken in. */
const MAX_EXPECTED = 100;

export function createStream(options: StreamOptions): Live {
  const printer = createPrinter(options);
  const rows = createAgentRows({ ...options, lookOf: () => "cyan" });
  const expected: string[] = [];
  const isExpected = (seen: Inspection): boolean => {
    if (seen.kind !== "event" || seen.event.kind !== "message") return false;
    const { message } = seen.event;
    const at = isPersons(message) && laneOf(message) !== "abort" ? expected.indexOf(message.content) : -1;
    if (at >= 0) expected.splice(at, 1);
    return at >= 0;
  };
  return {
    see(inspection) {
      if (!isExpected(inspection)) printer.see(inspection);
      rows.see(inspection);
    },
    expect(text) {
      expected.push(text);
      if (expected.length > MAX_EXPECTED) expected.shift();
      return () => undefined;
    },
    changed: rows.changed,
    close() {
      printer.close();
      rows.close();
    },
  };
}
