// A ledger as JSON, and back. What is on its way is kept without its words: whoever delivers it reads the log.

import { z } from "zod";
import { limitsChoiceSchema, limitsSchema } from "../../domain/limits-schema.ts";
import { MESSAGE_ID, parseMessageId, type LogId, type Message } from "../../domain/message/message.ts";
import { createLedger, type Ledger } from "../ledger.ts";
import type { Send } from "../mail/sends.ts";

const count = z.int().min(0);
const usage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number().optional(),
  cacheWrite: z.number().optional(),
  cost: z.number().optional(),
});
const plain = {
  log: z.string().optional(),
  last: count,
  at: z.string(),
  epoch: count,
  taken: count,
  prompts: count,
  promptedMs: z.number(),
  refusedMs: z.number(),
  actingMs: z.number(),
  fruitless: count,
  fruitlessBefore: count,
  pending: count,
  limits: z.object({ limits: limitsChoiceSchema, instead: limitsSchema }).optional(),
};
const stay = z.object({ seq: count, id: z.string(), ends: z.array(count) });

export const ledgerSchema = z.object({
  ...plain,
  numbers: z.array(z.tuple([z.string(), count])),
  undelivered: z.array(z.tuple([z.string(), z.string().regex(MESSAGE_ID), count])),
  seen: z.array(z.tuple([z.string(), count])),
  held: z.object({
    all: z.array(stay),
    forks: z.array(z.object({ seq: count, to: count })),
    now: z.array(stay),
  }),
  spent: z.object({ steps: z.int(), usage, workingMs: z.number() }),
  open: z.array(z.object({ seq: count, reserved: usage, call: z.string().optional() })),
  start: z.object({
    hasActed: z.boolean(),
    hasResult: z.boolean(),
    isAlone: z.boolean(),
    isEnding: z.boolean(),
  }),
});

export type PackedLedger = z.output<typeof ledgerSchema>;

export function packLedger(ledger: Ledger): PackedLedger {
  const { log, last, at, epoch, taken, prompts, promptedMs, refusedMs, actingMs, open, start } = ledger;
  const { fruitless, fruitlessBefore, pending, limits, heldMail, spent, numbers, seen, undelivered } = ledger;
  return {
    ...{ log, last, at, epoch, taken, prompts, promptedMs, refusedMs, actingMs, open, start },
    ...{ fruitless, fruitlessBefore, pending, limits, spent: { ...spent } },
    numbers: [...numbers],
    seen: [...seen],
    undelivered: undelivered.map(({ from, message, seq }) => [from, message.id, seq]),
    held: { all: heldMail.all, forks: heldMail.forks, now: [...heldMail.now.values()] },
  };
}

export function unpackLedger({ numbers, seen, undelivered, held, open, ...plain }: PackedLedger): Ledger {
  const { all, forks } = held;
  const now = held.now.map((stay) => all.find(({ seq }) => seq === stay.seq) ?? stay);
  return {
    ...createLedger(),
    ...plain,
    log: plain.log,
    limits: plain.limits,
    open: open.map(({ seq, reserved, call }) => ({ seq, reserved, call })),
    atMs: plain.at === "" ? 0 : Date.parse(plain.at),
    numbers: new Map(numbers),
    seen: new Map(seen),
    undelivered: undelivered.map(([from, id, seq]) => wordless({ from, id, seq })),
    heldMail: { all, forks, now: new Map(now.map((stay) => [stay.seq, stay])) },
  };
}

interface WordlessSend {
  readonly from: LogId;
  readonly id: string;
  readonly seq: number;
}

function wordless({ from, id, seq }: WordlessSend): Send {
  const { from: sender, to, n } = parseMessageId(id);
  const message: Message = {
    ...{ id, type: "agentToAgent", source: { type: "agent", id: sender }, targetAgentIds: [to] },
    ...{ content: "", sentAt: "", delivery: "normal", root: id, hops: 0 },
  };
  return { from, message, to, n, seq };
}
