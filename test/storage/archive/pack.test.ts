import { appendFile, mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Event } from "../../../src/domain/event/event.ts";
import { createFileSource } from "../../../src/storage/files/reader/source.ts";
import { packAgents } from "../../../src/storage/archive/pack.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { sha256 } from "../../../src/past/log/blobs.ts";
import { createModuleState, foldState } from "../../../src/past/state.ts";
import {
  archiveOf,
  eventsOf,
  goal,
  linesIn,
  received,
  restingLegion,
  unreadOf,
  written,
} from "./archived.ts";
import { createWorld, openWorld } from "../../world.ts";

const ALL = ["0", "1", "2"];
const AGENTS = ".ai-legion/agents";

it("keeps a whole legion byte for byte: logs, long texts, goals, notes, and no word of the mail that was read", async () => {
  const { project } = await restingLegion();
  const copy = await received(await archiveOf(project, ALL));
  const paths = (await readdir(join(project, AGENTS), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith("mailbox"))
    .map(({ parentPath, name }) => join(parentPath, name).slice(project.length));
  expect(paths.length).toBeGreaterThan(7);
  for (const path of paths) {
    expect([path, await readFile(join(copy, path))]).toEqual([path, await readFile(join(project, path))]);
  }
  expect(await eventsOf(copy, "1")).toEqual(await eventsOf(project, "1"));
  expect(await readdir(join(copy, AGENTS, "2"))).not.toContain("mailbox");
});

it("takes along what is no text, byte for byte, however long", async () => {
  const { project } = await restingLegion();
  const bytes = Buffer.alloc(2_500_000, "89504e470d0aff00", "hex");
  const path = join(AGENTS, "2/blobs", sha256(bytes));
  await mkdir(join(project, AGENTS, "2/blobs"), { recursive: true });
  await writeFile(join(project, path), bytes);
  const packing = packAgents(createFileSource(createFileReader(project)), ALL);
  const copy = await received(await written(packing));
  expect(packing.tally.remarks).toEqual([]);
  expect((await readFile(join(copy, path))).equals(bytes)).toBe(true);
});

it("goes on where it was: unread mail is read, numbers and spending count on", async () => {
  const world = await createWorld({ "1": {}, "2": {} });
  await world.say("2", "First");
  await world.idle();
  await world.legion.agents.get("2")!.pause("for a while");
  await world.say("2", "Waiting");
  await world.stop();
  const copy = await received(await archiveOf(world.project, ALL));
  expect(await unreadOf(copy, "2")).toEqual(["Waiting"]);

  const again = await openWorld(copy, { "1": {}, "2": {} });
  await again.legion.agents.get("2")!.resume();
  expect(await again.say("2", "Third")).toEqual(["0>2#3"]);
  await again.idle();
  const said = (await again.kinds("2", "message")).map(({ message }) => message.content);
  expect(said).toEqual(["First", "Waiting", "Third"]);
  expect(again.agent("2").memory.ledger.spent.steps).toBe(2);
  expect((await again.kinds("2", "opened")).map(({ log }) => log)).toEqual(
    expect.arrayContaining((await world.kinds("2", "opened")).map(({ log }) => log)),
  );
});

it("copies a running legion: what a log knows to be delivered is in the copy of its recipient (X1)", async () => {
  const world = await createWorld({ "2": {} });
  await world.say("2", "Early");
  await world.idle();
  const { pieces, until } = taking(world.project, ["2", "0"]);
  await until('"segment"');
  await world.say("2", "Later");
  await world.idle();
  const copy = await received(await pieces());
  expect(JSON.stringify(await eventsOf(copy, "2"))).not.toContain("Later");
  expect(JSON.stringify(await eventsOf(copy, "0"))).not.toContain("Later");
});

it("copies mail that is taken in meanwhile as unread (X2)", async () => {
  const world = await createWorld({ "2": {} });
  await world.say("2", "Early");
  await world.idle();
  const { pieces, until } = taking(world.project, ["0", "2"]);
  await until('"segment"');
  await world.say("2", `Later${"x".repeat(70_000)}`);
  await world.say("2", "Last");
  await world.idle();
  const copy = await received(await pieces());
  expect(JSON.stringify(await eventsOf(copy, "2"))).not.toContain("Later");
  expect((await unreadOf(copy, "2")).map((text) => text.slice(0, 5))).toEqual(["Later", "Last"]);
});

it("copies the files of the same moment as the log (X3)", async () => {
  const world = await createWorld({ "2": { script: [goal, goal] } });
  const reader = createFileReader(world.project);
  let looks = 0;
  const meanwhile = async function* (agent: string, from?: number): AsyncGenerator<Event> {
    looks++;
    if (looks === 1) {
      await world.say("2", "Work");
      await world.idle();
    }
    yield* reader.events(agent, from);
  };
  const copy = await received(
    await written(packAgents(createFileSource({ ...reader, events: meanwhile }), ["2"])),
  );
  expect(looks).toBe(2);
  const state = createModuleState();
  for (const event of await eventsOf(copy, "2")) foldState(state, event);
  const goals = JSON.parse(await readFile(join(copy, AGENTS, "2/goals.json"), "utf8")) as object;
  expect(goals).toEqual({ goals: state.modules.get("goals")?.get("goals") });
});

it("gives up, saying what to do, where files never hold still", async () => {
  const { project } = await restingLegion();
  const reader = createFileReader(project);
  const restless = async function* (): AsyncGenerator<Event> {
    yield { kind: "edited", module: "goals", key: "goals", value: 1, seq: 99, epoch: 1, at: "" };
  };
  const packing = packAgents(createFileSource({ ...reader, events: restless }), ["2"]);
  await expect(written(packing)).rejects.toThrow("`legion pause 2` first");
});

it("lets a copy of a running agent go on as a log of its own, and tells the agent", async () => {
  const world = await createWorld({ "2": {} });
  await world.say("2", "Work");
  await world.idle();
  const copy = await received(await archiveOf(world.project, ["2"]));
  const logs = (await eventsOf(copy, "2")).filter((event) => event.kind === "opened").map(({ log }) => log);
  expect(new Set(logs).size).toBe(2);
  expect((await eventsOf(copy, "2")).at(-1)).toMatchObject({ kind: "notice", reason: "gap" });
});

it("keeps damaged lines as they are, and leaves out what was never acknowledged", async () => {
  const { project } = await restingLegion();
  const folder = join(project, AGENTS, "2/log");
  const [name] = await readdir(folder);
  const text = (await readFile(join(folder, name!), "utf8")).replace("Work", "W\u0001rk");
  await writeFile(join(folder, name!), text);
  await appendFile(join(folder, name!), '{"seq":99,"kind":"noti');
  const file = await archiveOf(project, ["2"]);
  expect((await linesIn(file)).map(({ kind }) => kind)).toContain("damaged");
  expect(await readFile(join(await received(file), AGENTS, "2/log", name!), "utf8")).toBe(text);
});

it("takes a line whose newline is missing for whole, as every reader does", async () => {
  const { project } = await restingLegion();
  const folder = join(project, AGENTS, "2/log");
  const [name] = await readdir(folder);
  const text = await readFile(join(folder, name!), "utf8");
  await writeFile(join(folder, name!), text.trimEnd());
  expect(await eventsOf(await received(await archiveOf(project, ["2"])), "2")).toEqual(
    await eventsOf(project, "2"),
  );
});

it("names what it leaves out: damaged texts, links, files of others", async () => {
  const { project } = await restingLegion();
  const folder = join(project, AGENTS, "1");
  const [blob] = await readdir(join(folder, "blobs"));
  await writeFile(join(folder, "blobs", blob!), "something else");
  await writeFile(join(project, "secret"), "secret");
  await mkdir(join(folder, "notes"), { recursive: true });
  await symlink(join(project, "secret"), join(folder, "notes/link.txt"));
  const packing = packAgents(createFileSource(createFileReader(project)), ["1"]);
  const file = await written(packing);
  expect(packing.tally.remarks).toHaveLength(2);
  expect(packing.tally.remarks.join()).toMatch(/link\.txt.*blobs/);
  expect(await readFile(file, "utf8")).not.toMatch(/secret|something else/);
  await received(file);
});

/** The pieces of an archive, asked for one by one. */
function taking(project: string, agents: readonly string[]) {
  const iterator = packAgents(createFileSource(createFileReader(project)), agents).pieces[
    Symbol.asyncIterator
  ]();
  const taken: (string | Buffer)[] = [];
  const next = async (): Promise<boolean> => {
    const { done, value } = await iterator.next();
    if (!done) taken.push(value);
    return done !== true;
  };
  return {
    async until(text: string): Promise<void> {
      while (!String(taken.at(-1)).includes(text)) expect(await next()).toBe(true);
    },
    async pieces(): Promise<string> {
      while (await next());
      return written({
        pieces: (async function* () {
          yield* taken;
        })(),
      });
    },
  };
}
