// What an agent takes in of the logs that it observes.

import type { AgentId, LogId, Message } from "../message/message.ts";

/** What an observer has to do: with a message of a thread, or about one. */
export const CONTROL_STATES = [
  "start_session",
  "process_message",
  "process_message_and_flush",
  "end_session",
] as const;

export type ControlState = (typeof CONTROL_STATES)[number];

/** A place in a log. */
export interface LogPlace {
  readonly agent: AgentId;
  /** Empty: it had not begun. */
  readonly log: LogId;
  readonly seq: number;
}

/** One thing to do, taken in from an observed log; each message once, whatever logs hold it. Where one is open, it goes on. */
export interface ObservedEvent {
  readonly kind: "observed";
  /** Where it stands; of one without a message, how far the log had been read. */
  readonly of: LogPlace;
  /** The log that numbered the message; of `observe` the one that the observed agent began with. */
  readonly from: LogId;
  /** `observe`: nothing is to be done; what stands behind that place is observed. */
  readonly control: ControlState | "observe";
  /** The two who talk, `0,1`; empty with `observe`. */
  readonly thread: string;
  /** How many messages of the thread were taken in since its session began, this one included. */
  readonly n: number;
  readonly message?: Message;
}
