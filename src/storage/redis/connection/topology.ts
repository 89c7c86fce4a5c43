// What is at an address: one server, a Cluster or Sentinels. They tell it themselves.

import type { Redis, RedisOptions } from "ioredis";
import { LegionError } from "../../../base/errors.ts";
import { showHost, type RedisAddress, type RedisHost } from "./address.ts";
import { atFirstWord, mayPass, replyCode } from "./faults.ts";
import { connect, type Wiring } from "./wiring.ts";

export type Found =
  | { readonly kind: "server"; readonly host: RedisHost }
  | { readonly kind: "cluster" }
  | {
      readonly kind: "sentinels";
      /** The one that answered. */
      readonly host: RedisHost;
      readonly master: string;
      /** They may want the password of the server, or none. */
      readonly login: Login;
    };

type Login = Pick<RedisOptions, "username" | "password">;

/** Asks the hosts in turn until one answers well. Rejects with what one of them said, or else with what happened at the first. */
export async function findServer(wiring: Wiring): Promise<Found> {
  const errors: unknown[] = [];
  for (const host of wiring.address.hosts) {
    try {
      return await look(host, wiring);
    } catch (error) {
      if (!mayPass(error)) throw error;
      errors.push(error);
    }
  }
  throw errors.find((error) => replyCode(error) !== "") ?? errors[0];
}

async function look(host: RedisHost, wiring: Wiring): Promise<Found> {
  const { settings } = wiring;
  const login = { username: settings.username, password: settings.password };
  try {
    return await lookAs(login, host, wiring);
  } catch (error) {
    if (mayPass(error) || login.password === undefined) throw error;
    const open = await lookAs({ username: undefined, password: undefined }, host, wiring).catch(
      () => undefined,
    );
    if (open?.kind === "sentinels") return open;
    throw error;
  }
}

async function lookAs(login: Login, host: RedisHost, { address, settings }: Wiring): Promise<Found> {
  const { Redis } = await import("ioredis");
  const redis = new Redis({ ...settings, ...login, ...host, db: 0, enableReadyCheck: false });
  try {
    await connect(redis).catch((error: unknown) => {
      throw atFirstWord(error, address);
    });
    const facts = await factsOf(redis);
    const mode = facts.get("redis_mode");
    if (mode === "sentinel") {
      return { kind: "sentinels", host, login, master: chooseMaster(await mastersOf(redis), address) };
    }
    refuseUnless(address.master === undefined, `${showHost(host)} is no Sentinel: leave out ?master=`);
    // The same first words that Redis uses where it refuses a command for that.
    if (facts.get("loading") === "1") throw new Error("LOADING");
    if (mode === "cluster") {
      refuseUnless(address.database === 0, `${address.shown} is a Cluster, which has no database but 0`);
      const state = factsIn(await redis.cluster("INFO")).get("cluster_state");
      if (state !== "ok") throw new Error("CLUSTERDOWN");
      return { kind: "cluster" };
    }
    refuseUnless(
      address.hosts.length === 1,
      `${showHost(host)} is a single server: give one host, not several`,
    );
    return { kind: "server", host };
  } finally {
    redis.disconnect();
  }
}

function chooseMaster(names: readonly string[], { master, shown }: RedisAddress): string {
  const chosen = master ?? (names.length === 1 ? names[0] : undefined);
  if (chosen !== undefined && names.includes(chosen)) return chosen;
  const known = names.slice(0, 10).join(", ") || "no master";
  throw new LegionError("STORAGE", `the Sentinels of ${shown} know ${known}: write one of them as ?master=`);
}

async function mastersOf(sentinel: Redis): Promise<readonly string[]> {
  const masters: unknown = await sentinel.call("SENTINEL", "MASTERS");
  if (!Array.isArray(masters)) return [];
  return masters.flatMap((fields: unknown) => {
    const name: unknown = Array.isArray(fields) ? fields[fields.indexOf("name") + 1] : undefined;
    return typeof name === "string" ? [name] : [];
  });
}

function refuseUnless(isFine: unknown, sentence: string): void {
  if (!isFine) throw new LegionError("STORAGE", sentence);
}

/** What INFO says. */
export async function factsOf(
  redis: Redis,
  ...sections: readonly string[]
): Promise<ReadonlyMap<string, string>> {
  return factsIn(await redis.call("INFO", ...sections));
}

/** Lines of `name:value`. */
export function factsIn(text: unknown): ReadonlyMap<string, string> {
  const lines = typeof text === "string" ? text.split("\r\n") : [];
  return new Map(
    lines.flatMap((line) => {
      const colon = line.indexOf(":");
      return colon < 0 ? [] : [[line.slice(0, colon), line.slice(colon + 1)] as const];
    }),
  );
}
