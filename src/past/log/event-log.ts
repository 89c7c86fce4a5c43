import type { Event, NewEvent } from "../../domain/event/event.ts";
import type { LogId } from "../../domain/message/message.ts";

/**
 * One agent's whole past, append-only.
 *   L1. One writer. `append` is one commit: all of it is in the log, or, after a crash before it resolved, none or a
 *       first part of it.
 *   L2. `append` resolves after the events are as durable as the log promises; `note` rides with the next commit.
 *   L3. Sequence numbers are 1, 2, 3... without gaps, in the order of the calls.
 */
export interface EventLog {
  readonly id: LogId;
  /** The highest sequence number; 0 when empty. */
  readonly last: number;
  /** Commits `events` in order and returns them stamped. Rejects with STORAGE; the log is dead from then on. */
  append(events: readonly NewEvent[]): Promise<readonly Event[]>;
  /** Writes an event that nothing depends on; it is durable with the next `append`. */
  note(event: NewEvent): Event;
  /** Every event from sequence number `from`, oldest first. */
  read(from?: number): AsyncIterable<Event>;
  close(): Promise<void>;
}
