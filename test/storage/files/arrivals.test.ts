import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { receiveAgents, settleArrivals } from "../../../src/storage/files/arrivals.ts";
import { createDisk } from "../../../src/base/files/disk.ts";
import { lockHolder, takeLock } from "../../../src/storage/folder/lock.ts";
import { READABLE } from "../../readable.ts";
import { fromArchive } from "../../../src/storage/archive/imported.ts";
import { legionPaths, type LegionPaths } from "../../../src/storage/folder/paths.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { archiveOf, eventsOf, restingLegion } from "../archive/archived.ts";
import { ownHand } from "../../own-hand.ts";
import { failFrom, watchDisk } from "./watched-disk.ts";
import { openWorld, temporaryFolder } from "../../world.ts";

async function emptyProject(): Promise<LegionPaths> {
  return legionPaths(await temporaryFolder());
}

async function restingArchive(): Promise<string> {
  return archiveOf((await restingLegion()).project, ["0", "1", "2"]);
}

/** The agents that anybody would find, Control first. */
async function agentsIn({ agents }: LegionPaths): Promise<readonly string[]> {
  return createDisk(agents).list(agents);
}

it("takes in all agents or none, wherever the disk fails (R1, R2)", async () => {
  const file = await restingArchive();
  const outcomes = new Set<string>();
  for (let n = 1; ; n++) {
    const paths = await emptyProject();
    const disk = createDisk(paths.tmp);
    const isWhole = await receiveAgents(
      paths,
      await fromArchive(file, { readable: READABLE, authorship: await ownHand() }),
      watchDisk(disk, failFrom(n)),
    ).then(
      () => true,
      () => false,
    );
    // The next process with the lock settles it.
    await settleArrivals(paths, disk);
    const agents = (await agentsIn(paths)).join();
    expect([n, ["", "0,1,2"].includes(agents)]).toEqual([n, true]);
    outcomes.add(agents);
    if (isWhole) break;
  }
  expect([...outcomes]).toEqual(["", "0,1,2"]);
});

describe("after kill -9", () => {
  it.each([
    ["before the first line", "create", ".jsonl", ""],
    ["before it is decided", "sync", "00000001-000.jsonl", ""],
    ["when it is decided", "flush", ".ai-legion", "0,1,2"],
    ["between two agents", "flush", "agents", "0,1,2"],
  ])("%s, the next start finds all or nothing (R2)", async (_, op, path, agents) => {
    const file = await restingArchive();
    const paths = await emptyProject();
    const args = [paths.project, file, op, path];
    const child = fork(join(import.meta.dirname, "arrivals-process.ts"), args, {
      execArgv: ["--import", "tsx"],
    });
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);

    const world = await openWorld(paths.project, {});
    await world.stop();
    expect((await agentsIn(paths)).filter((id) => id !== "0" || agents !== "").join()).toBe(agents);
    expect(createDisk(paths.tmp).exists(paths.arrivals)).toBe(false);
    expect(await createDisk(paths.tmp).list(paths.tmp)).toEqual([]);
  });
});

it("replaces nothing (R3): one agent that is there refuses them all", async () => {
  const file = await restingArchive();
  const { project } = await restingLegion();
  const before = await eventsOf(project, "2");
  const arriving = receiveAgents(
    legionPaths(project),
    await fromArchive(file, { readable: READABLE, authorship: await ownHand() }),
  );
  await expect(arriving).rejects.toThrow(
    "already in this project: Control, Agent 1, Agent 2; import into another",
  );
  expect(await eventsOf(project, "2")).toEqual(before);
});

it("is refused while a node runs, and leaves the lock free afterwards", async () => {
  const file = await restingArchive();
  const paths = await emptyProject();
  const disk = createDisk(paths.tmp);
  const lock = await takeLock(paths.lock, disk, { role: "node", waitMs: 0 });
  const arrival = await fromArchive(file, { readable: READABLE, authorship: await ownHand() });
  await expect(receiveAgents(paths, arrival)).rejects.toMatchObject({ code: "LOCKED" });
  await lock.release();
  await receiveAgents(paths, arrival);
  expect(await lockHolder(paths.lock, disk)).toBeUndefined();
});

it("lets the next start count on from the epochs of what arrived", async () => {
  const world = await restingLegion();
  for (let n = 0; n < 3; n++) await (await openWorld(world.project, { "1": {} })).stop();
  const again = await openWorld(world.project, { "1": {} });
  await again.say("1", "Late");
  await again.idle();
  await again.stop();
  const paths = await emptyProject();
  await receiveAgents(
    paths,
    await fromArchive(await archiveOf(world.project, ["1"]), {
      readable: READABLE,
      authorship: await ownHand(),
    }),
  );
  const last = (await createFileReader(paths.project).ledger("1")).epoch;
  expect(last).toBe(5);
  const lock = await takeLock(paths.lock, createDisk(paths.tmp), { role: "node", waitMs: 0 });
  expect(lock.epoch).toBeGreaterThan(last);
  await lock.release();
});

it("makes an agent whose past is history only under another name", async () => {
  const { project } = await restingLegion();
  const file = await archiveOf(project, ["2"]);
  const paths = legionPaths(project);
  await receiveAgents(
    paths,
    await fromArchive(file, { as: "2b", readable: READABLE, authorship: await ownHand() }),
  );
  const copied = await eventsOf(project, "2b");
  expect(copied.slice(0, -2)).toEqual(await eventsOf(project, "2"));
  expect(copied.at(-1)).toMatchObject({ kind: "branch", to: copied.length - 2, origin: "2" });
  const { spent, numbers, seen, taken } = await createFileReader(project).ledger("2b");
  expect([spent.steps, numbers.size, seen.size, taken]).toEqual([0, 0, 0, 0]);
  expect(await readdir(join(paths.agent("2b"), "notes"))).toEqual(
    await readdir(join(paths.agent("2"), "notes")),
  );

  const world = await openWorld(project, { "1": {}, "2": {}, "2b": {} });
  expect(await world.say(["2b"], "Hello")).toEqual(["0>2b#1"]);
  await world.idle();
  expect(await world.kinds("2b", "edited")).toEqual([]);
});

it("has no other name for several agents, or for a person", async () => {
  const { project } = await restingLegion();
  const name = async (agents: readonly string[]): Promise<unknown> =>
    fromArchive(await archiveOf(project, agents), { as: "x", readable: READABLE });
  await expect(name(["1", "2"])).rejects.toMatchObject({ code: "USAGE" });
  await expect(name(["0"])).rejects.toMatchObject({ code: "USAGE" });
});

it("goes on where the folder of an agent is there but empty", async () => {
  const paths = await emptyProject();
  await mkdir(paths.agent("2"), { recursive: true });
  await writeFile(join(paths.root, "config.yaml"), "");
  await receiveAgents(
    paths,
    await fromArchive(await restingArchive(), { readable: READABLE, authorship: await ownHand() }),
  );
  expect(await agentsIn(paths)).toEqual(["0", "1", "2"]);
});
