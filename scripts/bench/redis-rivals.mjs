// What a legion in Redis is measured against: the server itself, ioredis without any rules, and BullMQ.

import { spawnSync } from "node:child_process";
import { findRedis } from "../redis.mjs";
import { connectRaw, findBullmq, letter } from "./redis-kit.mjs";

/** What goes into one pipeline. */
export const BATCH = 500;
/** As long as a message of ours. */
export const PAYLOAD = JSON.stringify(letter("a1", 1).message);
const now = () => performance.now();

/** Per second, since `startedMs` on the clock of `performance.now`. @param {number} count @param {number} startedMs */
export const rate = (count, startedMs) => (count * 1_000) / (now() - startedMs);

/** @param {{ port: number }} server @param {readonly string[]} args */
export function benchmark({ port }, args) {
  const { stdout } = spawnSync(findRedis()?.benchmark ?? "", ["-p", String(port), "--csv", ...args], {
    encoding: "utf8",
  });
  return Number(/^"[^"]*","([\d.]+)"/m.exec(stdout.split("\n").slice(1).join("\n"))?.[1] ?? 0);
}

/** XADD in pipelines beside a group's reader that waits and acknowledges. @param {{ port: number }} server @param {number} count */
export async function rawGroup(server, count) {
  const [writer, reader] = [connectRaw(server), connectRaw(server)];
  await writer.del("raw");
  await writer.xgroup("CREATE", "raw", "group", "$", "MKSTREAM");
  const started = now();
  const reading = (async () => {
    for (let read = 0; read < count;) {
      /** @type {any} */
      const reply = await reader.xreadgroup(
        "GROUP",
        "group",
        "me",
        "COUNT",
        BATCH,
        "BLOCK",
        1_000,
        "STREAMS",
        "raw",
        ">",
      );
      const entries = reply?.[0]?.[1] ?? [];
      if (entries.length > 0)
        await reader.xack("raw", "group", ...entries.map((/** @type {any} */ [id]) => id));
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
export async function rawSame(server, count, agents) {
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
export async function bullmq(server, count, concurrency) {
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
    await queue.addBulk(
      Array.from({ length: BATCH }, () => ({ name: "m", data: message, opts: { removeOnComplete: true } })),
    );
  await finished;
  const result = rate(count, started);
  await worker.close();
  await queue.obliterate({ force: true });
  await queue.close();
  return result;
}
