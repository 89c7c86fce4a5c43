import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { goals } from "../../../modules/goals.ts";
import { notes } from "../../../modules/notes.ts";
import { copyBlobs, createCopies } from "../../../src/storage/folder/copies.ts";
import { createBlobs, sha256 } from "../../../src/past/log/blobs.ts";
import { createDisk } from "../../../src/base/files/disk.ts";
import type { StateChange } from "../../../src/domain/event/event.ts";
import { legionPaths } from "../../../src/storage/folder/paths.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { createModuleState, foldState, keysOf, type ModuleState } from "../../../src/past/state.ts";
import { createTempProject } from "../../temp-project.ts";
import { openWorld } from "../../world.ts";

const GOALS: StateChange = ["goals", "goals", [{ text: "Copy.", complete: false }]];

function stateOf(...changes: readonly StateChange[]): ModuleState {
  const state = createModuleState();
  const stamp = { seq: 1, epoch: 1, at: "" };
  foldState(state, { ...stamp, kind: "result", call: "1", outcome: "ok", content: "", state: changes });
  return state;
}

async function createPlace() {
  const project = await createTempProject();
  const paths = legionPaths(project);
  const disk = createDisk(paths.tmp);
  const folder = paths.agent("1");
  return {
    project,
    disk,
    folder,
    copies: createCopies([goals, notes], { disk, folder, original: "agent 1" }),
  };
}

describe("copies of state that is kept elsewhere", () => {
  it("show the state from the opening on, and what changed since; nothing of an earlier state stays", async () => {
    const { folder, copies } = await createPlace();
    await mkdir(join(folder, "notes"), { recursive: true });
    await writeFile(join(folder, "notes/old.txt"), "of an earlier state");
    const change: StateChange = ["notes", "plan", "Copy it."];
    expect(await copies.reconcile(stateOf(GOALS, change))).toEqual([]);
    expect(JSON.parse(await readFile(join(folder, "goals.json"), "utf8"))).toEqual({ goals: GOALS[2] });
    expect(await readdir(join(folder, "notes"))).toEqual(["plan.txt"]);
    await copies.write([["notes", "plan", null]], stateOf(GOALS));
    expect(await readdir(join(folder, "notes"))).toEqual([]);
  });

  it("are never read back, and are no agent of this project", async () => {
    const { project, folder, copies } = await createPlace();
    await copies.reconcile(stateOf(GOALS));
    expect(await createFileReader(project).known()).toEqual([]);
    await writeFile(join(folder, "goals.json"), `{"goals": []}`);
    expect(await copies.reconcile(stateOf(GOALS))).toEqual([]);
    expect(await readFile(join(folder, "goals.json"), "utf8")).toContain("Copy.");
  });

  it("make room for an agent that begins in these files", async () => {
    const { project, copies } = await createPlace();
    await copies.reconcile(stateOf(GOALS));
    const world = await openWorld(project, { 1: { modules: [goals, notes] } });
    expect(await world.kinds("1", "edited")).toEqual([]);
    expect([...keysOf(world.agent("1").memory.state, "goals")]).toEqual([]);
  });

  it("are not made over the files of an agent that is kept there", async () => {
    const { project, folder, copies } = await createPlace();
    const world = await openWorld(project, { 1: { script: [{ calls: [{ action: "noop" }] }] } });
    await world.say("1", "Be there.");
    await world.idle();
    await copies.reconcile(stateOf(GOALS));
    await copies.write([GOALS], stateOf(GOALS));
    expect(await readdir(folder)).not.toContain("goals.json");
  });

  it("of long texts are files that can be read by their paths", async () => {
    const { disk, folder } = await createPlace();
    const [original, copy] = [join(folder, "far"), join(folder, "near")];
    const hash = await copyBlobs(createBlobs(original, disk), copy, disk).keep("A long text.");
    expect(hash).toBe(sha256("A long text."));
    expect(await readFile(join(copy, hash), "utf8")).toBe("A long text.");
  });
});
