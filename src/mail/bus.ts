import type { AgentId, Delivery, LogId } from "../domain/message/message.ts";

/**
 * What became of a delivery:
 * - `accepted`: safe in the mailbox, for good.
 * - `duplicate`: it was there already; as good as accepted.
 * - `gap`: messages before it are missing; send again from number `expected`.
 * - `full`, `unknown`: not accepted; try later, or give up.
 */
export type Reception =
  | { readonly status: "accepted" | "duplicate" | "full" | "unknown" }
  | { readonly status: "gap"; readonly expected: number };

/** One message in a mailbox; `position` grows, with gaps. */
export interface Mail extends Delivery {
  readonly position: number;
}

/** How far a log has taken in mail: what a mailbox must not accept again. */
export interface Watermarks {
  /** The highest mailbox position in the log; 0 when there is none. */
  readonly taken: number;
  /** Per sender log, the highest message number in the log. */
  readonly seen: ReadonlyMap<LogId, number>;
}

/** The single reader of one agent's mailbox. */
export interface Inbox {
  /** How many messages wait. */
  readonly unread: number;
  /** Unread mail, oldest first, up to `maxTokens`, but at least one message if there is any, and through any abort or steer. */
  peek(maxTokens: number): readonly Mail[];
  /** Says that the reader's log holds everything up to `position`; that mail is never shown again. */
  taken(position: number): void;
  /** Resolves when there is unread mail, or when `signal` aborts. */
  wait(signal: AbortSignal): Promise<void>;
  /** Aborts as soon as an unread message asks to abort what runs; a fresh signal after it was taken. */
  interrupt(): AbortSignal;
  /**
   * Unread mail of Control, and of the runtime in its log, whatever its lane and wherever it stands in the mailbox; oldest
   * first. Of very much of it only the oldest. What another program says at the person's door is not among it.
   */
  ahead(): readonly Mail[];
  /** Resolves when `ahead` shows mail that it had not shown when it was last asked, or when `signal` aborts. */
  heard(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/**
 * What carries messages; watchers see them in the logs that send them and take them in.
 *   B1. `send` resolves `accepted` once the message is durable in the recipient's mailbox; nothing accepted is lost.
 *   B2. Per sender log and recipient, mail is accepted in number order and exactly once.
 *   B3. One open inbox per agent; a second `open` rejects with LOCKED.
 *   B4. A delivery costs the same whatever the number of agents; nobody else sees it.
 *   B5. Past MAILBOX_LIMIT unread messages, those that its log holds included, an agent's mailbox is `full` for agents, past CONTROL_PLACES more for Control;
 *       Control's own never is.
 */
export interface Bus {
  send(delivery: Delivery): Promise<Reception>;
  open(agent: AgentId): Promise<Inbox>;
  /** Unread messages of one agent, those that its log holds included; 0 for an unknown one, and for one whose mailbox cannot be read. */
  unread(agent: AgentId): Promise<number>;
  close(): Promise<void>;
}
