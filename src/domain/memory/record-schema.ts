// What is sent to a memory as a schema: it comes over the bus, and may come from any version, or from a hostile hand.

import { z } from "zod";
import { MAX_CONTEXT, MAX_SUMMARY, type RecordDetails } from "./record.ts";

const MAX_NAME = 200;
const MAX_TAGS = 20;
/** Numbers of events count on. */
const MAX_COUNT = 1_000_000_000_000;

const line = z
  .string()
  .min(1)
  .max(MAX_NAME)
  .regex(/^\P{Cc}+$/u);
const count = z.int().min(0).max(MAX_COUNT);
// Date.parse alone lets any words pass that stand in parentheses, and these would stay where the entry is forgotten.
const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/)
  .refine((said) => !Number.isNaN(Date.parse(said)));

const entry = z.object({
  summary: z.string().max(MAX_SUMMARY),
  role: z.enum(["user", "assistant"]),
  speaker: line,
  thread: line,
  said: time,
  tags: z.record(line, z.string().max(MAX_NAME)).refine((tags) => Object.keys(tags).length <= MAX_TAGS),
  of: z.object({ log: line, message: line }).optional(),
  summarised: z.enum(["model", "rules"]),
});

const context = z.object({ upTo: count, base: count.optional(), asOf: count.optional() });

const record = z.union([z.strictObject({ entry }), z.strictObject({ context })]);

/** What `details` of a message say that it is; `undefined` if it is no record, or `content` is too long for one. */
export function readRecord(details: unknown, content: string): RecordDetails | undefined {
  const { data } = record.safeParse(details);
  if (!data || ("context" in data && content.length > MAX_CONTEXT)) return undefined;
  return data;
}
