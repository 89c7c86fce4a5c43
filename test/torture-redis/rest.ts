// When a legion has come to rest: nobody has anything to do, and no message is under way.

import { Redis } from "ioredis";
import { setTimeout as delay } from "node:timers/promises";
import type { Member } from "./member.ts";

export interface Resting {
  readonly members: readonly Member[];
  readonly port: number;
  readonly legion: string;
  readonly agents: readonly string[];
}

const LOOK_MS = 200;
/** Whoever listens to agents of other nodes looks now and then whether they said something. */
const STILL_LOOKS = 3;

/**
 * Resolves with what still goes on after as many looks as `withinMs` has room for; with "" once nothing does. Where the machine is busy
 * with something else a look takes longer, as all that is waited for does.
 */
export async function comeToRest(resting: Resting, withinMs: number): Promise<string> {
  const redis = new Redis({ port: resting.port, host: "127.0.0.1" });
  let events = -1;
  let still = 0;
  try {
    for (let lookedMs = 0; ; lookedMs += LOOK_MS) {
      const unrest = unrestOfNodes(resting) || (await unrestInRedis(redis, resting));
      const before = events;
      events = await countEvents(redis, resting);
      still = unrest === "" && events === before ? still + 1 : 0;
      if (still === STILL_LOOKS) return "";
      if (lookedMs > withinMs) return unrest || "events are still added";
      await delay(LOOK_MS);
    }
  } finally {
    redis.disconnect();
  }
}

function unrestOfNodes({ members, agents }: Resting): string {
  const standings = members.map(({ standing }) => standing);
  const silent = standings.filter((standing) => standing?.isSilent).length;
  if (silent < members.length) return `the person speaks at ${members.length - silent} nodes`;
  const known = new Map(
    standings.flatMap((standing) => standing!.agents.map((agent) => [agent.id, agent] as const)),
  );
  const restless = agents.flatMap((id) => {
    const agent = known.get(id);
    if (!agent) return [`${id} runs nowhere`];
    const { state, unread, undelivered } = agent;
    return state === "idle" && unread + undelivered === 0
      ? []
      : [`${id} is ${state}, ${unread} unread, ${undelivered} undelivered`];
  });
  return restless.join("; ");
}

async function unrestInRedis(redis: Redis, { legion, agents }: Resting): Promise<string> {
  const said = await redis.zcard(`lg:{${legion}:0}:out`);
  if (said > 0) return `${said} words of the person are undelivered`;
  for (const id of ["0", ...agents]) {
    const left = await redis.xlen(`lg:{${legion}:${id}}:mailbox`);
    if (left > 0) return `${left} messages in the mailbox of ${id}`;
  }
  return "";
}

async function countEvents(redis: Redis, { legion, agents }: Resting): Promise<number> {
  const counts = await Promise.all(
    ["0", ...agents].map((id) => redis.hget(`lg:{${legion}:${id}}:meta`, "seq")),
  );
  return counts.reduce((sum, count) => sum + Number(count), 0);
}
