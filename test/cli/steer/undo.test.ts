import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createYard, edit, put, REST, treeOf, write } from "../../legion/undo/yard.ts";
import { serve } from "../../control/serve.ts";
import { legion } from "../legion.ts";

const ESCAPE = "evil\u202ename";

/** A project in which agent 1 changed `x`, `y` and a file of a strange name for message `0>1#1`; then a person changed `y`. */
async function changed() {
  const world = await createYard(
    { x: "old", y: "old" },
    { 1: [{ calls: [edit("x", "old", "new"), write("y", "new"), write(ESCAPE, "new")] }, REST, REST, REST] },
  );
  await world.say("1", "Go.");
  await world.idle();
  put(world.project, "y", "mine");
  return { world, cwd: world.project };
}

const HASHES = /[0-9a-f]{8,64}/g;

describe("legion undo", () => {
  it("shows what it would take back and what stays, with both sides, and does nothing", async () => {
    const { world, cwd } = await changed();
    await world.stop();
    const before = treeOf(cwd);
    const { exitCode, out, err } = await legion(["undo", "0>1#1", "--dry-run"], { cwd });
    expect([exitCode, err]).toEqual([0, ""]);
    expect(out.replaceAll(HASHES, "#")).toBe(
      [
        "Would take back 2 changes:",
        "  evilname: 3 bytes, # -> nothing",
        "  x: 3 bytes, # -> 3 bytes, #",
        "Stays as it is:",
        "  y (1.6): it was changed since",
        "    before: 3 bytes, #; .ai-legion/agents/1/undo/#.3",
        "    as it was left: 3 bytes, #",
        "    now: 4 bytes, #",
        "",
      ].join("\n"),
    );
    expect(treeOf(cwd)).toEqual(before);
    const kept = /before: .*; (\S+)/.exec(out)![1]!;
    expect(readFileSync(join(cwd, kept), "utf8")).toBe("old");
  });

  it.each(["a node that runs", "nobody there"])(
    "takes it back with %s, and then takes that back",
    async (who) => {
      const { world, cwd } = await changed();
      const after = treeOf(cwd);
      if (who === "nobody there") await world.stop();
      else await serve(world);
      const first = await legion(["undo", "0>1#1", "--json"], { cwd });
      expect([first.exitCode, first.err]).toEqual([0, ""]);
      expect(treeOf(cwd)).toEqual({ x: "old", y: "mine" });
      const { event } = JSON.parse(first.out) as { event: number };
      const second = await legion(["undo", `0.${event}`], { cwd });
      expect(second.out).toMatch(/^Took back 2 changes; `legion undo 0\.\d+` brings them back:\n/);
      expect(treeOf(cwd)).toEqual(after);
    },
  );

  it.each(["a node that runs", "nobody there"])(
    "leaves with %s what decides which code the next start runs, as agents do",
    async (who) => {
      const path = "tools/extra.mjs";
      let isModule = false;
      const world = await createYard(
        { [path]: "old" },
        { 1: [{ calls: [write(path, "new")] }, REST] },
        // As the node finds them when it starts: only then it is a module.
        { settings: () => (isModule ? { protectedPaths: [path] } : {}) },
      );
      await world.say("1", "Go.");
      await world.idle();
      isModule = true;
      put(world.project, "agents/worker.md", `---\nmodules: [core, ./${path}]\n---\nWork.\n`);
      if (who === "nobody there") await world.stop();
      else await serve(world);
      for (const more of [["--dry-run"], []]) {
        if (who !== "nobody there" && more.length > 0) continue;
        const { out, exitCode } = await legion(["undo", "0>1#1", "--json", ...more], { cwd: world.project });
        expect(exitCode).toBe(0);
        expect(JSON.parse(out)).toMatchObject({ done: [], left: [{ path, why: "it is off-limits" }] });
      }
      expect(treeOf(world.project)[path]).toBe("new");
    },
  );

  it("refuses in one line what it does not know, and writes nothing", async () => {
    const { world, cwd } = await changed();
    await world.stop();
    for (const what of ["x", "0>1#7", "1.1", "9.1", "0.1", "0.99"]) {
      const { exitCode, out, err } = await legion(["undo", what], { cwd });
      expect([what, exitCode, out, err.trim().split("\n").length]).toEqual([what, 2, "", 1]);
    }
  });
});
