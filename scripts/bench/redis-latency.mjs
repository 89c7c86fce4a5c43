// From one process to another over Redis: a message to a reader that waits, beside XADD to a blocked XREAD in the same run,
// in turn. Then what comes after it: the log, and the decision of a whole agent.

import {
  figure,
  instantModel,
  load,
  median,
  noop,
  plan,
  quantile,
  report,
  round,
  temporaryFolder,
  localEnvironment,
} from "./bench.mjs";
import { connectRaw, letter, openBenchLink, openSeats, startServer, takeAgents } from "./redis-kit.mjs";

const { createRedisBus } = await load("src/storage/redis/mail/bus.js");
const { startLegion } = await load("src/legion/legion.js");
const { createRedisBackend } = await load("src/storage/redis/backend.js");

const PAYLOAD = JSON.stringify(letter("a1", 1).message);
const COUNT = 2_000;
const WARM_UP = 200;
const now = () => performance.now();

/** @typedef {(n: number) => Promise<void>} Once one delivery, from sending to having it */

/**
 * What Redis is asked, without our code: a blocked read; and, as ours do, a reader that is told and then reads.
 * @param {{ port: number }} server
 */
async function raw(server) {
  const connections = [connectRaw(server), connectRaw(server), connectRaw(server)];
  const [writer, reader, ear] = /** @type {[any, any, any]} */ (connections);
  let last = "0";
  let position = 0;
  let hear = () => {};
  await ear.subscribe("wake");
  ear.on("message", () => hear());
  return {
    /** @type {Once} */
    ping: async () => void (await writer.ping()),
    /** @type {Once} */
    async blocked() {
      const reading = reader.xread("BLOCK", 0, "STREAMS", "raw", last);
      const sending = writer.xadd("raw", "*", "m", PAYLOAD);
      last = (await reading)[0][1].at(-1)[0];
      await sending;
    },
    /** @type {Once} */
    async told() {
      const heard = new Promise((resolve) => (hear = () => resolve(undefined)));
      const id = `0-${++position}`;
      const sending = writer.pipeline().xadd("told", id, "m", PAYLOAD).publish("wake", id).exec();
      await heard;
      await reader.xrange("told", id, "+");
      await sending;
    },
    end: () => connections.forEach((connection) => connection.disconnect()),
  };
}

/**
 * Delivered to the mailbox of a waiting agent, from another link; then, each time, into its log.
 * @param {import("../../test/storage/redis/servers.ts").Server} server
 * @returns {Promise<{ delivered: Once, logged: Once }>}
 */
async function ours(server) {
  const [link, far] = [await openBenchLink(server.url), await openBenchLink(server.url)];
  const legion = "mail";
  const leases = await takeAgents(link, legion, ["a1"]);
  const bus = createRedisBus({ link, legion, tenureOf: leases.held });
  const sender = createRedisBus({ link: far, legion, tenureOf: () => undefined });
  const [seat] = await openSeats({ link, legion, bus, leases }, ["a1"]);
  if (!seat) throw new Error("no seat");
  const { log, inbox } = seat;
  const never = new AbortController().signal;
  let number = 0;
  /** @type {any} */
  let sending;
  return {
    async delivered() {
      sending = sender.send(letter("a1", ++number));
      await inbox.wait(never);
    },
    async logged() {
      const [{ position, from, message }] = inbox.peek(1);
      await log.append([{ kind: "message", message, mail: position, from }]);
      inbox.taken(position);
      await sending;
    },
  };
}

/** A person's word to a decision in the log, in a whole legion. @param {import("../../test/storage/redis/servers.ts").Server} server */
async function whole(server) {
  const link = await openBenchLink(server.url);
  const legion = await startLegion({
    project: temporaryFolder(),
    plans: [await plan({ id: "1", model: instantModel(() => noop()) })],
    limits: {},
    durability: "process",
    delayMs: 0,
    heartbeatMs: "off",
    environment: await localEnvironment(),
    settings: () => ({}),
    backend: createRedisBackend({ link, legion: "whole", durability: "always" }),
  });
  await legion.untilIdle(new AbortController().signal);
  let arrived = () => {};
  legion.inspector.watch((/** @type {any} */ { kind, event }) => {
    if (kind === "event" && event.kind === "decision") arrived();
  });
  const times = [];
  for (let n = 0; n < COUNT / 4; n++) {
    const started = now();
    const decided = new Promise((resolve) => (arrived = () => resolve(undefined)));
    await Promise.all([legion.control.say(["1"], `message ${n}`), decided]);
    times.push(now() - started);
    await legion.untilIdle(new AbortController().signal);
  }
  await legion.stop();
  await link.close();
  return times.slice(WARM_UP / 4);
}

/** @param {import("./redis-kit.mjs").Fsync} fsync */
async function compare(fsync) {
  const server = await startServer(fsync);
  const { ping, blocked, told, end } = await raw(server);
  const { delivered, logged } = await ours(server);
  /** @type {Record<string, number[]>} */
  const times = { ping: [], blocked: [], told: [], delivered: [], logged: [] };
  for (let n = 0; n < COUNT; n++) {
    for (const [name, once] of Object.entries({ ping, blocked, told, delivered, logged })) {
      const started = now();
      await once(n);
      if (n >= WARM_UP) times[name]?.push(now() - started);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  end();
  times.whole = await whole(server);
  await server.stop();
  const where = `Redis, ${fsync === "off" ? "no persistence" : "appendfsync always"}`;
  const of = (/** @type {string} */ name, /** @type {number} */ share) => quantile(times[name] ?? [], share);
  const shown = (/** @type {string} */ name) =>
    `p50 ${round(of(name, 0.5) * 1_000, 0)} us, p99 ${round(of(name, 0.99) * 1_000, 0)} us`;
  const ratio = median(times.delivered ?? []) / median(times.blocked ?? []);
  return [
    figure("15", `${where}: PING`, shown("ping")),
    figure("15", `${where}: XADD -> XREAD BLOCK`, shown("blocked")),
    figure("15", `${where}: XADD, PUBLISH -> XRANGE`, shown("told")),
    figure("15", `${where}: sent -> in the mailbox of another process`, shown("delivered"), {
      beside: `${round(ratio, 2)} times the blocked read, ${round(of("delivered", 0.5) / of("told", 0.5), 2)} times XADD, PUBLISH -> XRANGE`,
      goal: "p50 <= 1.5 times",
      met: ratio <= 1.5,
    }),
    figure("15", `${where}: from there into the log`, shown("logged")),
    figure("15", `${where}: a person's word -> decision in the log`, shown("whole")),
  ];
}

const figures = [];
for (const fsync of /** @type {const} */ (["off", "always"])) figures.push(...(await compare(fsync)));
report(figures);
