import type { Event, NewEvent } from "../../domain/event/event.ts";
import type { LogId } from "../../domain/message/message.ts";

/**
 * One agent's whole past, append-only.
 *   L1. One writer. `append` is one commit: all of it is in the log, or, after a crash before it resolved, none or a
 *       first part of it.
 *   L2. `append` resolves after the events are as durable as the log promises. What `keep` and `note` wrote is so with the
 *       next `append` or `settle`; a power cut before that takes it away from its end on, and with it all that was written since.
 *   L3. Sequence numbers are 1, 2, 3... without gaps, in the order of the calls.
 *   L4. Nothing that follows from an event is seen by anybody else before the event is as durable as the log promises: whoever
 *       acts outside, sends, asks a model elsewhere, writes a file for people, tells watchers or leaves a place in the log
 *       somewhere has it settled first. So what a power cut takes from the end of a log was shown to nobody.
 *   L5. What was kept is durable with the next flush, whoever asks for one, and after 50 ms at the latest.
 */
export interface EventLog {
  readonly id: LogId;
  /** The highest sequence number; 0 when empty. */
  readonly last: number;
  /** Makes ahead of the next event what that would have to wait for, as durable as it is. Absent: that takes no time. */
  begin?(): Promise<void>;
  /** Commits `events` in order and returns them stamped. Rejects with STORAGE; the log is dead from then on. */
  append(events: readonly NewEvent[]): Promise<readonly Event[]>;
  /** As `append`, but durable only with the next one, or with `settle`. */
  keep(events: readonly NewEvent[]): Promise<readonly Event[]>;
  /** Resolves when everything written so far is as durable as the log promises. Rejects as `append`. */
  settle(): Promise<void>;
  /** Writes an event that nothing depends on; it is durable as one of `keep` is. */
  note(event: NewEvent): Event;
  /** Every event from sequence number `from`, oldest first. */
  read(from?: number): AsyncIterable<Event>;
  close(): Promise<void>;
}
