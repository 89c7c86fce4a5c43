// The question whether a call may run, and a person's answer to it: a message of Control in the lane `verdict`.

import { fieldsOf } from "../../base/text/json.ts";
import type { AskedCall, QuestionEnd } from "../event/approval.ts";
import { isAgentId, laneOf, type AgentId, type Message } from "../message/message.ts";

/** A call that waits for a person, as they are told of it. */
export interface Question extends AskedCall {
  /** Such as `2.417`. */
  readonly id: string;
  readonly agent: AgentId;
  /** What the action was given; in most cases an object. */
  readonly parameters: unknown;
  /** ISO 8601. */
  readonly since: string;
  /** ISO 8601: without an answer it is a no from then on. */
  readonly expires: string;
}

/** What became of a question. */
export interface Settlement {
  readonly verdict: QuestionEnd;
  /** The id of the message that said so; absent: none did. */
  readonly by?: string;
  readonly reason?: string;
}

/** The details of a verdict. */
export interface Verdict {
  /** `<agent>.<seq>`: whose question, and the event that asks it. */
  readonly question: string;
  readonly verdict: "approved" | "denied";
  readonly reason?: string;
  /** What else is approved from now on: this exact call, or every call to this host. */
  readonly always?: "call" | "host";
}

/** The verdict that a message brings; `undefined` for one of an agent, of another lane, or that says none. */
export function verdictIn(message: Pick<Message, "id" | "delivery" | "details">): Verdict | undefined {
  if (laneOf(message) !== "verdict") return undefined;
  const { question, verdict, reason, always } = fieldsOf(message.details);
  if (typeof question !== "string" || !parseQuestionId(question)) return undefined;
  if (verdict !== "approved" && verdict !== "denied") return undefined;
  const isSound =
    (reason === undefined || typeof reason === "string") &&
    (always === undefined || always === "call" || always === "host");
  return isSound ? { question, verdict, reason, always } : undefined;
}

/** A question's name: the event of its agent's log that asks it. */
export interface QuestionAddress {
  readonly agent: AgentId;
  readonly seq: number;
}

export function questionId({ agent, seq }: QuestionAddress): string {
  return `${agent}.${seq}`;
}

/** `undefined` if `id` has not the form `<agent>.<seq>`. */
export function parseQuestionId(id: string): QuestionAddress | undefined {
  const [, agent = "", seq] = /^(.+)\.([1-9]\d{0,14})$/.exec(id) ?? [];
  return isAgentId(agent) ? { agent, seq: Number(seq) } : undefined;
}
