// The log of an agent that works: what digests, moments and whatever else reads logs are measured on.

import { join } from "node:path";
import { load } from "./bench.mjs";

const BATCH = 1_000;

const { createDisk } = await load("src/base/files/disk.js");
const { openFileLog } = await load("src/storage/files/log.js");
const { authorshipOf } = await load("src/storage/folder/person/authorship.js");
const { openPersonFolder } = await load("src/storage/folder/person/folder.js");

const usage = { input: 1_200, output: 60, cacheRead: 900, cost: 0.004 };

/** What an agent that works has of one step; every 50th is for a new message of the person. @param {number} index */
export function workedStep(index) {
  const id = `0>1#${index / 50 + 1}`;
  const message = {
    ...{
      id,
      type: "agentToAgent",
      source: { type: "agent", id: "0" },
      targetAgentIds: ["1"],
      root: id,
      hops: 0,
    },
    ...{ content: `Task ${index}: see to the parts.`, sentAt: new Date().toISOString(), delivery: "normal" },
  };
  const mail = { kind: "message", message, mail: index / 50 + 1, from: "log of 0" };
  const call = {
    id: `call-${index}`,
    action: "writeFile",
    parameters: { path: `src/part-${index % 97}.ts`, content: "x" },
  };
  const text = `Part ${index % 97} is next; I look at how it ends before I change anything.`;
  const details = {
    created: false,
    diff: `--- part\n+++ part\n@@ -1 +1 @@\n${"-export const value = 1;\n".repeat(4)}`,
  };
  return [
    ...(index % 50 === 0 ? [mail] : []),
    {
      kind: "prompted",
      model: "bench",
      prompt: "f".repeat(64),
      introduction: "0".repeat(64),
      reserved: usage,
    },
    {
      kind: "decision",
      text,
      calls: [call],
      protocol: "tools",
      model: "bench",
      usage,
      cost: usage.cost,
      stop: "calls",
    },
    { kind: "result", call: call.id, outcome: "ok", content: `Wrote to ${call.parameters.path}.`, details },
  ];
}

/**
 * Writes so many events, and a few more, half a second apart.
 * @param {string} root the home of a legion @param {string} agent @param {number} events
 */
export async function writeWorkedLog(root, agent, events) {
  let now = Date.parse("2026-01-01T00:00:00.000Z");
  const { log } = await openFileLog(
    {
      ...{
        folder: join(root, "agents", agent),
        disk: createDisk(join(root, "tmp")),
        corruptFolder: join(root, "corrupt"),
        durability: "process",
      },
      ...{ lock: { epoch: 1, held: () => true }, clock: { now: () => (now += 500) } },
      authorship: await authorshipOf(openPersonFolder(process.env)),
    },
    () => undefined,
  );
  for (let index = 0; log.last < events;) {
    const some = [];
    while (some.length < Math.min(BATCH, events - log.last)) some.push(...workedStep(index++));
    await log.append(some);
  }
  await log.close();
}
