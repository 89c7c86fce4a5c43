import { chmodSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { previewUndo } from "../../../src/legion/undo/undo.ts";
import { temporaryFolder } from "../../world.ts";
import { createYard, edit, move, put, remove, REST, SECRET, siteOf, treeOf, write } from "./yard.ts";

const paths = (changes: readonly { readonly path: string }[]): readonly string[] =>
  changes.map(({ path }) => path);

describe("an undo of a message", () => {
  it("puts the files back as they were, whatever was done to them, and can be taken back itself (U0)", async () => {
    const files = { "a.txt": "a\n", "b/c.txt": "c\n", "d.txt": "d\n", "run.sh": "old\n" };
    const world = await createYard(files, {
      1: [
        { calls: [edit("a.txt", "a", "A"), edit("a.txt", "A", "AA"), write("new/deep/x.txt", "x")] },
        { calls: [remove("b/c.txt"), remove("b"), move("d.txt", "e/f.txt"), write("run.sh", "new\n")] },
        REST,
      ],
    });
    chmodSync(join(world.project, "run.sh"), 0o755);
    const before = treeOf(world.project);
    const [id] = await world.say("1", "Go.");
    await world.idle();
    const after = treeOf(world.project);
    expect(Object.keys(after)).toEqual([
      "a.txt",
      "e/",
      "e/f.txt",
      "new/",
      "new/deep/",
      "new/deep/x.txt",
      "run.sh",
    ]);

    const planned = await previewUndo(id!, siteOf(world.project));
    expect(treeOf(world.project)).toEqual(after);
    const report = await world.legion.undo(id!);
    expect(report).toEqual({ ...planned, event: report.event });
    expect([report.left, report.shared, report.beyond]).toEqual([[], [], []]);
    expect(treeOf(world.project)).toEqual(before);
    expect(statSync(join(world.project, "run.sh")).mode & 0o777).toBe(0o755);
    expect(await previewUndo(id!, siteOf(world.project))).toMatchObject({ done: [], left: [], already: 10 });

    await world.legion.undo(`0.${report.event}`);
    expect(treeOf(world.project)).toEqual(after);
  });

  it("tells the agents of it, and says in the log of Control what is taken back, with what stood there before and after", async () => {
    const world = await createYard({ x: "old" }, { 1: [{ calls: [write("x", "new")] }, REST, REST] });
    const [id] = await world.say("1", "Go.");
    await world.idle();
    const { event } = await world.legion.undo(id!);
    await world.idle();
    const [plan, end] = (await world.kinds("0", "notice")).slice(-2);
    expect(plan).toMatchObject({ seq: event, reason: "undo", details: { what: id, steps: [{ path: "x" }] } });
    expect(end).toMatchObject({ reason: "undone", details: { left: [] } });
    const told = (await world.kinds("1", "message")).at(-1)!.message;
    expect(told).toMatchObject({ type: "spontaneous", source: { type: "user" } });
    expect(told.content).toBe(
      `The person had 1 change taken back that was made for ${id}: \`x\`. Look at them again before you go on.`,
    );
  });

  it("leaves what somebody changed since, and lists both sides (U0)", async () => {
    const world = await createYard(
      { x: "old", y: "old", z: "old" },
      { 1: [{ calls: [write("x", "new"), write("y", "new"), remove("z"), write("dir/w", "new")] }, REST] },
    );
    const [id] = await world.say("1", "Go.");
    await world.idle();
    put(world.project, "y", "a person's");
    put(world.project, "z", "a person's");
    put(world.project, "dir/own", "a person's");
    const { done, left } = await world.legion.undo(id!);
    expect(paths(done)).toEqual(["dir/w", "x"]);
    expect(left.map(({ path, why }) => [path, why])).toEqual([
      ["z", "it was changed since"],
      ["y", "it was changed since"],
      ["dir", "the folder is not empty"],
    ]);
    expect(left[1]).toMatchObject({
      event: expect.stringMatching(/^1\.\d+$/) as string,
      before: expect.stringMatching(
        /^3 bytes, [0-9a-f]{8}; \.ai-legion\/agents\/1\/undo\/[0-9a-f]{64}\.3$/,
      ) as string,
      after: expect.stringMatching(/^3 bytes, /) as string,
      now: expect.stringMatching(/^10 bytes, /) as string,
    });
    expect(treeOf(world.project)).toEqual({
      "dir/": "",
      "dir/own": "a person's",
      x: "old",
      y: "a person's",
      z: "a person's",
    });
  });

  it("takes back the changes of all agents that worked for it, and of no other message", async () => {
    const world = await createYard(
      { x: "0" },
      {
        1: [
          {
            calls: [
              write("x", "01"),
              { action: "sendMessage", parameters: { targetAgentId: "2", message: "Go on." } },
            ],
          },
          REST,
          { calls: [write("z", "z")] },
          REST,
        ],
        2: [{ calls: [edit("x", "01", "012"), write("y", "y")] }, REST],
      },
    );
    const [first] = await world.say("1", "Go.");
    await world.idle();
    await world.say("1", "And now z.");
    await world.idle();
    const { done, beyond } = await world.legion.undo(first!);
    expect(paths(done)).toEqual(["y", "x"]);
    expect(beyond).toEqual([{ what: "mail", events: [expect.stringMatching(/^1\./) as string] }]);
    expect(treeOf(world.project)).toEqual({ x: "0", z: "z" });
  });

  it("that is not the first one of its work takes back what followed from it alone", async () => {
    const world = await createYard(
      { x: "0" },
      {
        1: [
          {
            calls: [
              write("x", "1"),
              { action: "sendMessage", parameters: { targetAgentId: "2", message: "Go on." } },
            ],
          },
          REST,
        ],
        2: [{ calls: [write("y", "y")] }, REST],
      },
    );
    await world.say("1", "Go.");
    await world.idle();
    await world.legion.undo("1>2#1");
    expect(treeOf(world.project)).toEqual({ x: "1" });
  });

  it("lists what was done after two messages, each of which may have been meant, and takes it back by its event", async () => {
    const world = await createYard({ x: "old" }, { 1: [{ calls: [write("x", "new")] }, REST, REST] });
    // One commit takes in both.
    await world.legion.agents.get("1")!.pause("for a moment");
    const [first] = await world.say("1", "One.");
    const [second] = await world.say("1", "Two.");
    await world.legion.agents.get("1")!.resume();
    await world.idle();
    const { done, shared } = await world.legion.undo(second!);
    expect([done, shared]).toEqual([
      [],
      [{ event: expect.any(String) as string, action: "writeFile", path: "x" }],
    ]);
    expect(await previewUndo(first!, siteOf(world.project))).toMatchObject({ done: [], shared: [] });
    await world.legion.undo(shared[0]!.event);
    expect(treeOf(world.project)).toEqual({ x: "old" });
  });

  it("names what it cannot take back: mail, goals, notes, commands, secrets, folders that were moved", async () => {
    const world = await createYard(
      { "key.txt": SECRET, "old/x": "x" },
      {
        1: [
          {
            calls: [
              write("key.txt", "new"),
              move("old", "moved"),
              { action: "addGoal", parameters: { goal: "rest" } },
              { action: "writeNote", parameters: { title: "a", content: "b" } },
              { action: "sendMessage", parameters: { targetAgentId: "0", message: "Done." } },
            ],
          },
          REST,
        ],
      },
    );
    const [id] = await world.say("1", "Go.");
    await world.idle();
    const { done, left, beyond } = await world.legion.undo(id!);
    expect(done).toEqual([]);
    expect(left.map(({ path, why }) => [path, why])).toEqual([
      [
        "moved",
        "nobody can tell whether it is as it was left: it is a folder that was moved, with all that is in it",
      ],
      ["old", "what stood there is not kept: it is a folder that was moved, with all that is in it"],
      ["key.txt", "what stood there is not kept: it holds a secret"],
    ]);
    expect(beyond.map(({ what }) => what)).toEqual(["goals", "notes", "mail"]);
  });

  it("leaves a file whose bytes cannot be kept: what it would replace would be lost (U0)", async () => {
    const world = await createYard(
      { "key.txt": SECRET },
      { 1: [{ calls: [move("key.txt", "moved.txt")] }, REST] },
    );
    const [id] = await world.say("1", "Go.");
    await world.idle();
    const { done, left } = await world.legion.undo(id!);
    expect([done, left.map(({ path, why }) => [path, why])]).toEqual([
      [],
      [
        ["key.txt", "what stood there is not kept: it holds a secret"],
        ["moved.txt", "it cannot be kept: it holds a secret"],
      ],
    ]);
    expect(treeOf(world.project)).toEqual({ "moved.txt": SECRET });
  });

  it("follows no link that took the place of a file or a folder since, and touches nothing outside (U0)", async () => {
    const outside = await temporaryFolder();
    put(outside, "y", "new");
    const world = await createYard(
      { x: "old", "dir/y": "old" },
      { 1: [{ calls: [write("x", "new"), write("dir/y", "new")] }, REST] },
    );
    const [id] = await world.say("1", "Go.");
    await world.idle();
    renameSync(join(world.project, "x"), join(outside, "x"));
    symlinkSync(join(outside, "x"), join(world.project, "x"));
    rmSync(join(world.project, "dir"), { recursive: true });
    symlinkSync(outside, join(world.project, "dir"));
    const { done, left } = await world.legion.undo(id!);
    expect([done, paths(left)]).toEqual([[], ["dir/y", "x"]]);
    expect(treeOf(outside)).toEqual({ x: "new", y: "new" });
  });

  it("is refused in one line where nothing has that name", async () => {
    const world = await createYard({}, { 1: [REST] });
    await world.say("1", "Go.");
    await world.idle();
    const said = (await world.kinds("0", "notice")).map(({ seq }) => `0.${seq}`);
    expect(said).toHaveLength(1);
    for (const what of ["nonsense", "0>1#9", "1.999", "7.1", "0.1", "0.999", ...said])
      await expect(world.legion.undo(what)).rejects.toMatchObject({ code: "USAGE" });
  });
});
