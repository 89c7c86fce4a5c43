import { LegionError } from "../../base/errors.ts";
import type { Receipt } from "./receipt.ts";
import type { Taint } from "./taint.ts";

/** `^[a-z0-9][a-z0-9._-]{0,63}$`; `0` is Control, the person. */
export type AgentId = string;
/** The random name of one event log. Message numbers belong to a log, not to an agent's name. */
export type LogId = string;

export const CONTROL: AgentId = "0";
/** How many unread messages an agent's mailbox holds before `send` refuses; Control's is never full. */
export const MAILBOX_LIMIT = 10_000;
/** Past that so many places are kept for mail from Control: an abort or a verdict always gets in. */
export const CONTROL_PLACES = 1_000;
/** The share of a model's window that mail may fill at once, as a divisor. */
export const MAIL_SHARE = 4;
/** How many agent-to-agent steps a conversation may take since a person or the clock last spoke. */
export const HOP_LIMIT = 32;
/** The longest content of one message, in UTF-8 bytes. */
export const MAX_CONTENT_BYTES = 1_048_576;

export type MessageSource = { readonly type: "user" } | { readonly type: "agent"; readonly id: AgentId };

/**
 * `abort` stops what runs; `steer` lets it finish and begins nothing further; `follow-up` waits until its reader would rest;
 * `verdict` answers a question, and is neither shown nor work.
 */
export const MAIL_LANES = ["normal", "abort", "steer", "follow-up", "verdict"] as const;

export type MailLane = (typeof MAIL_LANES)[number];

/** How a person may say something to agents. */
export type SpokenLane = Exclude<MailLane, "verdict">;

/** One message to one recipient; several targets are several messages that all name every target. */
export interface Message {
  /** `<from>><to>#<n>`, numbered without gaps per sender log and recipient. */
  readonly id: string;
  readonly type: "spontaneous" | "agentToAgent";
  readonly source: MessageSource;
  readonly targetAgentIds: readonly AgentId[];
  readonly content: string;
  /** ISO 8601. */
  readonly sentAt: string;
  /** The lane: only Control's are other than `normal`. Read it with `laneOf`. */
  readonly delivery: MailLane;
  /** The newest message that the sender's decision was shown. */
  readonly cause?: string;
  /** The recipient's message that this one answers. */
  readonly re?: string;
  /** The first message of the chain. */
  readonly root: string;
  /** Agent-to-agent steps since a person or the clock spoke. */
  readonly hops: number;
  /**
   * In whose name it comes: the agents of its chain since a person spoke, each once, its sender the last. Absent: in a
   * person's. Earlier versions did not say it: read it with `authorityOf`.
   */
  readonly authority?: readonly AgentId[];
  /** From where outside came what its sender had been shown since it last rested. */
  readonly taint?: Taint;
  /**
   * What its sender cites, judged when it was sent. Empty: a proven one was required, and none was cited. Absent: nothing was. Read
   * it with `receiptsOf`.
   */
  readonly receipts?: readonly Receipt[];
  /** Its sender waits for an answer. These three anybody may have written: read them with `needsAnswer`, `answersOf`, `declinesOf`. */
  readonly needsAnswer?: true;
  /** The recipient's messages that this one answers. */
  readonly answers?: readonly string[];
  /** Those that its sender will not answer. */
  readonly declines?: readonly string[];
  /** For people and programs; never reaches a model. */
  readonly details?: unknown;
}

/** A message before it has a number: one to all of its targets. It has no `root` if it would begin a chain. */
export type Draft = Omit<Message, "id" | "re" | "root"> & Partial<Pick<Message, "root">>;

/** A message on its way: `from` is the log that numbered it. */
export interface Delivery {
  readonly from: LogId;
  readonly message: Message;
  /** The number before it, where that is not the one below: the records in between are gone, and their numbers void. */
  readonly after?: number;
}

export interface MessageAddress {
  readonly from: AgentId;
  readonly to: AgentId;
  readonly n: number;
}

export function messageId({ from, to, n }: MessageAddress): string {
  return `${from}>${to}#${n}`;
}

export const MESSAGE_ID = /^([^>#]+)>([^>#]+)#(\d+)$/;

/** Has `id` the form `<from>><to>#<n>`? */
export function isMessageId(id: unknown): id is string {
  return typeof id === "string" && MESSAGE_ID.test(id);
}

/** Whoever takes a message further asks several times in a row. */
let newest: { readonly id: string; readonly address: MessageAddress } | undefined;

/** Throws REFUSED if `id` has not the form `<from>><to>#<n>`. */
export function parseMessageId(id: string): MessageAddress {
  if (newest?.id === id) return newest.address;
  const match = MESSAGE_ID.exec(id);
  if (!match) throw new LegionError("REFUSED", `"${id}" is no message id; ids look like 0>2#1.`);
  const address = { from: match[1]!, to: match[2]!, n: Number(match[3]) };
  newest = { id, address };
  return address;
}

const FROM_CONTROL = `${CONTROL}>`;

/** Does it come from Control, or from the runtime in its log? Its number says so, whatever else it claims. */
export function isFromControl({ id }: Pick<Message, "id">): boolean {
  return id.startsWith(FROM_CONTROL);
}

/** As `isFromControl`, but for what another program says at the person's door: that is mail like an agent's. */
export function isControlsOwn({ id, taint }: Pick<Message, "id" | "taint">): boolean {
  return isFromControl({ id }) && taint === undefined;
}

/** Did the person say it? What another program says at their door is marked as from outside, and no word of theirs. */
export function isPersons({ source, taint }: Pick<Message, "source" | "taint">): boolean {
  return source.type === "agent" && source.id === CONTROL && taint === undefined;
}

/** How a message joins the work: an agent's is normal, whatever it says of itself. */
export function laneOf(message: Pick<Message, "id" | "delivery">): MailLane {
  const { delivery } = message;
  const isOther = delivery !== "normal" && MAIL_LANES.includes(delivery);
  return isOther && isFromControl(message) ? delivery : "normal";
}

/** Is it seen before its turn, and taken in with all mail before it? */
export function isUrgent(message: Pick<Message, "id" | "delivery">): boolean {
  const lane = laneOf(message);
  return lane === "abort" || lane === "steer";
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const DEVICE_NAME = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/;

/** `control` would head its messages like the person's own. */
const RESERVED = [CONTROL, "all", "control"];

/** True for a name that is the same in every file system, and no way to elsewhere. */
export function isFolderName(name: string): boolean {
  return NAME.test(name) && !name.endsWith(".") && !DEVICE_NAME.test(name);
}

/** True for a name that an agent may bear: also a safe folder name everywhere. */
export function isAgentId(id: string): boolean {
  return isFolderName(id) && !RESERVED.includes(id);
}

/** How many unread messages the mailbox of an agent may hold for one of `sender` to be accepted, marked with `taint` or not. */
export function mailboxLimit(sender: AgentId, taint?: Taint): number {
  return sender === CONTROL && taint === undefined ? MAILBOX_LIMIT + CONTROL_PLACES : MAILBOX_LIMIT;
}

/** `0` is Control, `2` is `Agent 2`, `writer` is `writer`. */
export function displayName(id: AgentId): string {
  if (id === CONTROL) return "Control";
  return /^\d+$/.test(id) ? `Agent ${id}` : id;
}

/** Who said it, for people. */
export function speakerOf({ source, taint }: Pick<Message, "source" | "taint">): string {
  if (source.type === "user") return "Legion";
  const name = displayName(source.id);
  return source.id === CONTROL && taint !== undefined ? `${name}, another program` : name;
}

/** True for a name that tells one legion from the others in the same Redis. */
export function isLegionName(name: string): boolean {
  return NAME.test(name);
}
