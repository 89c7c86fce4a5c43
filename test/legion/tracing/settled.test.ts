import { expect, it } from "vitest";
import { createDisk } from "../../../src/base/files/disk.ts";
import { settledReader } from "../../../src/legion/tracing/settled.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { watchDisk } from "../../storage/files/watched-disk.ts";
import { byHand, openWorld, temporaryFolder } from "../../world.ts";

const noop = { calls: [{ action: "noop" }] };

it("gives no event before it is on the disk, and none that its flush lost (L4)", async () => {
  const project = await temporaryFolder();
  const held: { flush?: ReturnType<typeof byHand> } = {};
  let isBroken = false;
  const disk = watchDisk(createDisk(`${project}/.ai-legion/tmp`), async ({ op, path }) => {
    if (op !== "sync" || !path.includes("/agents/1/log/")) return;
    await held.flush?.promise;
    if (isBroken) throw new Error("EIO");
  });
  const world = await openWorld(project, { 1: { script: [noop] } }, { disk, durability: "disk" });
  const { memory } = world.agent("1");
  const plain = createFileReader(project);
  const reader = settledReader(plain, world.legion.agents);
  await memory.commit({ kind: "notice", reason: "said", content: "flushed" });
  const { safe } = memory;
  held.flush = byHand();
  await memory.keep({ kind: "notice", reason: "said", content: "not yet" });
  const { last } = memory.ledger;
  expect(await plain.last("1")).toBe(last);
  const read = async (): Promise<readonly number[]> => {
    const seqs: number[] = [];
    for await (const { seq } of reader.events("1", safe)) seqs.push(seq);
    return seqs;
  };
  let given: readonly number[] | undefined;
  const reading = read().then((seqs) => (given = seqs));
  await memory.noteBetween({ kind: "sent", upTo: 0 });
  expect(given).toBeUndefined();
  held.flush.resolve(undefined);
  await reading;
  expect(given).toEqual([safe, last, last + 1]);
  isBroken = true;
  await memory.keep({ kind: "notice", reason: "said", content: "lost" });
  expect(await read()).toEqual([safe, last, last + 1]);
  expect(await reader.last("1")).toBe(last + 1);
  isBroken = false;
});
