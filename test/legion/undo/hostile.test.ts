// What a home says is what anybody may have written there: files that are kept, a plan, logs of others, folders that became links.

import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createClock } from "../../../src/base/clock.ts";
import { begin } from "../../../src/legion/undo/carry-out.ts";
import { previewUndo, undo } from "../../../src/legion/undo/undo.ts";
import { createFileBackend } from "../../../src/storage/files/backend.ts";
import { temporaryFolder, type World } from "../../world.ts";
import { createYard, put, remove, REST, siteOf, treeOf, write } from "./yard.ts";

const UNDO = "4c0a9bd0-7b4c-4f0e-9f0e-3f2b8b1f0a11";

async function afterWriting(): Promise<{ readonly world: World; readonly id: string }> {
  const world = await createYard({ x: "old" }, { 1: [{ calls: [write("x", "new")] }, REST] });
  const [id] = await world.say("1", "Go.");
  await world.idle();
  return { world, id: id! };
}

/** Has all that agent 1 kept say that it worked in `root`. */
function claim(world: World, root: string): void {
  const folder = join(world.project, ".ai-legion/agents/1/undo");
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".json"))) {
    const call = JSON.parse(readFileSync(join(folder, name), "utf8")) as object;
    writeFileSync(join(folder, name), JSON.stringify({ ...call, root }));
  }
}

describe("hostile: an undo", () => {
  it.each([
    ["outside", (outside: string, home: string) => relative(home, outside)],
    ["the home", () => "."],
    ["an agent's folder of the home", () => "agents/1"],
    ["a folder of the project", () => "../sub"],
    ["something in an agent's own folder", () => "workspaces/1/sub"],
    ["a folder of the workspaces that is no agent's", () => "workspaces/..%"],
  ])("puts nothing back in %s, whatever is kept says of where it was (U0)", async (_, rootFrom) => {
    const { world, id } = await afterWriting();
    const outside = await temporaryFolder();
    const root = rootFrom(outside, join(world.project, ".ai-legion"));
    put(join(world.project, ".ai-legion", root), "x", "new");
    claim(world, root);
    const { done, left } = await world.legion.undo(id);
    expect([done, left.map(({ why }) => why)]).toEqual([[], ["it is off-limits"]]);
    expect(readFileSync(join(world.project, ".ai-legion", root, "x"), "utf8")).toBe("new");
  });

  it("puts nothing back behind a folder of agents that became a link (U0)", async () => {
    const { world, id } = await afterWriting();
    const outside = await temporaryFolder();
    put(outside, "1/x", "new");
    symlinkSync(outside, join(world.project, ".ai-legion/workspaces"));
    claim(world, "workspaces/1");
    expect(await world.legion.undo(id)).toMatchObject({
      done: [],
      left: [{ path: expect.any(String) as string }],
    });
    expect(treeOf(outside)["1/x"]).toBe("new");
  });

  it("carries out no plan for a place where no agent works (U0)", async () => {
    const { world } = await afterWriting();
    await world.stop();
    const outside = await temporaryFolder();
    put(outside, "x", "new");
    const clock = createClock();
    const store = await createFileBackend(world.project).openStore({ durability: "process", clock });
    const place = { ...siteOf(world.project), control: store.control, clock };
    const { paths } = place;
    const file = (await previewPlan(world)).from;
    const steps = [
      { root: relative(paths.root, outside), path: "x" },
      { root: "..", path: "../x" },
      { root: "..", path: ".git/hooks/x" },
      { root: "..", path: ".ai-legion/agents/1/x" },
    ].map((at) => ({
      ...{ ...at, from: file, to: { kind: "nothing" } as const },
      ...{ keeper: "0", agents: ["1"], events: [] },
    }));
    const { left } = await begin({ undo: UNDO, what: "0>1#1", busy: [], steps }, place);
    await store.close();
    expect([...left.values()].map(({ now }) => now)).toEqual(
      steps.map(() => ({ kind: "other", why: "it is off-limits" })),
    );
    expect(treeOf(outside)).toEqual({ x: "new" });
  });

  it("completes no repository of git, as no action does", async () => {
    const world = await createYard(
      { "r/HEAD": "ref: refs/heads/main", "r/refs/keep": "", "r/config": "[core]" },
      { 1: [{ calls: [remove("r/HEAD"), write("r/objects/keep", "")] }, REST] },
    );
    await world.say("1", "Go.");
    await world.idle();
    const [deletion] = await world.kinds("1", "result");
    const { done, left } = await world.legion.undo(`1.${deletion!.seq}`);
    expect([done, left.map(({ path, why }) => [path, why])]).toEqual([[], [["r/HEAD", "it is off-limits"]]]);
    expect(treeOf(world.project)["r/HEAD"]).toBeUndefined();
  });

  it("acts on no log that somebody else wrote, and says whose it left", async () => {
    const { world, id } = await afterWriting();
    await world.stop();
    vi.stubEnv("XDG_CONFIG_HOME", await temporaryFolder());
    const other = await createYard({ x: "old" }, { 7: [{ calls: [write("x", "new")] }, REST] });
    await other.say("7", "Go.");
    await other.idle();
    await other.stop();
    vi.unstubAllEnvs();
    cpSync(join(other.project, ".ai-legion/agents/7"), join(world.project, ".ai-legion/agents/7"), {
      recursive: true,
    });
    const site = siteOf(world.project);
    expect(await previewUndo(id, site)).toMatchObject({ done: [{ path: "x" }], foreign: ["7"] });
    for (const what of ["7.6", "0>7#1"])
      await expect(previewUndo(what, site)).rejects.toMatchObject({
        code: "FOREIGN",
        message: expect.stringContaining("--trust") as string,
      });
  });
});

describe("an undo of changes in a folder that is not there any more", () => {
  it("leaves them, and takes the others back", async () => {
    const { world, id } = await afterWriting();
    await world.stop();
    const clock = createClock();
    const store = await createFileBackend(world.project).openStore({ durability: "process", clock });
    const place = { ...siteOf(world.project), control: store.control, clock };
    claim(world, "workspaces/1");
    const first = await undo(id, place);
    expect([first.done, first.left.map(({ why }) => why)]).toEqual([
      [],
      ["the folder that its agent worked in is gone"],
    ]);
    mkdirSync(join(world.project, ".ai-legion/workspaces"));
    mkdirSync(join(world.project, ".ai-legion/workspaces/1"));
    renameSync(join(world.project, "x"), join(world.project, ".ai-legion/workspaces/1/x"));
    expect((await undo(id, place)).done).toHaveLength(1);
    await store.close();
  });
});

/** The version that agent 1 left of `x`. */
async function previewPlan(world: World) {
  const folder = join(world.project, ".ai-legion/agents/1/undo");
  const name = readdirSync(folder).find((one) => one.endsWith(".json"))!;
  const call = JSON.parse(readFileSync(join(folder, name), "utf8")) as {
    edits: { after: { kind: "file"; hash: string; size: number } }[];
  };
  return { from: call.edits[0]!.after };
}
