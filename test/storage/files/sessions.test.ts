import { mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { core } from "../../../modules/core.ts";
import { system } from "../../../modules/system/index.ts";
import { defineAction, defineModule, ok } from "../../../src/domain/authoring/module.ts";
import type { ModelRequest } from "../../../src/domain/model.ts";
import { createHandClock } from "../../hand-clock.ts";
import {
  chooseSession,
  findSession,
  newestEventIn,
  sessionsOf,
} from "../../../src/storage/files/sessions.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { openWorld, temporaryFolder, type World } from "../../world.ts";

const HOUR_MS = 3_600_000;

/** Gives a file back whole, however long it is. */
const giving = defineModule({
  name: "giving",
  actions: {
    giveBack: defineAction({
      description: "Give back",
      effects: "none",
      touches: [],
      execute: async (_, { workspace }) => ok(await readFile(join(workspace.root, "long.txt"), "utf8")),
    }),
  },
});

/** Opens the session `name`, has its agent answer something, and closes it again. */
async function talk(project: string, name: string, laterMs = 0): Promise<void> {
  const world = await openSession(project, name, laterMs);
  await world.say("1", "Hello.");
  await world.idle();
  await world.legion.stop();
}

async function openSession(project: string, name: string, laterMs = 0): Promise<World> {
  const { home } = await chooseSession(project, { name });
  const clock = createHandClock();
  clock.advance(laterMs);
  return openWorld(project, { "1": { script: ["Hello, too."] } }, { home, clock });
}

describe("the sessions of a project", () => {
  it("are homes of their own: neither the project's legion nor another session knows what is in them", async () => {
    const project = await temporaryFolder();
    await talk(project, "garden");
    await talk(project, "house");
    expect(await readdir(join(project, ".ai-legion"))).toEqual([".gitignore", "runs"]);
    expect((await sessionsOf(project)).map(({ name }) => name)).toEqual(["garden", "house"]);
    for (const name of ["garden", "house"])
      expect(await readdir(join(project, ".ai-legion/runs", name))).toEqual(
        expect.arrayContaining(["agents", "lock"]),
      );
  });

  it("may read what was kept for their agents of long outputs, and for no other's", async () => {
    const project = await temporaryFolder();
    const long = `${"long ".repeat(50_000)}the end`;
    await writeFile(join(project, "long.txt"), long);
    const { home } = await chooseSession(project, { name: "garden" });
    const read = (path: string) => ({ calls: [{ action: "readFile", parameters: { path } }] });
    const script = ({ turns }: ModelRequest, index: number) => {
      if (index === 0) return { calls: [{ action: "giveBack" }] };
      const kept =
        /\.ai-legion\/runs\/garden\/agents\/1\/blobs\/[0-9a-f]+/.exec(JSON.stringify(turns))?.[0] ?? "";
      if (index === 1) return read(kept);
      return index === 2 ? read(kept.replace("garden", "house")) : "Done.";
    };
    const modules = [core, system, giving];
    const world = await openWorld(project, { "1": { script, modules } }, { home });
    await world.say("1", "Read it.");
    await world.idle();
    const results = world.seen.flatMap((seen) =>
      seen.kind === "event" && seen.event.kind === "result" ? [seen.event] : [],
    );
    expect(results.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "error"]);
    expect(results[2]!.content).toContain("off-limits");
  });

  it("run beside each other and beside the project's legion, each by one process at a time", async () => {
    const project = await temporaryFolder();
    const worlds = [
      await openWorld(project, { "1": { script: ["Here."] } }),
      await openSession(project, "garden"),
      await openSession(project, "house"),
    ];
    onTestFinished(async () => void (await Promise.all(worlds.map(({ legion }) => legion.stop()))));
    await expect(openSession(project, "garden")).rejects.toMatchObject({
      code: "LOCKED",
      message: expect.stringContaining(`process ${process.pid}`),
    });
  });

  it("are continued at the newest event, whatever the times of their files say", async () => {
    const project = await temporaryFolder();
    await talk(project, "newer", HOUR_MS);
    await talk(project, "older");
    const newest = await chooseSession(project, "newest");
    expect(newest.name).toBe("newer");
    const reader = createFileReader(project, newest);
    expect(await newestEventIn(reader, await reader.known())).toBe("2026-01-01T01:00:00.000Z");
  });

  it("have a name by the time where nobody gives one, and no two the same", async () => {
    const project = await temporaryFolder();
    const names = await Promise.all([1, 2, 3].map(async () => (await chooseSession(project, "new")).name));
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^\d{4}-\d\d-\d\d-\d{6}-[0-9a-f]{6}$/);
    expect(await readdir(project)).toEqual([]);
  });

  it.each(["", "..", "a/b", "Garden", "x ", "new", "newest", "all", "a".repeat(65), "nul"])(
    "are not called %j",
    async (name) => {
      const project = await temporaryFolder();
      await expect(chooseSession(project, { name })).rejects.toMatchObject({ code: "USAGE" });
      expect(await readdir(project)).toEqual([]);
    },
  );

  it("are named where one is asked for that is not there", async () => {
    const project = await temporaryFolder();
    await expect(findSession(project, "garden")).rejects.toThrow("there is none yet");
    await expect(chooseSession(project, "newest")).rejects.toMatchObject({ code: "USAGE" });
    await talk(project, "garden");
    await expect(findSession(project, "gardne")).rejects.toThrow(
      "no run or session `gardne` here; there is garden",
    );
  });
});

describe("hostile: paths", () => {
  it.each([
    [".ai-legion", "elsewhere"],
    [".ai-legion/runs", "elsewhere"],
    [".ai-legion/runs/garden", "elsewhere"],
    [".ai-legion/runs/garden/agents", "elsewhere"],
  ])("I1 none is opened where %s is a link", async (path, to) => {
    const [project, outside] = [await temporaryFolder(), await temporaryFolder()];
    await mkdir(join(outside, to));
    await mkdir(join(project, path, ".."), { recursive: true });
    await symlink(join(outside, to), join(project, path));
    await expect(chooseSession(project, { name: "garden" })).rejects.toMatchObject({ code: "CONFIG" });
    await expect(
      openWorld(project, { "1": {} }, { home: join(project, ".ai-legion/runs/garden") }),
    ).rejects.toMatchObject({ code: "CONFIG" });
    expect(await readdir(join(outside, to))).toEqual([]);
  });

  it("what lies among them and is none is passed over", async () => {
    const project = await temporaryFolder();
    const runs = join(project, ".ai-legion/runs");
    await mkdir(join(runs, "Bad Name"), { recursive: true });
    await mkdir(join(runs, "empty"));
    await writeFile(join(runs, "file"), "");
    await symlink("/", join(runs, "link"));
    expect((await sessionsOf(project)).map(({ name }) => name)).toEqual(["empty"]);
    await expect(chooseSession(project, "newest")).rejects.toMatchObject({ code: "USAGE" });
  });
});
