// What a person wants of a node and what it answers, for both ends of whatever carries it.

import type { Conversation } from "../../past/conversation.ts";
import { LegionError, isLegionError, messageOf, type ErrorCode } from "../../base/errors.ts";
import type { ForkOrder, Forked, Forking } from "../../legion/fork.ts";
import { CONTROL, type AgentId } from "../../domain/message.ts";

export type Targets = readonly AgentId[] | "all";

/** Something that the person says. */
export interface Said {
  readonly targets: Targets;
  readonly content: string;
  /** It interrupts what runs. */
  readonly delivery?: "abort";
}

/** What the person wants of agents beside words. */
export interface Order {
  readonly order: "pause" | "resume" | "stop";
  readonly targets: Targets;
}

/**
 * What came of an order, for one agent: `done`; `soon`, once the step that it is at is finished; `already`, because it
 * changed nothing.
 */
export interface Obeyed {
  readonly id: AgentId;
  readonly outcome: "done" | "soon" | "already";
}

/** What came of sending a dead letter again; `soon`: that happens once the step that its sender is at is finished. */
export type Resent = { readonly id: string } & (
  | { readonly outcome: "done"; /** Ids of the new messages. */ readonly sends: readonly string[] }
  | { readonly outcome: "soon" }
  | { readonly outcome: "refused"; readonly reason: string }
);

/** What `sending` the dead letter `id` again came to: a refusal of one is none of the others'. */
export async function resentOf(id: string, sending: Promise<readonly string[]>): Promise<Resent> {
  try {
    return { id, outcome: "done", sends: await sending };
  } catch (error) {
    if (!isLegionError(error)) throw error;
    return { id, outcome: "refused", reason: error.message };
  }
}

/** Where an agent goes on from; `soon`: once the step that it is at is finished. */
export type ForkAnswer = Pick<Forking, "to"> &
  (({ readonly outcome: "done" } & Forked) | { readonly outcome: "soon" });

/** Why an agent is paused, as `ps` shows it. */
export const PAUSED = "by Control";

export function changesNothing(order: "pause" | "resume", { halt }: Conversation): boolean {
  return order === "pause" ? halt?.reason === "paused" : !halt;
}

/** The longest body of a request: a message of the greatest size, every byte of it escaped. */
export const MAX_BODY_BYTES = 8 * 1_048_576;
const MAX_LISTED = 10_000;
const ORDERS: readonly unknown[] = ["pause", "resume", "stop"] satisfies Order["order"][];

/** Throws USAGE, naming the field that is wrong. */
export function readSaid(body: unknown): Said {
  const { targets, content, delivery = "normal" } = readFields(body, ["targets", "content", "delivery"]);
  if (typeof content !== "string" || content.trim() === "") throw refusal("content: expected a text");
  if (delivery !== "normal" && delivery !== "abort") throw refusal("delivery: expected normal or abort");
  return { targets: readTargets(targets), content, ...(delivery === "abort" && { delivery }) };
}

/** Throws USAGE, naming the field that is wrong. */
export function readOrder(body: unknown): Order {
  const { targets, order } = readFields(body, ["targets", "order"]);
  if (!isOrder(order)) throw refusal(`order: expected ${ORDERS.join(", ")}`);
  return { targets: readTargets(targets), order };
}

/** Throws USAGE, naming the field that is wrong. */
export function readForkOrder(body: unknown): ForkOrder {
  const { agent, at, as } = readFields(body, ["agent", "at", "as"]);
  if (typeof agent !== "string") throw refusal("agent: expected the id of an agent");
  if (!Number.isSafeInteger(at) || Number(at) < 1) throw refusal("at: expected the number of an event");
  if (as !== undefined && typeof as !== "string") throw refusal("as: expected the id of a new agent");
  return { agent, at: Number(at), ...(as !== undefined && { as }) };
}

/** Ids of dead letters, each once. Throws USAGE, naming the field that is wrong. */
export function readDead(body: unknown): readonly string[] {
  const { dead } = readFields(body, ["dead"]);
  if (!isList(dead)) throw refusal("dead: expected a list of ids of dead letters");
  return [...new Set(dead)];
}

/** The ids that `targets` stands for, each once. Throws USAGE, naming the known ids, if one is unknown. */
export function resolveKnown(targets: Targets, known: readonly AgentId[]): readonly AgentId[] {
  if (known.length === 0) throw new LegionError("USAGE", "there are no agents yet; `legion start` makes one");
  if (targets === "all") return known;
  const unknown = targets.find((id) => !known.includes(id));
  if (unknown === undefined) return [...new Set(targets)];
  if (unknown === CONTROL) throw new LegionError("USAGE", "0 is you; name an agent");
  throw new LegionError("USAGE", `there is no agent ${JSON.stringify(unknown)}; known: ${listIds(known)}`);
}

/** The first of them, and how many more there are. */
export function listIds(known: readonly AgentId[]): string {
  const shown = known.slice(0, 20).join(", ");
  return known.length > 20 ? `${shown} and ${known.length - 20} more` : shown;
}

function readFields(body: unknown, known: readonly string[]): Readonly<Record<string, unknown>> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw refusal("expected an object");
  const unknown = Object.keys(body).find((key) => !known.includes(key));
  if (unknown !== undefined) throw refusal(`${JSON.stringify(unknown)}: no such field`);
  return { ...body };
}

function readTargets(value: unknown): Targets {
  if (value === "all") return value;
  if (isList(value)) return value;
  throw refusal("targets: expected all, or a list of agent ids");
}

function isList(value: unknown): value is readonly string[] {
  const hasLength = Array.isArray(value) && value.length > 0 && value.length <= MAX_LISTED;
  return hasLength && value.every((id) => typeof id === "string");
}

function isOrder(value: unknown): value is Order["order"] {
  return ORDERS.includes(value);
}

function refusal(text: string): LegionError {
  return new LegionError("USAGE", text);
}

/** The body of every answer that is not a success. */
export interface Refusal {
  readonly error: { readonly code: ErrorCode; readonly message: string };
}

/** What is answered where `error` was thrown. */
export function refusalOf(error: unknown): Refusal {
  const code = isLegionError(error) ? error.code : "REFUSED";
  return { error: { code, message: messageOf(error) } };
}
