// A Redis that dies while it writes may leave the beginning of a transaction at the end of its append-only file, and all that a script
// does is one. When it starts again it leaves that out, but not always out of the file: what is written after it is then read as part of
// it, so at the next start but one comes true what nobody was told, in the place of what was acknowledged. As long as that file was not
// written anew since the start, it may end so.
//
//   U10. Nothing is asked of a server before it has written its append-only file anew, where that is allowed (`+bgrewriteaof`).
//
// Seen with Redis 7.0.15; https://github.com/valkey-io/valkey/pull/4342 tells of the same.

import { setTimeout as delay } from "node:timers/promises";
import type { Redis } from "ioredis";
import { factsOf } from "./topology.ts";

/** So much data takes long to write: it is written all the same, but nobody waits on. */
const PATIENCE_MS = 10_000;
const LOOK_MS = 20;

/** @param facts all that INFO says. Rejects where the server does not answer; one that may not or cannot do it is used as it is. */
export async function leaveTornTail(master: Redis, facts: ReadonlyMap<string, string>): Promise<void> {
  if (!isNotYetWhole(facts)) return;
  // It is refused as well where somebody else asked a moment before.
  if (!isUnderWay(facts)) await master.call("BGREWRITEAOF").catch(() => "refused");
  const end = performance.now() + PATIENCE_MS;
  while (isUnderWay(await factsOf(master, "persistence")) && performance.now() < end) await delay(LOOK_MS);
}

/** It has a file that was not written anew since it started, and nobody has asked for that. */
export function mayEndTorn(facts: ReadonlyMap<string, string>): boolean {
  return isNotYetWhole(facts) && !isUnderWay(facts);
}

function isNotYetWhole(facts: ReadonlyMap<string, string>): boolean {
  return facts.get("aof_enabled") === "1" && facts.get("aof_last_rewrite_time_sec") === "-1";
}

function isUnderWay(facts: ReadonlyMap<string, string>): boolean {
  return facts.get("aof_rewrite_in_progress") === "1" || facts.get("aof_rewrite_scheduled") === "1";
}
