import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import { LegionError } from "../../../src/base/errors.ts";
import type { AgentId } from "../../../src/domain/message/message.ts";
import { parseRedisAddress } from "../../../src/storage/redis/connection/address.ts";
import { agentKeys } from "../../../src/storage/redis/scripts/keys.ts";
import { createLeases, type LeaseOptions, type Leases } from "../../../src/storage/redis/cluster/leases.ts";
import { openLink, type Link } from "../../../src/storage/redis/connection/link.ts";
import type { Tenure } from "../../../src/domain/lease.ts";
import { until } from "./servers.ts";

/** One process of a legion, as far as Redis sees it. */
export interface Member {
  readonly link: CutLink;
  readonly leases: Leases;
  readonly node: string;
}

/** A link whose far side can be out of reach. */
export interface CutLink extends Link {
  isCut: boolean;
  /** How much was asked in vain. */
  readonly refused: number;
}

export function cuttable(link: Link): CutLink {
  let refused = 0;
  const unlessCut =
    <Asked extends readonly unknown[], T>(ask: (...asked: Asked) => Promise<T>) =>
    (...asked: Asked): Promise<T> => {
      if (!whole.isCut) return ask(...asked);
      refused += 1;
      return Promise.reject(new LegionError("STORAGE", "out of reach"));
    };
  const whole: CutLink = {
    ...link,
    isCut: false,
    get refused() {
      return refused;
    },
    get standing() {
      return link.standing;
    },
    run: unlessCut(link.run),
    command: unlessCut(link.command),
    listen: unlessCut(link.listen),
    incarnation: unlessCut(link.incarnation),
  };
  return whole;
}

export async function openTestLink(url: string): Promise<Link> {
  const link = await openLink(parseRedisAddress(url));
  onTestFinished(() => link.close());
  return link;
}

/** Joins a legion until the test is over. */
export async function join(
  url: string,
  legion: string,
  options: Partial<LeaseOptions> = {},
): Promise<Member> {
  const link = cuttable(await openTestLink(url));
  const node = randomUUID();
  const leases = createLeases({ link, legion, node, durability: "weak", ...options });
  onTestFinished(() => leases.close());
  return { link, leases, node };
}

export async function makeKnown(link: Link, legion: string, agents: readonly AgentId[]): Promise<void> {
  await Promise.all(agents.map((agent) => link.command("hset", agentKeys(legion, agent).meta, "known", 1)));
}

/** The tenure, or an error for an answer that is none. */
export async function taken(leases: Leases, agent: AgentId): Promise<Tenure> {
  const answer = await leases.acquire(agent);
  if (typeof answer === "string" || "waitMs" in answer)
    throw new Error(`not taken: ${JSON.stringify(answer)}`);
  return answer;
}

/** True while whoever holds it may act under it. */
export function stands(tenure: Tenure | undefined): boolean {
  try {
    tenure?.check();
    return tenure !== undefined;
  } catch {
    return false;
  }
}

/** Asks again and again until the agent is had. */
export async function takenAtLast(leases: Leases, agent: AgentId): Promise<Tenure> {
  let tenure: Tenure | undefined;
  await until(async () => {
    tenure = await taken(leases, agent).catch(() => undefined);
    return tenure !== undefined;
  });
  return tenure!;
}
