// Local delivery: one message to one of n mailboxes, over mailbox files.

import { join } from "node:path";
import { figure, load, median, report, round, temporaryFolder } from "./bench.mjs";

const { createDisk } = await load("src/base/files/disk.js");
const { createFileBus } = await load("src/storage/files/bus.js");

/** @param {number} agents @param {number} messages */
async function run(agents, messages) {
  const folder = temporaryFolder();
  const bus = createFileBus({
    disk: createDisk(join(folder, "tmp")),
    lock: { epoch: 1, held: () => true, release: () => Promise.resolve() },
    durability: "process",
    clock: { now: Date.now },
    corruptFolder: join(folder, "corrupt"),
    folder: (/** @type {string} */ agent) => join(folder, agent),
    watermarks: () => Promise.resolve({ taken: 0, seen: new Map() }),
  });
  const inboxes = [];
  for (let id = 0; id < agents; id++) inboxes.push(await bus.open(`a${id}`));
  const target = `a${agents >> 1}`;
  const inbox = inboxes[agents >> 1];
  let position = 0;
  const message = (/** @type {number} */ n) => ({
    id: `x>${target}#${n}`,
    type: "agentToAgent",
    source: { type: "agent", id: "x" },
    targetAgentIds: [target],
    content: "x".repeat(100),
    sentAt: "",
    delivery: "normal",
    root: "",
    hops: 1,
  });
  const started = performance.now();
  for (let n = 1; n <= messages; n++) {
    await bus.send({ from: "log", message: message(n) });
    if (n % 50 !== 0) continue;
    position = inbox.peek(1_000_000).at(-1).position;
    inbox.taken(position);
  }
  const each = ((performance.now() - started) * 1_000) / messages;
  await bus.close();
  return each;
}

await run(1, 20_000);
const one = [];
const many = [];
for (let n = 0; n < 5; n++) {
  one.push(await run(1, 20_000));
  many.push(await run(10_000, 20_000));
}
const ratio = median(many) / median(one);
report([
  figure("12", "deliver into a mailbox file, 1 agent", `${round(median(one), 2)} us`, {
    goal: "<= 0.5 us (set for mail in memory only)",
    met: median(one) <= 0.5,
  }),
  figure("12", "the same, 10,000 agents", `${round(median(many), 2)} us`, {
    beside: `${round(ratio, 2)} times`,
    goal: "<= 2 times",
    met: ratio <= 2,
  }),
]);
