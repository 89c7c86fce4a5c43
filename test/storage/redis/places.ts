import { randomUUID } from "node:crypto";
import { CONTROL, type AgentId } from "../../../src/domain/message/message.ts";
import { agentKeys } from "../../../src/storage/redis/scripts/keys.ts";
import type { Link } from "../../../src/storage/redis/connection/link.ts";
import type { RedisPlace } from "../../../src/storage/redis/scripts/scope.ts";
import { createTenure, type Tenure } from "../../../src/domain/lease.ts";

/** A legion of its own for each test. */
export function newLegion(): string {
  return `legion-${randomUUID()}`;
}

/** Takes the right to write to an agent's log, from whoever has it. */
export async function grant(
  { link, legion, agent }: RedisPlace,
  past: Tenure["past"] = "whole",
): Promise<Tenure> {
  const keys = agentKeys(legion, agent);
  const epoch = (await link.command("INCR", keys.epoch)) as number;
  const token = `${epoch}:${randomUUID()}`;
  await link.command("SET", keys.token, token);
  return createTenure({ agent, epoch, token, past });
}

/** What of `agent` is where, in `legion` on `link`. */
export function placeOf(link: Link, legion: string, agent: AgentId = CONTROL): RedisPlace {
  return { link, legion, agent };
}

/** Every event that a log gives. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
