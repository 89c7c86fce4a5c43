// How a person watches over an agent, and the words by which they say so: messages of their own in the lane `verdict`.

import { fieldsOf } from "../base/text/json.ts";
import type { NoticeEvent } from "./event/notice.ts";
import { isPersons, laneOf, parseMessageId, type Message } from "./message/message.ts";

/**
 * How a person watches over an agent. `confirm`: each call with effects is asked. `yolo`: what would be asked is done; what is
 * forbidden stays so. `human`: the person says the calls, and no model is asked. `held`: as `confirm`, and what it says to others
 * than the person waits until they switch to another mode. `usual`: as the policy says.
 */
export const MODES = ["usual", "confirm", "yolo", "human", "held"] as const;

export type Mode = (typeof MODES)[number];

/** The details of a person's word that an agent shall go on in another mode. */
export interface ModeDetails {
  readonly mode: Mode;
}

/** Has a mode hold from there on. */
export interface ModeNotice extends NoticeEvent {
  readonly reason: "mode";
  readonly details: ModeDetails & {
    /** The message that asked for it; absent: none did, and it ends with the process that settled it. */
    readonly by?: string;
  };
}

export function modeNotice(details: ModeNotice["details"]): ModeNotice {
  return { kind: "notice", reason: "mode", content: details.mode, details };
}

/** Of a call that a person said, in place of a model's name. */
export const HUMAN = "human";
/** Of a decision that a director made without a model, in place of a model's name. */
export const RULES = "rules";

/** Was a model asked for it? */
export function isOfModel({ model }: { readonly model: string }): boolean {
  return model !== HUMAN && model !== RULES;
}

/** A call that a person typed in the place of a model. */
export interface TypedAct {
  /** As they wrote it. */
  readonly text: string;
  readonly action: string;
  readonly parameters: unknown;
  /** The number of its message. */
  readonly n: number;
}

/** The details of the message that brings one. */
export interface ActDetails {
  readonly act: Pick<TypedAct, "action" | "parameters">;
}

type PersonWord = Pick<Message, "id" | "delivery" | "source" | "taint" | "content" | "details">;

/** The mode that a message asks for; `undefined` for any other, and for whoever is not the person. */
export function modeIn(message: PersonWord): Mode | undefined {
  return isWord(message) ? modeOf(message.details) : undefined;
}

/** What somebody wrote may be anything. */
export function modeOf(details: unknown): Mode | undefined {
  const { mode } = fieldsOf(details) as Partial<ModeDetails>;
  return MODES.find((known) => known === mode);
}

/** What a message wants done in the person's own words; `undefined` as for `modeIn`. */
export function actIn(message: PersonWord): TypedAct | undefined {
  if (!isWord(message)) return undefined;
  const { act } = fieldsOf(message.details);
  const { action, parameters } = fieldsOf(act);
  if (typeof action !== "string") return undefined;
  return { text: message.content, action, parameters, n: parseMessageId(message.id).n };
}

/** The same message where it was said elsewhere, or nobody knows by whom: how an agent is watched over is said where it runs. */
export function withoutWord(message: Message): Message {
  return modeIn(message) === undefined && !actIn(message) ? message : { ...message, details: undefined };
}

function isWord(message: PersonWord): boolean {
  return laneOf(message) === "verdict" && isPersons(message);
}
