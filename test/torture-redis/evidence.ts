// What is in Redis when all is over, read by code that shares nothing with the runtime: a reader that trusts the same
// mistake as the writer would find nothing.

import { Redis } from "ioredis";
import type { Event } from "../../src/domain/event/event.ts";
import { gatherAnswers, readLines, type Past, type Told } from "../torture/evidence.ts";
import { restored } from "../torture/restored.ts";
import type { Rest } from "../torture/rests.ts";
import { joinAll, NOTHING_REMEMBERED, type Remembered, type Stored } from "../torture/remembered.ts";
import { MEMORY } from "../torture/scribe.ts";
import { OBSERVED, type Acknowledged, type Files, type Said, type TimedEffect } from "./order.ts";

export interface RedisPast extends Past {
  /** Of the mailbox: how far it goes, how far it was taken, and how much is in it. */
  readonly mailbox: { readonly newest: number; readonly taken: number; readonly left: number };
  /** Of the log, as the agent's own counter says. */
  readonly last: number;
  readonly isLeased: boolean;
}

export interface RedisEvidence extends Told {
  readonly agents: ReadonlyMap<string, RedisPast>;
  readonly effects: readonly TimedEffect[];
  readonly fed: readonly Said[];
  readonly acknowledged: readonly Acknowledged[];
  readonly rests: readonly Rest[];
  /** Model calls of the legion, as its limits know them. */
  readonly steps: number;
}

export interface Place {
  readonly port: number;
  readonly legion: string;
  readonly agents: readonly string[];
  /** Absent: the nodes wrote nothing down. */
  readonly files?: Files;
}

export async function gather({ port, legion, agents, files }: Place): Promise<RedisEvidence> {
  const redis = new Redis({ port, host: "127.0.0.1" });
  try {
    const pasts = new Map<string, RedisPast>();
    for (const id of ["0", ...agents]) pasts.set(id, await readPast(redis, `lg:{${legion}:${id}}:`));
    return {
      agents: pasts,
      observed: OBSERVED,
      remembered: files ? await readRemembered(redis, `lg:{${legion}:${MEMORY}}:`) : NOTHING_REMEMBERED,
      steps: Number(await redis.hget(`lg:{${legion}}:spent`, "steps")),
      effects: files ? readLines<TimedEffect>(files.effects) : [],
      fed: files ? readLines<Said>(files.fed) : [],
      acknowledged: files ? readLines<Acknowledged>(files.acknowledged) : [],
      rests: files ? readLines<Rest>(files.rests) : [],
      ...(files ? gatherAnswers(files) : { answers: [], revoked: new Set() }),
    };
  } finally {
    redis.disconnect();
  }
}

async function readPast(redis: Redis, prefix: string): Promise<RedisPast> {
  const entries = await redis.xrange(`${prefix}log`, "-", "+");
  const meta = await redis.hgetall(`${prefix}meta`);
  return {
    log: { records: restored(entries.map(([id, fields]) => eventOf(id, new Map(pairs(fields))))) },
    mailbox: {
      newest: Number(meta["mail"] ?? 0),
      taken: Number(meta["taken"] ?? 0),
      left: await redis.xlen(`${prefix}mailbox`),
    },
    last: Number(meta["seq"] ?? 0),
    isLeased: (await redis.exists(`${prefix}lease`)) === 1,
  };
}

/** Words stand beside the log, by the numbers of its records. */
async function readRemembered(redis: Redis, prefix: string): Promise<Remembered> {
  const entries = await redis.xrange(`${prefix}log`, "-", "+");
  const words = await redis.hgetall(`${prefix}words`);
  const counting = (await redis.zrange(`${prefix}contexts`, "0", "-1")).map((seq) => Number(seq));
  const records = entries.map(([id, fields]) => eventOf(id, new Map(pairs(fields))) as Stored | Event);
  return {
    ...joinAll(records as readonly Stored[], ({ seq }) => words[seq]),
    counting,
    isShown: (seq) => counting.at(-1) === seq,
  };
}

function* pairs(flat: readonly string[]): Generator<[string, string]> {
  for (let at = 0; at < flat.length; at += 2) yield [flat[at]!, flat[at + 1]!];
}

/** `e` is the event, `p` its epoch; in the log of agent 0 scripts add numbers (`n`), mail (`m`, `f`, `i`) and `upTo` (`u`). */
function eventOf(id: string, fields: ReadonlyMap<string, string>): Event {
  const event = JSON.parse(fields.get("e")!) as { readonly sends?: readonly object[] };
  const numbers = fields.get("n")?.split(",");
  const sends = numbers && event.sends?.map((send, index) => ({ ...send, id: `0>${numbers[index]}` }));
  const mail = fields.get("m");
  return {
    ...event,
    seq: Number(id.replace(/^0-/, "")),
    epoch: Number(fields.get("p")),
    ...(sends && { sends }),
    ...(mail !== undefined && {
      message: JSON.parse(mail) as object,
      mail: Number(fields.get("i")),
      from: fields.get("f"),
    }),
    ...(fields.has("u") && { upTo: Number(fields.get("u")) }),
  } as Event;
}
