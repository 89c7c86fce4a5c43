// The scribe takes each message in once, does one thing after the other, each step once, asks its model for what is not in its log, and counts the messages of
// each thread.

import type { Event, EventOf } from "../../src/domain/event/event.ts";
import type { ObservedEvent } from "../../src/domain/event/observed.ts";
import type { Told } from "./evidence.ts";
import type { Report } from "./fault.ts";
import { SCRIBE } from "./scribe.ts";

type Control = Exclude<ObservedEvent["control"], "observe">;

/** The calls of each, and where its model is asked for the next one. */
const COURSES: Readonly<Record<Control, { readonly whole: RegExp; readonly asking: RegExp }>> = {
  start_session: { whole: /^get_context list_entries $/, asking: /(?!)/ },
  process_message: { whole: /^add_entry $/, asking: /^$/ },
  process_message_and_flush: {
    whole: /^add_entry (?:await_consistency put_context )+(?:await_consistency )?$/,
    asking: /^(?:add_entry (?:await_consistency put_context )*await_consistency )?$/,
  },
  end_session: {
    whole: /^(?:await_consistency put_context )*(?:await_consistency )?$/,
    asking: /^(?:await_consistency put_context )*await_consistency $/,
  },
};
const BY_MODEL = ["add_entry", "put_context"];
const FLUSHED_AFTER = 6;

interface Open {
  readonly control: Control;
  /** Those that went well, each with a blank behind it. */
  steps: string;
  /** The call without a result. */
  call?: string | undefined;
}

/** Returns how often it flushed. */
export function checkScribe({ agents }: Told, report: Report): number {
  const records = agents.get(SCRIBE)?.log.records ?? [];
  checkCourse(records, report);
  checkHeard(records, report);
  return checkCounts(records, report);
}

function checkHeard(records: readonly Event[], report: Report): void {
  const heard = new Set<string>();
  for (const event of records) {
    if (event.kind !== "observed" || !event.message) continue;
    const message = `${event.from} ${event.message.id}`;
    if (heard.has(message)) report("heard twice", `event ${event.seq}: ${message}`);
    heard.add(message);
  }
}

function checkCourse(records: readonly Event[], report: Report): void {
  let open: Open | undefined;
  for (const event of records) {
    const fail = (text: string): void => report("out of turn", `event ${event.seq}: ${text}`);
    if (event.kind === "observed" && event.control !== "observe") {
      if (open) fail(`${event.control} in ${open.control}`);
      open = { control: event.control, steps: "" };
    } else if (event.kind === "prompted") {
      if (!open || open.call !== undefined || !COURSES[open.control].asking.test(open.steps))
        fail(`asked in ${open?.control ?? "nothing"} after ${open?.steps}`);
    } else if (event.kind === "decision" && !(open = decide(open, event, fail))) continue;
    else if (event.kind === "result" && open) {
      if (event.outcome === "ok") open.steps += `${open.call} `;
      open.call = undefined;
    }
  }
  if (open) report("out of turn", `${open.control} has no end`);
}

/** Returns what is open then. */
function decide(
  open: Open | undefined,
  { calls, model }: EventOf<"decision">,
  fail: (text: string) => void,
): Open | undefined {
  const [call, ...others] = calls;
  if (others.length > 0) fail(`${calls.length} calls`);
  const by = call && BY_MODEL.includes(call.action) ? "writer" : "rules";
  if (model !== by) fail(`${call?.action ?? "the end"} by ${model}`);
  if (!open) {
    if (call) fail(`${call.action} about nothing`);
    return undefined;
  }
  if (call) return { ...open, call: call.action };
  if (!COURSES[open.control].whole.test(open.steps)) fail(`${open.control} ended after ${open.steps}`);
  return undefined;
}

function checkCounts(records: readonly Event[], report: Report): number {
  /** Messages of those sessions that are not over, by thread. */
  const counts = new Map<string, number>();
  let flushes = 0;
  for (const event of records) {
    if (event.kind !== "observed" || event.control === "observe") continue;
    const { seq, control, thread, n } = event;
    const fail = (text: string): void =>
      report("miscounted", `event ${seq}: ${thread} ${control} ${n}, ${text}`);
    const before = counts.get(thread);
    if (control === "start_session") {
      if (before !== undefined) fail("begun again");
      counts.set(thread, 0);
    } else if (before === undefined) fail("before it began");
    else if (control === "end_session") counts.delete(thread);
    else {
      if (n !== before + 1) fail(`after ${before}`);
      if ((control === "process_message_and_flush") !== (n % FLUSHED_AFTER === 0)) fail("flushed or not");
      if (n % FLUSHED_AFTER === 0) flushes++;
      counts.set(thread, n);
    }
  }
  return flushes;
}
