// What a program has an observer do, in place of what is heard in a log: a person's message that says so in its details.

import { z } from "zod";
import { isPersons, type Message } from "../message/message.ts";
import { CONTROL_STATES } from "./observed.ts";

const MAX_NAME = 200;

/** A name as a memory keeps it: one line. */
const name = z
  .string("expected a text")
  .min(1, "it is empty")
  .max(MAX_NAME, `expected at most ${MAX_NAME} characters`)
  .regex(/^\P{Cc}+$/u, "expected one line");
const time = z.iso.datetime({ offset: true, error: "expected a time such as 2026-03-01T12:00:00Z" });

/** Of a conversation: any name but one such as `0,1`, which is what is heard of two who talk. */
const thread = name.refine((id) => !/^[^,\s]+,[^,\s]+$/.test(id), "two ids with a comma name what is heard");

const schema = z.strictObject({
  control: z.enum(CONTROL_STATES, `expected one of ${CONTROL_STATES.join(", ")}`),
  thread,
  /** Who said it; absent: a user. */
  role: z.enum(["user", "assistant"], "expected user or assistant").optional(),
  /** Its name; absent: the role. */
  speaker: name.optional(),
  /** When it was said, ISO 8601; absent: now. */
  said: time.optional(),
});

/** One thing to do. The content of its message is what was said; without a message to process it is not looked at. */
export type InvocationOrder = z.output<typeof schema>;

export const invocationOrder = schema;

/** The details of the message that brings one. */
export interface InvocationDetails {
  readonly invoke: InvocationOrder;
}

const details = z.object({ invoke: schema });

/** What a message wants done; `undefined` for any other, and for whoever is not the person. */
export function orderIn(message: Pick<Message, "source" | "taint" | "details">): InvocationOrder | undefined {
  return isPersons(message) ? details.safeParse(message.details).data?.invoke : undefined;
}

/** Is there something to be processed with it? */
export function processes({ control }: Pick<InvocationOrder, "control">): boolean {
  return control === "process_message" || control === "process_message_and_flush";
}
