import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createYard, REST, write } from "../../../legion/undo/yard.ts";
import { legion } from "../../legion.ts";
import { prune } from "./kit.ts";

const old = new Date(Date.now() - 40 * 24 * 3_600_000);

/** As if nothing had been added for 40 days. */
function age(folder: string): void {
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), old, old);
  utimesSync(folder, old, old);
}

describe("legion prune", () => {
  it("deletes what is kept for an undo once nothing was added for so long, of agents that go on as well", async () => {
    const world = await createYard({ x: "old" }, { 1: [{ calls: [write("x", "new")] }, REST, REST] });
    await world.say("1", "Go.");
    await world.idle();
    await world.stop();
    const cwd = world.project;
    const folder = join(cwd, ".ai-legion/agents/1/undo");
    expect((await prune(cwd, "--yes")).out).toContain("There is nothing to delete.");
    age(folder);
    // An undo that is not finished needs it.
    const begun = join(cwd, ".ai-legion/agents/0/undo/begun");
    await legion(["undo", "0>1#1"], { cwd });
    writeFileSync(begun, "x");
    age(folder);
    expect((await prune(cwd, "--yes")).out).toContain(
      "Keeps undo 1: an undo is not finished; the next start goes on with it.",
    );
    await legion(["send", "1", "hello"], { cwd });
    expect(existsSync(begun)).toBe(false);
    age(folder);
    const { out } = await prune(cwd, "--yes");
    expect(out).toMatch(/^undo +1 .* what was replaced$/m);
    expect(out).toMatch(/^Deleted 1 undo folder /m);
    expect([existsSync(folder), existsSync(join(cwd, ".ai-legion/agents/1"))]).toEqual([false, true]);
    const { out: told } = await legion(["undo", "0>1#1", "--dry-run"], { cwd });
    expect(told).toMatch(/files of which nothing is kept: 1\.\d+/);
  });

  it("makes room where an agent goes on: what is old goes, and what later calls need stays", async () => {
    const world = await createYard(
      { x: "same", y: "same", z: "other" },
      {
        1: [
          { calls: [write("x", "new"), write("z", "new")] },
          REST,
          { calls: [write("y", "new"), write("z", "newer")] },
          REST,
          REST,
        ],
      },
    );
    const [first] = await world.say("1", "Go.");
    await world.idle();
    const cwd = world.project;
    age(join(cwd, ".ai-legion/agents/1/undo"));
    const [second] = await world.say("1", "Go on.");
    await world.idle();
    await world.stop();
    const { out } = await prune(cwd, "--yes");
    expect(out).toMatch(/^undo +1 .* what was replaced, as far as it is old$/m);
    expect(out).toMatch(/^Deleted 1 undo folder /m);
    const later = await legion(["undo", second!], { cwd });
    expect(later.out).toContain("Took back 2 changes");
    expect([readFileSync(join(cwd, "y"), "utf8"), readFileSync(join(cwd, "z"), "utf8")]).toEqual([
      "same",
      "new",
    ]);
    expect((await legion(["undo", first!, "--dry-run"], { cwd })).out).toMatch(
      /files of which nothing is kept: 1\./,
    );
  });
});
