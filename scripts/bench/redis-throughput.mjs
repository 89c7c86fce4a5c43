// Messages per second over one Redis: what the server can do, what ioredis can do with it, BullMQ, and ours: delivered
// into a mailbox, taken into a log and removed from the mailbox. One process on each side of Redis but where it is said.

import { spawnSync } from "node:child_process";
import { findRedis } from "../redis.mjs";
import {
  figure,
  instantModel,
  load,
  median,
  noop,
  plan,
  report,
  round,
  temporaryFolder,
  localEnvironment,
} from "./bench.mjs";
import {
  connectRaw,
  findBullmq,
  letter,
  openBenchLink,
  openSeats,
  startServer,
  takeAgents,
  takeIn,
} from "./redis-kit.mjs";
import { BATCH, PAYLOAD, benchmark, bullmq, rate, rawGroup, rawSame } from "./redis-rivals.mjs";

const { createRedisBus } = await load("src/storage/redis/mail/bus.js");
const { startLegion } = await load("src/legion/legion.js");
const { createRedisBackend } = await load("src/storage/redis/backend.js");

/** So much may be sent and not yet taken in. */
const AHEAD = 5_000;
const ROUNDS = 5;
const now = () => performance.now();

/**
 * @param {import("../../test/storage/redis/servers.ts").Server} server @param {number} count @param {number} agents
 * @param {"another" | "the same"} sender whether mail comes from another process, as far as the reader can tell
 */
async function ours(server, count, agents, sender) {
  const legion = `bench-${agents}`;
  const link = await openBenchLink(server.url);
  const ids = Array.from({ length: agents }, (_, index) => `a${index + 1}`);
  const leases = await takeAgents(link, legion, ids);
  const bus = createRedisBus({ link, legion, tenureOf: leases.held });
  const far = sender === "another" ? await openBenchLink(server.url) : link;
  const senderBus = far === link ? bus : createRedisBus({ link: far, legion, tenureOf: () => undefined });
  const seats = await openSeats({ link, legion, bus, leases }, ids);
  const working = seats.map((seat) => ({ seat, stop: new AbortController() }));
  let taken = 0;
  let tell = () => {};
  const readers = working.map(({ seat, stop }) =>
    takeIn(seat, stop.signal, (more) => {
      taken += more;
      tell();
    }),
  );
  const until = async (/** @type {number} */ wanted) => {
    while (taken < wanted) await new Promise((resolve) => (tell = () => resolve(undefined)));
  };
  const deliveries = Array.from({ length: count }, (_, index) =>
    letter(ids[index % agents] ?? "", Math.floor(index / agents) + 1),
  );
  const started = now();
  for (let sent = 0; sent < count; sent += BATCH) {
    // A mailbox that is full would turn mail away.
    await until(sent - AHEAD);
    await Promise.all(deliveries.slice(sent, sent + BATCH).map((delivery) => senderBus.send(delivery)));
  }
  await until(count);
  const result = rate(count, started);
  for (const { stop } of working) stop.abort();
  await Promise.all(readers);
  for (const { log } of seats) await log.close();
  await bus.close();
  await leases.close();
  await link.close();
  if (far !== link) await far.close();
  await empty(server);
  return result;
}

/**
 * Mail from another process into whole agents, which decide about it and have nothing to do: also how often they decide.
 * @param {import("../../test/storage/redis/servers.ts").Server} server @param {number} count @param {number} agents
 */
async function whole(server, count, agents) {
  const [link, far] = [await openBenchLink(server.url), await openBenchLink(server.url)];
  const ids = Array.from({ length: agents }, (_, index) => `a${index + 1}`);
  const model = instantModel(() => noop(), 200_000);
  const legion = await startLegion({
    project: temporaryFolder(),
    plans: await Promise.all(ids.map((id) => plan({ id, model }))),
    limits: {},
    durability: "process",
    delayMs: 0,
    heartbeatMs: "off",
    environment: await localEnvironment(),
    settings: () => ({}),
    backend: createRedisBackend({ link, legion: `whole-${agents}`, durability: "always" }),
  });
  await legion.untilIdle(new AbortController().signal);
  const bus = createRedisBus({ link: far, legion: `whole-${agents}`, tenureOf: () => undefined });
  let [taken, decided] = [0, 0];
  let tell = () => {};
  legion.inspector.watch((/** @type {any} */ { kind, event }) => {
    if (kind !== "event") return;
    if (event.kind === "message") taken++;
    if (event.kind === "decision") decided++;
    tell();
  });
  const until = async (/** @type {number} */ wanted) => {
    while (taken < wanted) await new Promise((resolve) => (tell = () => resolve(undefined)));
  };
  const started = now();
  for (let sent = 0; sent < count; sent += BATCH) {
    await until(sent - AHEAD);
    const batch = Array.from({ length: BATCH }, (_, index) => sent + index);
    await Promise.all(batch.map((n) => bus.send(letter(ids[n % agents] ?? "", Math.floor(n / agents) + 1))));
  }
  await until(count);
  await legion.untilIdle(new AbortController().signal);
  const rates = { messages: rate(count, started), decisions: rate(decided, started) };
  await legion.stop();
  await bus.close();
  await link.close();
  await far.close();
  await empty(server);
  return rates;
}

/** @param {{ port: number }} server */
async function empty(server) {
  const redis = connectRaw(server);
  await redis.flushall();
  redis.disconnect();
}

const AGENTS = [1, 100, 1_000];

/** @param {import("./redis-kit.mjs").Fsync} fsync @param {number} count */
async function compare(fsync, count) {
  const server = await startServer(fsync);
  const where = `Redis, ${fsync === "off" ? "no persistence" : "appendfsync always"}`;
  /** @type {Map<string, number[]>} */
  const rates = new Map();
  const note = (/** @type {string} */ name, /** @type {number} */ value) => {
    const all = rates.get(name) ?? [];
    all.push(value);
    rates.set(name, all);
  };
  const pipeline = ["-n", "200000", "-c", "1", "-P", String(BATCH)];
  const xadd = [...pipeline, "xadd", "cli", "*", "m", "x".repeat(PAYLOAD.length)];
  for (let n = 0; n < ROUNDS; n++) {
    note("PING", benchmark(server, ["-n", "20000", "-c", "1", "ping"]));
    note("XADD", benchmark(server, xadd));
    spawnSync(findRedis()?.cli ?? "", ["-p", String(server.port), "flushall"]);
    note("group", await rawGroup(server, count));
    for (const agents of AGENTS) {
      note(`same ${agents}`, await rawSame(server, count, agents));
      note(`ours ${agents}`, await ours(server, count, agents, "another"));
      note(`near ${agents}`, await ours(server, count, agents, "the same"));
      const { messages, decisions } = await whole(server, count / 5, agents);
      note(`whole ${agents}`, messages);
      note(`decisions ${agents}`, decisions);
    }
    if (findBullmq()) note("bullmq", await bullmq(server, count / 5, 50));
  }
  await server.stop();
  const per = (/** @type {string} */ name) => median(rates.get(name) ?? []);
  const best = (/** @type {string} */ name) => Math.max(...(rates.get(name) ?? [0]));
  const shown = (/** @type {string} */ name) => `${thousands(per(name))}/s (best ${thousands(best(name))})`;
  const raw = per("group");
  return [
    figure("14", `${where}: redis-benchmark, PING`, shown("PING")),
    figure("14", `${where}: redis-benchmark, XADD, ${BATCH} in a pipeline`, shown("XADD")),
    figure("14", `${where}: ioredis, XADD by ${BATCH}, XREADGROUP, XACK`, shown("group")),
    ...(rates.has("bullmq")
      ? [figure("14", `${where}: BullMQ, ${BATCH} jobs at once, 50 in work`, shown("bullmq"))]
      : []),
    ...AGENTS.flatMap((agents) => [
      figure("14", `${where}: ioredis, the same writes, ${agents} logs`, shown(`same ${agents}`)),
      figure("14", `${where}: delivered, logged, acked; ${agents} agents`, shown(`ours ${agents}`), {
        beside: `${percent(per(`ours ${agents}`) / raw)} of XADD + read, ${percent(per(`ours ${agents}`) / per(`same ${agents}`))} of the same writes, ${round(per(`ours ${agents}`) / per("bullmq"))} x BullMQ`,
        goal: `>= ${percent(shareFor(agents))}, >= 4 x`,
        met: per(`ours ${agents}`) >= shareFor(agents) * raw && per(`ours ${agents}`) >= 4 * per("bullmq"),
      }),
      figure(
        "14",
        `${where}: the same from an agent of the same process; ${agents} agents`,
        shown(`near ${agents}`),
      ),
      figure("14", `${where}: into whole agents, which decide; ${agents} agents`, shown(`whole ${agents}`), {
        beside: `decisions ${shown(`decisions ${agents}`)}`,
      }),
    ]),
  ];
}

/** Of what is raw. @param {number} agents */
const shareFor = (agents) => (agents < 1_000 ? 0.6 : 0.5);

/** @param {number} value */
const thousands = (value) => `${round(value / 1_000)} k`;
/** @param {number} share */
const percent = (share) => `${round(share * 100, 0)} %`;

const figures = [];
for (const fsync of /** @type {const} */ (["off", "always"]))
  figures.push(...(await compare(fsync, fsync === "off" ? 50_000 : 20_000)));
report(figures);
