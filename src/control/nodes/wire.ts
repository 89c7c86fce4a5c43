// What goes over Redis between a command and a node: one channel for what is asked of a node, one for what a client is
// answered. Both may lose what is said; asking the same again is what makes up for it.

import { z } from "zod";
import { readJson } from "../../base/text/json.ts";
import { MAX_BODY_BYTES, refusalSchema } from "../api/refusal.ts";

const MAX_PATH = 100;
const randomId = z.string().regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

const requestSchema = z.object({
  /** The same each time that the same is asked again. */
  id: randomId,
  /** Who is to be answered. */
  client: randomId,
  path: z.string().max(MAX_PATH),
  body: z.unknown(),
});
const answerSchema = z.union([
  z.object({
    id: randomId,
    answer: z.custom<object>((answer) => typeof answer === "object" && answer !== null),
  }),
  refusalSchema.extend({ id: randomId }),
]);

export type OrderRequest = z.infer<typeof requestSchema>;
export type OrderAnswer = z.infer<typeof answerSchema>;

/** `undefined` for a text that asks for nothing. */
export function readRequest(text: string): OrderRequest | undefined {
  return text.length > MAX_BODY_BYTES ? undefined : requestSchema.safeParse(readJson(text)).data;
}

/** `undefined` for a text that answers nothing. */
export function readAnswer(text: string): OrderAnswer | undefined {
  return answerSchema.safeParse(readJson(text)).data;
}
