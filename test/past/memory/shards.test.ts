import { describe, expect, it } from "vitest";
import { builtOn, contentsOf } from "../../../src/past/memory/shards.ts";
import { createProcessMemories } from "../../../src/storage/memory/memories.ts";
import { context, entry, ID } from "../../storage/contract/memory/memory-letters.ts";

const shard = (seq: number, upTo: number, base?: number, by = "scribe") => ({
  ...{ seq, by, upTo },
  ...(base !== undefined && { base }),
});

describe("which shards hold something of what is forgotten", () => {
  // Entries 2 to 4, shard 5, entries 6 and 7, shard 8 from it, entry 9, shard 10 from that.
  const chain = [shard(5, 4), shard(8, 7, 5), shard(10, 9, 8)];

  it("takes that which was made of an entry, and all that were made from that one", () => {
    expect(builtOn([3], chain)).toEqual([5, 8, 10]);
    expect(builtOn([6], chain)).toEqual([8, 10]);
    expect(builtOn([9], chain)).toEqual([10]);
  });

  it("leaves those that were made before it", () => {
    expect(builtOn([11], chain)).toEqual([]);
    expect(builtOn([], chain)).toEqual([]);
  });

  it("takes a shard without a base for one of all entries up to its last", () => {
    expect(builtOn([2], [...chain, shard(12, 11)])).toEqual([5, 8, 10, 12]);
    expect(builtOn([9], [shard(5, 4), shard(12, 11)])).toEqual([12]);
  });

  it("takes what has a base that nobody knows for one without", () => {
    expect(builtOn([2], [shard(8, 7, 5)])).toEqual([8]);
    expect(builtOn([2], [shard(8, 7, 8)])).toEqual([8]);
    expect(builtOn([2], [shard(8, 7, 10), shard(10, 9, 9)])).toEqual([8, 10]);
  });

  it("takes those that were made from a forgotten shard, which is not named again", () => {
    expect(builtOn([8], chain)).toEqual([10]);
    // What a person made of the document names no base.
    expect(builtOn([8], [...chain, shard(12, 11)])).toEqual([10, 12]);
  });

  it("takes what a person made of a shard for one of all that they could read until then", () => {
    const chains = [...chain, shard(13, 9, 10, "0"), shard(15, 14, 13)];
    expect(builtOn([12], chains)).toEqual([13, 15]);
    expect(builtOn([14], chains)).toEqual([15]);
    expect(builtOn([12], [...chain, shard(13, 9, 10)])).toEqual([]);
  });

  it("takes a shard that says less than its base for what that one holds", () => {
    expect(builtOn([7], [shard(8, 7), shard(9, 3, 8)])).toEqual([8, 9]);
    expect(builtOn([3], [shard(8, 7), shard(9, 3, 8)])).toEqual([8, 9]);
  });
});

it("tells all that is in a memory and not forgotten, and whose shards count", async () => {
  const memories = createProcessMemories();
  await memories.receive(ID, entry(1, { content: "one" }));
  await memories.receive(ID, context(1, { from: "scribe", content: "# One", upTo: 2 }));
  await memories.receive(ID, context(1, { from: "other", content: "# Lies", upTo: 2 }));
  await memories.receive(ID, entry(2, { content: "two" }));
  await memories.receive(ID, context(2, { from: "scribe", content: "# Two", upTo: 6, base: 4 }));
  await memories.change(ID, () =>
    Promise.resolve([{ kind: "forgotten", seqs: [6, 7], entries: 1, by: "0" }]),
  );
  const { entries, shards } = await contentsOf(memories.read(ID));
  expect(entries).toMatchObject([{ seq: 2, raw: "one" }]);
  expect(shards).toMatchObject([
    { seq: 4, by: "scribe", content: "# One", upTo: 2, state: "counts" },
    { seq: 5, by: "other", content: "# Lies", state: "stray" },
  ]);
});
