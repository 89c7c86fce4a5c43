// Messages per second over one Redis: what the server can do, what ioredis can do with it, BullMQ, and ours: delivered
// into a mailbox, taken into a log and removed from the mailbox. One process on each side of Redis but where it is said.

import { spawnSync } from "node:child_process";
import { findRedis } from "../redis.mjs";
import { figure, load, median, report, round } from "./bench.mjs";
import { connectRaw, findBullmq, letter, openBenchLink, openSeats, startServer, takeAgents, takeIn } from "./redis-kit.mjs";

const { createRedisBus } = await load("src/bus/redis-bus.js");

const BATCH = 500;
const ROUNDS = 5;
const PAYLOAD = JSON.stringify(letter("1", 1).message);
const now = () => performance.now();

/** @param {number} count @param {number} startedMs */
const rate = (count, startedMs) => (count * 1_000) / (now() - startedMs);

/** @param {{ port: number }} server @param {readonly string[]} args */
function benchmark({ port }, args) {
  const { stdout } = spawnSync(findRedis()?.benchmark ?? "", ["-p", String(port), "--csv", ...args], { encoding: "utf8" });
  return Number(/^"[^"]*","([\d.]+)"/m.exec(stdout.split("\n").slice(1).join("\n"))?.[1] ?? 0);
}

/** XADD in pipelines beside a group's reader that waits and acknowledges. @param {{ port: number }} server @param {number} count */
async function rawGroup(server, count) {
  const [writer, reader] = [connectRaw(server), connectRaw(server)];
  await writer.del("raw");
  await writer.xgroup("CREATE", "raw", "group", "$", "MKSTREAM");
  const started = now();
  const reading = (async () => {
    for (let read = 0; read < count;) {
      /** @type {any} */
      const reply = await reader.xreadgroup("GROUP", "group", "me", "COUNT", BATCH, "BLOCK", 1_000, "STREAMS", "raw", ">");
      const entries = reply?.[0]?.[1] ?? [];
      if (entries.length > 0) await reader.xack("raw", "group", ...entries.map((/** @type {any} */ [id]) => id));
      read += entries.length;
    }
  })();
  for (let sent = 0; sent < count; sent += BATCH) {
    const pipeline = writer.pipeline();
    for (let n = 0; n < BATCH; n++) pipeline.xadd("raw", "*", "m", PAYLOAD);
    await pipeline.exec();
  }
  await reading;
  const result = rate(count, started);
  await writer.del("raw");
  writer.disconnect();
  reader.disconnect();
  return result;
}

/**
 * What ours writes and reads, without its rules: mail in, read, into a log, removed.
 * @param {{ port: number }} server @param {number} count @param {number} agents
 */
async function rawSame(server, count, agents) {
  const redis = connectRaw(server);
  const started = now();
  for (let sent = 0; sent < count; sent += BATCH) {
    const touched = new Set();
    const writing = redis.pipeline();
    for (let n = sent; n < sent + BATCH; n++) {
      touched.add(n % agents);
      writing.xadd(`mail:${n % agents}`, `0-${Math.floor(n / agents) + 1}`, "f", "log", "m", PAYLOAD);
    }
    await writing.exec();
    const reading = redis.pipeline();
    for (const agent of touched) reading.xrange(`mail:${agent}`, "-", "+");
    const mail = (await reading.exec()) ?? [];
    const logging = redis.pipeline();
    for (const [index, agent] of [...touched].entries()) {
      /** @type {any} */
      const entries = mail[index]?.[1];
      for (const [id, fields] of entries) logging.xadd(`log:${agent}`, id, "e", fields[3], "p", "1");
      logging.xtrim(`mail:${agent}`, "MAXLEN", 0);
    }
    await logging.exec();
  }
  const result = rate(count, started);
  await redis.flushall();
  redis.disconnect();
  return result;
}

/** @param {{ port: number }} server @param {number} count @param {number} concurrency */
async function bullmq(server, count, concurrency) {
  const { Queue, Worker } = findBullmq();
  const connection = { host: "127.0.0.1", port: server.port, maxRetriesPerRequest: null };
  const queue = new Queue("bench", { connection });
  const message = JSON.parse(PAYLOAD);
  let done = 0;
  let finish = () => {};
  const finished = new Promise((resolve) => (finish = () => resolve(undefined)));
  const worker = new Worker("bench", () => Promise.resolve(), { connection, concurrency });
  worker.on("completed", () => ++done === count && finish());
  await worker.waitUntilReady();
  const started = now();
  for (let sent = 0; sent < count; sent += BATCH)
    await queue.addBulk(Array.from({ length: BATCH }, () => ({ name: "m", data: message, opts: { removeOnComplete: true } })));
  await finished;
  const result = rate(count, started);
  await worker.close();
  await queue.obliterate({ force: true });
  await queue.close();
  return result;
}

/**
 * @param {import("../../test/redis/servers.ts").Server} server @param {number} count @param {number} agents
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
  const stop = new AbortController();
  let taken = 0;
  let finish = () => {};
  const finished = new Promise((resolve) => (finish = () => resolve(undefined)));
  const readers = seats.map((seat) =>
    takeIn(seat, stop.signal, (more) => {
      taken += more;
      if (taken === count) finish();
    }),
  );
  const deliveries = Array.from({ length: count }, (_, index) =>
    letter(ids[index % agents] ?? "", Math.floor(index / agents) + 1),
  );
  const started = now();
  for (let sent = 0; sent < count; sent += BATCH)
    await Promise.all(deliveries.slice(sent, sent + BATCH).map((delivery) => senderBus.send(delivery)));
  await finished;
  const result = rate(count, started);
  stop.abort();
  await Promise.all(readers);
  for (const { log } of seats) await log.close();
  await bus.close();
  await leases.close();
  await link.close();
  if (far !== link) await far.close();
  await link;
  const raw = connectRaw(server);
  await raw.flushall();
  raw.disconnect();
  return result;
}

const AGENTS = [1, 100, 1_000];

/** @param {import("./redis-kit.mjs").Fsync} fsync @param {number} count */
async function compare(fsync, count) {
  const server = await startServer(fsync);
  const where = fsync === "off" ? "no persistence" : "appendfsync always";
  /** @type {Map<string, number[]>} */
  const rates = new Map();
  const note = (/** @type {string} */ name, /** @type {number} */ value) => {
    const all = rates.get(name) ?? [];
    all.push(value);
    rates.set(name, all);
  };
  const xadd = ["-n", String(count), "-c", "1", "-P", String(BATCH), "xadd", "cli", "*", "m", PAYLOAD];
  for (let n = 0; n < ROUNDS; n++) {
    note("PING", benchmark(server, ["-n", "20000", "-c", "1", "ping"]));
    note("XADD", benchmark(server, xadd));
    spawnSync(findRedis()?.cli ?? "", ["-p", String(server.port), "flushall"]);
    note("group", await rawGroup(server, count));
    for (const agents of AGENTS) {
      note(`same ${agents}`, await rawSame(server, count, agents));
      note(`ours ${agents}`, await ours(server, count, agents, "another"));
      note(`near ${agents}`, await ours(server, count, agents, "the same"));
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
    ...(rates.has("bullmq") ? [figure("14", `${where}: BullMQ, ${BATCH} jobs at once, 50 in work`, shown("bullmq"))] : []),
    ...AGENTS.flatMap((agents) => [
      figure("14", `${where}: ioredis, the same writes, ${agents} logs`, shown(`same ${agents}`)),
      figure("14", `${where}: delivered, logged, acked; ${agents} agents`, shown(`ours ${agents}`), {
        beside: `${percent(per(`ours ${agents}`) / raw)} of XADD + read, ${percent(per(`ours ${agents}`) / per(`same ${agents}`))} of the same writes, ${round(per(`ours ${agents}`) / per("bullmq"))} x BullMQ`,
        goal: ">= 60 %, >= 4 x",
        met: per(`ours ${agents}`) >= 0.6 * raw && per(`ours ${agents}`) >= 4 * per("bullmq"),
      }),
      figure("14", `${where}: the same from an agent of the same process; ${agents} agents`, shown(`near ${agents}`)),
    ]),
  ];
}

/** @param {number} value */
const thousands = (value) => `${round(value / 1_000)} k`;
/** @param {number} share */
const percent = (share) => `${round(share * 100, 0)} %`;

const figures = [];
for (const fsync of /** @type {const} */ (["off", "always"])) figures.push(...(await compare(fsync, fsync === "off" ? 50_000 : 20_000)));
report(figures);
