// What an observer does next, in the sessions of its threads.

import { orderIn } from "../../domain/event/invoking.ts";
import type { ObservedEvent } from "../../domain/event/observed.ts";
import {
  controlOf,
  type Invocations,
  type OpenInvocation,
  type ThreadSession,
} from "../../past/observed/invocations.ts";
import type { UnheardMessage } from "./reading.ts";

/** A session of a thread is over after so much silence. */
export const SILENCE_MS = 30 * 60_000;

/**
 * What comes of it next: a message is processed in its session, which is begun before, or ended where it had been silent too long, or a
 * person said so.
 */
export function toDo(
  { of, from, thread, message }: UnheardMessage,
  { sessions, flushedMs, flushedCount }: Invocations,
): ObservedEvent {
  const ordered = orderIn(message)?.control;
  if (ordered === "start_session" || ordered === "end_session")
    return { kind: "observed", of, from, control: ordered, thread, n: 0, message };
  const session = sessions.get(thread);
  if (!session) return { kind: "observed", of, from, control: "start_session", thread, n: 0 };
  const saidMs = Date.parse(message.sentAt);
  const isAfterSilence = saidMs - session.saidMs >= SILENCE_MS;
  const isAfterFlush = session.saidMs <= flushedMs && saidMs > flushedMs;
  // What it began with, and has before it, may have been forgotten since.
  const isFlushed = session.index < flushedCount;
  if (isFlushed || ((isAfterSilence || isAfterFlush) && session.n > 0)) return ending(thread, session.of);
  const n = session.n + 1;
  const control = ordered === "process_message_and_flush" ? ordered : controlOf(n);
  return { kind: "observed", of, from, control, thread, n, message };
}

/** What was stopped is done before anything else is taken in. */
export function again({ control, thread, n }: OpenInvocation, { of }: ThreadSession): ObservedEvent {
  return { kind: "observed", of, from: of.log, control, thread, n };
}

/** The session of the thread is over; `of`: where its newest message was read. */
export function ending(thread: string, of: ObservedEvent["of"]): ObservedEvent {
  return { kind: "observed", of, from: of.log, control: "end_session", thread, n: 0 };
}
