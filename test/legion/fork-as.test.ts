import { access, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createDisk } from "../../src/base/files/disk.ts";
import type { ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import { legionPaths } from "../../src/storage/folder/paths.ts";
import { promptAt } from "../../src/legion/replay/past-prompt.ts";
import { createFileReader } from "../../src/storage/files/reader/reader.ts";
import { watchDisk, type DiskCall } from "../storage/files/watched-disk.ts";
import { NOOP, textOf } from "../workshop.ts";
import { createWorld, openWorld, type World, type WorldAgent, type WorldOptions } from "../world.ts";

const calls = (...actions: readonly [string, object][]): ScriptedAnswer => ({
  calls: actions.map(([action, parameters]) => ({ action, parameters: { ...parameters } })),
});
const write = (to: string, text: string): ScriptedAnswer =>
  calls(["sendMessage", { targetAgentId: to, message: text }]);
const goal = (text: string): ScriptedAnswer => calls(["addGoal", { goal: text }]);
const LONG = "long ".repeat(20_000);

const FIRST: Readonly<Record<string, WorldAgent>> = {
  1: {
    script: [
      goal("one"),
      write("2", "a"),
      calls(["writeNote", { title: "long", content: LONG }]),
      write("2", "b"),
      NOOP,
      NOOP,
      NOOP,
    ],
  },
  2: { script: () => NOOP },
};

/** Agent 1 wrote twice to agent 2; a copy goes on from its long note. */
async function forked(options: WorldOptions = {}): Promise<{ readonly world: World; readonly at: number }> {
  const world = await createWorld(FIRST, options);
  await world.say("1", "Go.");
  await world.idle();
  return { world, at: (await world.kinds("1", "result"))[2]!.seq };
}

async function copy(world: World, at: number, as = "1b"): Promise<void> {
  await (
    await world.legion.fork({ agent: "1", at, as })
  ).done;
}

const contentsOf = async (world: World, agent: string): Promise<readonly string[]> =>
  (await world.kinds(agent, "message")).map(({ message }) => message.content);

describe("a new agent with the past of another", () => {
  it("has its goals, notes and events of that moment, under the same numbers", async () => {
    const { world, at } = await forked();
    const before = await world.events("1");
    await copy(world, at);
    const folder = join(world.project, ".ai-legion/agents/1b");
    expect(JSON.parse(await readFile(join(folder, "goals.json"), "utf8"))).toMatchObject({
      goals: [{ text: "one" }],
    });
    expect(await readFile(join(folder, "notes/long.txt"), "utf8")).toBe(LONG);
    const record: unknown = JSON.parse(await readFile(join(folder, "agent.json"), "utf8"));
    expect(record).toMatchObject({ id: "1b", name: "1b", model: "scripted" });
    const after = await world.events("1b");
    expect(after.slice(0, at)).toEqual(before.filter(({ seq }) => seq <= at));
    expect(after.slice(at)).toMatchObject([{ kind: "opened" }, { kind: "branch", to: at, origin: "1" }]);
    expect(await world.events("1")).toEqual(before);
  });

  it("sends nothing of that past, pays nothing of it, and takes no mail of the other", async () => {
    const { world, at } = await forked();
    await copy(world, at);
    await world.stop();
    const again = await world.restart({ ...FIRST, 1: { script: () => NOOP }, "1b": { script: () => NOOP } });
    await again.idle();
    expect(await contentsOf(again, "2")).toEqual(["a", "b"]);
    const { ledger } = again.agent("1b").memory;
    expect([ledger.undelivered, [...ledger.numbers], [...ledger.seen], ledger.taken]).toEqual([
      [],
      [],
      [],
      0,
    ]);
    // It goes on: its own first call is the only one that counts.
    expect(ledger.spent).toMatchObject({ steps: 1 });
    await again.say("1", "for 1");
    await again.say("1b", "for 1b");
    await again.idle();
    expect(await contentsOf(again, "1b")).toEqual(["Go.", "for 1b"]);
    expect(await contentsOf(again, "1")).toEqual(["Go.", "for 1"]);
  });

  it("writes to whom the other wrote, and both arrive", async () => {
    const { world, at } = await forked();
    await copy(world, at);
    await world.stop();
    const again = await world.restart({
      1: { script: [write("2", "of 1"), NOOP] },
      2: FIRST[2]!,
      "1b": { script: [write("2", "of 1b"), write("2", "more of 1b"), NOOP] },
    });
    await again.say("1", "Write.");
    await again.idle();
    expect((await again.kinds("2", "message")).map(({ message }) => message.id).toSorted()).toEqual([
      "1>2#1",
      "1>2#2",
      "1>2#3",
      "1b>2#1",
      "1b>2#2",
    ]);
    const ids = (await again.kinds("1b", "decision")).flatMap((event) => event.calls.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("is shown what the other would be shown, and its past prompts can be looked at", async () => {
    const { world, at } = await forked();
    const prompted = (await world.kinds("1", "decision"))[1]!.seq;
    await copy(world, at);
    await world.stop();
    let shown = "";
    const script: WorldAgent["script"] = (request) => {
      shown = textOf(request);
      return NOOP;
    };
    const again = await world.restart({ "1b": { script } });
    await again.idle();
    const reader = createFileReader(again.project);
    const next = (await world.kinds("1", "decision"))[3]!.seq;
    expect(shown).toBe(textOf(await promptAt(reader, "1", next)));
    expect(await promptAt(reader, "1b", prompted)).toEqual(await promptAt(reader, "1", prompted));
  });

  it("can be written to at once, and be forked itself", async () => {
    const { world, at } = await forked();
    await copy(world, at);
    await world.say("1b", "early");
    expect(await world.legion.unread("1b")).toBe(1);
    await (
      await world.legion.fork({ agent: "1b", at, as: "1c" })
    ).done;
    await world.stop();
    const again = await world.restart({ "1b": { script: () => NOOP }, "1c": { script: () => NOOP } });
    await again.idle();
    expect(await contentsOf(again, "1b")).toEqual(["Go.", "early"]);
    expect(await contentsOf(again, "1c")).toEqual(["Go."]);
  });

  it("needs an id that is free and can be one", async () => {
    const { world, at } = await forked();
    for (const as of ["2", "1", "0", "all", "../x", "B", "", "con"])
      await expect(copy(world, at, as)).rejects.toMatchObject({ code: "USAGE" });
    await writeFile(join(world.project, ".ai-legion/agents/odd"), "");
    await expect(copy(world, at, "odd")).rejects.toThrow("already");
    expect(await readdir(join(world.project, ".ai-legion/agents"))).toEqual(["0", "1", "2", "odd"]);
  });

  it("is wholly there or not at all, whichever call to the disk is the last", async () => {
    const { world, at } = await forked();
    await world.stop();
    const paths = legionPaths(world.project);
    for (let allowed = 0; ; allowed++) {
      let made = 0;
      let isForking = false;
      const disk = watchDisk(createDisk(paths.tmp), ({ op }: DiskCall) => {
        if (isForking && op !== "list" && ++made > allowed) throw new Error("EIO");
      });
      const node = await openWorld(world.project, {}, { disk });
      isForking = true;
      const failed = await copy(node, at).then(
        () => false,
        () => true,
      );
      isForking = false;
      await node.stop();
      const isThere = await access(paths.agent("1b")).then(
        () => true,
        () => false,
      );
      if (isThere) expect((await node.events("1b")).at(-1)).toMatchObject({ kind: "branch", origin: "1" });
      if (isThere) expect(await readFile(join(paths.agent("1b"), "notes/long.txt"), "utf8")).toBe(LONG);
      if (!failed) return expect(allowed).toBeGreaterThan(5);
      if (isThere) return;
    }
  });
});
