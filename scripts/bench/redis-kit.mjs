// What the measures of a legion in Redis share: a server of their own, agents without a model, and what BullMQ needs.

import { createRequire } from "node:module";
import { join } from "node:path";
import { Redis } from "ioredis";
import { tsImport } from "tsx/esm/api";
import { load } from "./bench.mjs";
import { bring } from "./bring.mjs";

const { openLink } = await load("src/storage/redis/connection/link.js");
const { parseRedisAddress } = await load("src/storage/redis/connection/address.js");
const { createLeases } = await load("src/storage/redis/cluster/leases.js");
const { enlist } = await load("src/storage/redis/cluster/directory.js");
const { openRedisLog } = await load("src/storage/redis/log/log.js");

/** @typedef {"off" | "always"} Fsync what the server does before it answers; `off`: it keeps nothing */

/**
 * On a free port, gone with this process.
 * @param {Fsync} fsync
 * @returns {Promise<import("../../test/storage/redis/servers.ts").Server>}
 */
export async function startServer(fsync) {
  const { startRedis } = await tsImport("../../test/storage/redis/servers.ts", import.meta.url);
  return startRedis({ config: fsync === "off" ? ["appendonly no"] : [] });
}

/** @param {string} url */
export const openBenchLink = (url) => openLink(parseRedisAddress(url));

/** A connection without any of our code. @param {{ port: number }} server */
export const connectRaw = ({ port }) => new Redis({ port, host: "127.0.0.1" });

/**
 * Makes agents known and takes the right to run them.
 * @param {any} link @param {string} legion @param {readonly string[]} agents
 */
export async function takeAgents(link, legion, agents) {
  const leases = createLeases({ link, legion, node: `bench/${legion}`, durability: "always" });
  await Promise.all(agents.map((agent) => enlist({ link, legion, agent }, "{}")));
  await Promise.all(agents.map((agent) => leases.acquire(agent)));
  return leases;
}

/** @typedef {{ log: any, inbox: any }} Seat one agent without a model */

/**
 * Log and mailbox of each of `agents`, over the one link.
 * @param {{ link: any, legion: string, bus: any, leases: any }} place @param {readonly string[]} agents
 * @returns {Promise<Seat[]>}
 */
export function openSeats({ link, legion, bus, leases }, agents) {
  return Promise.all(
    agents.map(async (agent) => ({
      log: await openRedisLog({ link, legion, agent, tenure: leases.held(agent), now: Date.now }, () => 0),
      inbox: await bus.open(agent),
    })),
  );
}

/** What a model with a window of 200,000 tokens takes in at once. */
const MAIL_TOKENS = 50_000;

/**
 * Takes mail in as an actor does, until `signal` aborts: what waits goes into the log with one commit.
 * @param {Seat} seat @param {AbortSignal} signal @param {(count: number) => void} onTaken
 */
export async function takeIn({ log, inbox }, signal, onTaken) {
  for (;;) {
    await inbox.wait(signal);
    if (signal.aborted) return;
    const mail = inbox.peek(MAIL_TOKENS);
    await log.append(mail.map(eventOf));
    inbox.taken(mail.at(-1).position);
    onTaken(mail.length);
  }
}

/** @param {{ position: number, from: string, message: object }} mail */
function eventOf({ position, from, message }) {
  return { kind: "message", message, mail: position, from };
}

/** Number `n` of `sender` to `to`: 216 bytes as JSON, whatever the numbers. @param {string} to @param {number} n */
export function letter(to, n) {
  const id = `sender>${to}#${n}`;
  const message = {
    id,
    type: "agentToAgent",
    source: { type: "agent", id: "sender" },
    targetAgentIds: [to],
    content: "",
    sentAt: SENT_AT,
    delivery: "normal",
    root: id,
    hops: 1,
  };
  message.content = "x".repeat(Math.max(1, BYTES - JSON.stringify(message).length));
  return { from: SENDER_LOG, message };
}

const SENT_AT = new Date().toISOString();
const SENDER_LOG = "5f0c4c2e-0000-4000-8000-000000000001";
const BYTES = 216;

/**
 * BullMQ beside the ioredis of this project.
 * @returns {any} undefined if it cannot be brought
 */
export function findBullmq() {
  const packages = bring("bullmq", "6.7.0");
  return packages && createRequire(packages)(join(packages, "bullmq"));
}
