import type { Message } from "../message/message.ts";

/**
 * Something the runtime or the person did to this agent. What wakes it again: `parked` a person's word, `parked-mail`
 * also new mail, `parked-limit` also a higher limit.
 * `adopted`: what stands before it was written elsewhere, and a person said that it counts; `foreign`: nobody has yet.
 * `mode`: how a person watches over it from here on. `limits`: what it may spend by their word. `ended`: its run is over, for now.
 * In the log of agent 0, `said` and `announced` carry what Control and the runtime say; `undo` is what is about to be taken back, and
 * `undone` says that it is.
 */
export type NoticeReason =
  | "parked"
  | "parked-mail"
  | "parked-limit"
  | "paused"
  | "resumed"
  | "restarted"
  | "halted"
  | "gap"
  | "undeliverable"
  | "resent"
  | "adopted"
  | "foreign"
  | "mode"
  | "limits"
  | "ended"
  | "startup"
  | "said"
  | "announced"
  | "undo"
  | "undone";

export interface NoticeEvent {
  readonly kind: "notice";
  readonly reason: NoticeReason;
  readonly content: string;
  readonly sends?: readonly Message[];
  readonly details?: unknown;
}

/** The details of a `parked-mail` notice where all turns for an instruction are taken. */
export const OUT_OF_TURNS = "turns";

/**
 * The details of a `restarted` notice. `lost`: the process before is the one that goes on now, or lives all the same.
 * `again`: a call that was cut off runs anew. `alone`, `beside`: from now on no other agent's call runs beside this one's, or
 * may. `ending`: the process was told to end.
 */
export type RestartDetails = "lost" | "again" | "alone" | "beside" | "ending";

/** Tells in the log of a run that has ended, or may end: without details, what it had begun is over. */
export function restartNotice(content: string, details?: RestartDetails): NoticeEvent {
  return { kind: "notice", reason: "restarted", content, details };
}
