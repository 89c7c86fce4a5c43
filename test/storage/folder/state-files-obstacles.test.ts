import { execFileSync } from "node:child_process";
import { link, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { createWorld, type World } from "../../world.ts";

const writeNote = (title: string): ScriptedAnswer => ({
  calls: [{ action: "writeNote", parameters: { title, content: "text" } }],
});
const ADD_GOAL: ScriptedAnswer = { calls: [{ action: "addGoal", parameters: { goal: "buy milk" } }] };
const NOOP: ScriptedAnswer = { calls: [{ action: "noop" }] };

const folderOf = ({ project }: World, agent = "1"): string => join(project, ".ai-legion/agents", agent);

/** What the agent was told in its last run, and what of its state a person is taken to have changed. */
async function reconciled(world: World): Promise<readonly string[]> {
  const events = await world.events("1");
  return events.flatMap((event) => {
    if (event.kind === "notice" && event.reason === "gap") return [event.content];
    return event.kind === "edited" ? [`${event.key} is ${String(event.value)}`] : [];
  });
}

const inTheWay = (path: string, expected: "file" | "folder"): string =>
  `${path} in your folder is not a ${expected}, so it does not show your state; a person has to move it away.`;

/** An agent that wrote two notes and a goal, and is stopped. */
async function workedWorld(): Promise<World> {
  const world = await createWorld({ 1: { script: [writeNote("x"), writeNote("y"), ADD_GOAL, NOOP] } });
  await world.say("1", "Go.");
  await world.idle();
  await world.stop();
  return world;
}

describe("what is no regular file where state is shown", () => {
  it("is left alone and told of, and the other files are reconciled", async () => {
    const world = await workedWorld();
    const folder = folderOf(world);
    for (const path of ["goals.json", "notes/x.txt"]) {
      await rm(join(folder, path));
      await mkdir(join(folder, path, "kept"), { recursive: true });
    }
    await writeFile(join(folder, "notes/y.txt"), "edited");
    const again = await world.restart();
    expect((await reconciled(again)).toSorted()).toEqual(
      [inTheWay("goals.json", "file"), inTheWay(join("notes", "x.txt"), "file"), "y is edited"].toSorted(),
    );
    expect(await readdir(join(folder, "goals.json"))).toEqual(["kept"]);
    expect(await readdir(join(folder, "notes/x.txt"))).toEqual(["kept"]);
  });

  it("is told of once where it stands in place of the folder", async () => {
    const world = await workedWorld();
    const notes = join(folderOf(world), "notes");
    await rm(notes, { recursive: true });
    await writeFile(notes, "in the way");
    expect(await reconciled(await world.restart())).toEqual([inTheWay("notes", "folder")]);
    expect(await readFile(notes, "utf8")).toBe("in the way");
  });

  it("is never waited for: a pipe keeps the folder from being opened", async () => {
    const world = await workedWorld();
    await rm(join(folderOf(world), "goals.json"));
    execFileSync("mkfifo", [join(folderOf(world), "goals.json")]);
    await expect(world.restart()).rejects.toMatchObject({
      code: "CONFIG",
      message: expect.stringContaining("goals.json is neither a file nor a folder"),
    });
  });

  it("is also a file with a second name elsewhere: nobody is shown what it says", async () => {
    const world = await workedWorld();
    const elsewhere = join(world.project, "elsewhere");
    await writeFile(elsewhere, "the secret of somebody else");
    await link(elsewhere, join(folderOf(world), "notes/z.txt"));
    expect(await reconciled(await world.restart())).toEqual([inTheWay(join("notes", "z.txt"), "file")]);
    expect(await readFile(elsewhere, "utf8")).toBe("the secret of somebody else");
  });

  it("halts only the agent that has to write there", async () => {
    const world = await workedWorld();
    await rm(join(folderOf(world), "goals.json"));
    await mkdir(join(folderOf(world), "goals.json"));
    const again = await world.restart({ 1: { script: [ADD_GOAL, NOOP] }, 2: { script: [ADD_GOAL, NOOP] } });
    await again.say("all", "Go.");
    await again.idle();
    expect(again.agent("1").standing.state).toBe("halted");
    expect(again.agent("1").standing.reason).toContain("goals.json");
    expect(again.agent("2").standing.state).toBe("idle");
    expect(await readFile(join(folderOf(again, "2"), "goals.json"), "utf8")).toContain("buy milk");
  });
});
