// The events of a log as a schema, for what comes from outside. It loads zod: what starts with every command imports the
// types of event.ts alone.

import { z } from "zod";
import { LOG_FORMAT } from "./event.ts";

/** Numbers of events and messages count on. */
const MAX_COUNT = 1_000_000_000_000;
/** Far more than any project has starts; the next one counts on from it. */
export const MAX_EPOCH = 1_000_000_000;
const MESSAGE_ID = /^[^>#\p{Cc}]{1,200}>[^>#\p{Cc}]{1,200}#\d{1,12}$/u;

/** A whole number from 0 up that can still be counted on from. */
export const countSchema = z.int().min(0).max(MAX_COUNT);
/** Ids of logs are one line, and short: they stand in every message. */
export const logIdSchema = z.string().regex(/^\P{Cc}{1,200}$/u);

const amount = z.number().min(0);
/** JSON leaves it out where it is `undefined`. */
const anything = z.unknown().default(undefined);
/** Words of a fixed set are texts here: a later version of the format may know more of them. */
const text = z.string();

/** Sources; `true` in what earlier versions wrote. */
const taint = z.union([z.boolean(), z.array(text)]).optional();

/** What somebody wrote there that is none is passed over by whoever reads it. */
const receipts = z.array(
  z.object({ agent: text, log: text, seq: countSchema, verdict: text, why: text.optional() }),
);

export const messageSchema = z.object({
  id: z.string().regex(MESSAGE_ID),
  type: text,
  source: z.union([z.object({ type: z.literal("user") }), z.object({ type: z.literal("agent"), id: text })]),
  targetAgentIds: z.array(text),
  content: text,
  sentAt: text,
  delivery: text,
  cause: text.optional(),
  re: text.optional(),
  root: text,
  hops: countSchema,
  authority: z.array(text).optional(),
  taint,
  receipts: receipts.optional().catch(undefined),
  needsAnswer: z.boolean().optional(),
  answers: z.array(text).optional(),
  declines: z.array(text).optional(),
  details: z.unknown().optional(),
});

const usage = z.object({
  input: amount,
  output: amount,
  cacheRead: amount.optional(),
  cacheWrite: amount.optional(),
  cost: amount.optional(),
});
const sends = z.array(messageSchema).optional();

const stamp = {
  seq: countSchema.min(1),
  epoch: countSchema.max(MAX_EPOCH),
  // What is no time would make every sum of times none.
  at: text.refine((at) => !Number.isNaN(Date.parse(at))),
};

const touch = z.union([
  z.object({ kind: text, asked: text, real: text }),
  z.object({ kind: text, command: text }),
  z.object({ kind: text, host: text, port: z.number(), url: text.optional(), by: text }),
  z.object({ kind: text, to: text }),
  z.object({ kind: text, name: text }),
  z.object({ kind: text, call: text }),
]);

const touched = z.object({
  count: text,
  root: text,
  from: countSchema,
  n: countSchema.optional(),
  read: z.array(text).optional(),
  wrote: z.array(text).optional(),
  ran: text.optional(),
});

const changed = z.object({
  files: z.array(z.object({ path: text, does: text, from: text.optional() })),
  more: countSchema.optional(),
  isShared: z.literal(true).optional(),
  unknown: text.optional(),
});

function eventOf<K extends string, S extends z.ZodRawShape>(kind: K, shape: S) {
  return z.object({ kind: z.literal(kind), ...shape, ...stamp });
}

/** By kind. Fields that it does not name are of a later version, and passed over. */
export const eventSchemas = {
  opened: eventOf("opened", {
    format: z.literal([1, LOG_FORMAT]),
    log: logIdSchema,
    seals: z.record(text, countSchema),
    mac: text.optional(),
    record: text.optional(),
  }),
  message: eventOf("message", {
    message: messageSchema,
    mail: countSchema,
    from: logIdSchema,
    held: z.literal(true).optional(),
    shown: text.optional(),
  }),
  released: eventOf("released", { messages: z.array(countSchema) }),
  offered: eventOf("offered", { module: text, offer: text }),
  recalled: eventOf("recalled", {
    module: text,
    key: text,
    content: text,
    from: countSchema.optional(),
    taint,
  }),
  observed: eventOf("observed", {
    of: z.object({ agent: text, log: text, seq: countSchema }),
    from: text,
    control: text,
    thread: text,
    n: countSchema,
    message: messageSchema.optional(),
  }),
  prompted: eventOf("prompted", {
    model: text,
    prompt: text,
    introduction: text,
    pinned: text.optional(),
    reserved: usage,
    purse: text.optional(),
    call: text.optional(),
  }),
  refused: eventOf("refused", { prompted: countSchema, status: countSchema.optional() }),
  decision: eventOf("decision", {
    text,
    thoughts: text.optional(),
    calls: z.array(z.object({ id: text, action: text, parameters: anything })),
    sends,
    protocol: text,
    model: text,
    usage,
    cost: amount.optional(),
    stop: text,
    provider: z.unknown().optional(),
  }),
  result: eventOf("result", {
    call: text.nullable(),
    outcome: text,
    content: text,
    details: z.unknown().optional(),
    state: z.array(z.tuple([text, text, z.unknown()])).optional(),
    sends,
    usage: usage.optional(),
    taint,
    leads: z.array(text).optional(),
    keeps: text.optional(),
    unkept: z.array(z.object({ path: text, why: text })).optional(),
    changed: changed.optional(),
    submission: text.optional(),
    touched: touched.optional(),
  }),
  approval: eventOf("approval", {
    call: text,
    asked: z
      .object({
        action: text,
        touches: z.array(touch),
        besides: z.array(touch),
        rule: text,
        mode: text.optional(),
        authority: z.array(text).optional(),
        taint: z.array(text).optional(),
      })
      .optional(),
    sends,
    verdict: text.optional(),
    by: text.optional(),
    reason: text.optional(),
  }),
  summary: eventOf("summary", {
    covers: z.tuple([countSchema, countSchema]),
    content: text,
    strategy: text,
    usage,
    tokens: z.object({ before: countSchema, after: countSchema }).optional(),
    stays: z.object({ messages: countSchema, decisions: countSchema, summaries: countSchema }).optional(),
  }),
  branch: eventOf("branch", { to: countSchema, origin: text.optional(), changed: countSchema.optional() }),
  sent: eventOf("sent", { upTo: countSchema }),
  edited: eventOf("edited", { module: text, key: text, value: anything }),
  notice: eventOf("notice", { reason: text, content: text, sends, details: z.unknown().optional() }),
};

/** What every event has, also one of a kind that only a later version knows. */
export const stampSchema = z.object({ kind: text, ...stamp });
