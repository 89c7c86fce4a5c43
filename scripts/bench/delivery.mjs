// Local delivery: one message to one of n mailboxes, in memory and over mailbox files, until its reader sees it.

import { join } from "node:path";
import { figure, load, median, report, round, temporaryFolder } from "./bench.mjs";

const { createDisk } = await load("src/base/files/disk.js");
const { createFileBus } = await load("src/storage/files/bus.js");
const { createMemoryBus } = await load("src/storage/memory/bus.js");
const { createMemoryPlace } = await load("src/storage/memory/place.js");

const watermarks = () => Promise.resolve({ taken: 0, seen: new Map() });

function openFiles() {
  const folder = temporaryFolder();
  return createFileBus({
    disk: createDisk(join(folder, "tmp")),
    lock: { epoch: 1, held: () => true, release: () => Promise.resolve() },
    durability: "process",
    clock: { now: Date.now },
    corruptFolder: join(folder, "corrupt"),
    folder: (/** @type {string} */ agent) => join(folder, agent),
    watermarks,
  });
}

/** Every mailbox in turn. */
const memory = { open: () => createMemoryBus(createMemoryPlace(), { watermarks }), isInTurn: true };
/** One of them: no more than some files are open at once. */
const files = { open: openFiles, isInTurn: false };

/** As an agent's is. @param {string} to @param {number} n */
function message(to, n) {
  const id = `x>${to}#${n}`;
  return {
    id,
    type: "agentToAgent",
    source: { type: "agent", id: "x" },
    targetAgentIds: [to],
    content: "x".repeat(100),
    sentAt: "2026-11-23T00:00:00.000Z",
    delivery: "normal",
    cause: "0>x#1",
    root: "0>x#1",
    hops: 1,
    authority: ["x"],
  };
}

/**
 * The microseconds from `send` to the turn in which the reader sees the message, which it then takes, one after the other.
 * @param {{ open: () => any, isInTurn: boolean }} kind @param {number} agents @param {number} messages
 */
async function run({ open, isInTurn }, agents, messages) {
  const bus = open();
  /** @type {any[]} */
  const inboxes = [];
  for (let id = 0; id < agents; id++) inboxes.push(await bus.open(`a${id}`));
  const placeOf = (/** @type {number} */ at) => (isInTurn ? at % agents : agents >> 1);
  const deliveries = Array.from({ length: messages }, (_, at) => ({
    from: "log",
    message: message(`a${placeOf(at)}`, isInTurn ? Math.floor(at / agents) + 1 : at + 1),
  }));
  globalThis.gc?.();
  const started = performance.now();
  for (let at = 0; at < messages; at++) {
    await bus.send(deliveries[at]);
    const inbox = inboxes[placeOf(at)];
    const [mail] = inbox.peek(25_000);
    inbox.taken(mail.position);
  }
  const each = ((performance.now() - started) * 1_000) / messages;
  await bus.close();
  return each;
}

/** By turns. @param {typeof memory} kind @param {number} messages */
async function oneAndMany(kind, messages) {
  /** @type {{ one: number[], many: number[] }} */
  const times = { one: [], many: [] };
  await run(kind, 1, messages);
  for (let turn = 0; turn < 5; turn++) {
    times.one.push(await run(kind, 1, messages));
    times.many.push(await run(kind, 10_000, messages));
  }
  return { one: median(times.one), many: median(times.many) };
}

const inMemory = await oneAndMany(memory, 100_000);
const overFiles = await oneAndMany(files, 20_000);
report([
  figure("12", "from accept to peek, in memory, 1 agent", `${round(inMemory.one, 2)} us`, {
    goal: "<= 1 us",
    met: inMemory.one <= 1,
  }),
  figure("12", "from accept to peek, in memory, 10,000 agents", `${round(inMemory.many, 2)} us`, {
    beside: `${round(inMemory.many / inMemory.one, 2)} times`,
  }),
  figure("12", "over a mailbox file, 1 agent", `${round(overFiles.one, 2)} us`),
  figure("12", "over a mailbox file, 10,000 agents", `${round(overFiles.many, 2)} us`, {
    beside: `${round(overFiles.many / overFiles.one, 2)} times`,
  }),
]);
