// What goes over Redis between a command and a node: one channel for what is asked of a node, one for what a client is
// answered. Both may lose what is said; asking the same again is what makes up for it.

import type { ErrorCode } from "../../base/errors.ts";
import { MAX_BODY_BYTES, type Refusal } from "../api/messages.ts";

export interface OrderRequest {
  /** Random; the same each time that the same is asked again. */
  readonly id: string;
  /** Random: who is to be answered. */
  readonly client: string;
  readonly path: string;
  readonly body: unknown;
}

export type OrderAnswer = { readonly id: string } & ({ readonly answer: object } | Refusal);

const RANDOM_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MAX_PATH = 100;

/** `undefined` for a text that asks for nothing. */
export function readRequest(text: string): OrderRequest | undefined {
  if (text.length > MAX_BODY_BYTES) return undefined;
  const { id, client, path, body } = fieldsIn(text);
  if (!isRandomId(id) || !isRandomId(client)) return undefined;
  return typeof path === "string" && path.length <= MAX_PATH ? { id, client, path, body } : undefined;
}

/** `undefined` for a text that answers nothing. */
export function readAnswer(text: string): OrderAnswer | undefined {
  const { id, answer, error } = fieldsIn(text);
  if (!isRandomId(id)) return undefined;
  if (typeof answer === "object" && answer !== null) return { id, answer };
  const { code, message } = fieldsOf(error);
  return isCode(code) && typeof message === "string" ? { id, error: { code, message } } : undefined;
}

function isRandomId(value: unknown): value is string {
  return typeof value === "string" && RANDOM_ID.test(value);
}

const CODES: Readonly<Record<ErrorCode, true>> = {
  USAGE: true,
  CONFIG: true,
  LOCKED: true,
  STORAGE: true,
  DAMAGED: true,
  FOREIGN: true,
  MODEL_BUSY: true,
  MODEL_REFUSED: true,
  CONTEXT_OVERFLOW: true,
  LIMIT: true,
  NETWORK: true,
  REFUSED: true,
};

function isCode(value: unknown): value is ErrorCode {
  return typeof value === "string" && Object.hasOwn(CODES, value);
}

function fieldsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Only its own: what it inherits is nobody's word. */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { __proto__: null, ...value } : {};
}
