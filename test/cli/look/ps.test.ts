import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { serve } from "../../control/serve.ts";
import { createWorld, openWorld, temporaryFolder } from "../../world.ts";
import { follow, legion } from "../legion.ts";

const noop = { calls: [{ action: "noop" }] };

it("shows every agent while no node runs, from the files alone", async () => {
  const world = await createWorld({ "2": { script: [noop] }, "10": {}, writer: {} });
  await world.say("2", "Hello");
  await world.idle();
  await world.stop();
  await legion(["send", "writer", "Later"], { cwd: world.project });

  const { exitCode, json } = await legion(["ps", "--json"], { cwd: world.project });

  expect(exitCode).toBe(0);
  expect(json).toMatchObject([
    {
      id: "2",
      name: "Agent 2",
      state: "stopped",
      reason: "",
      waitingFor: "start",
      unread: 0,
      steps: 1,
      cost: 0,
    },
    { id: "10", name: "Agent 10", steps: 0, tokens: 0, cost: 0, node: null },
    { id: "writer", name: "writer", unread: 1, model: "scripted" },
  ]);
  expect(Object.keys(json[0]!)).toEqual(
    "id name state reason waitingFor since unread steps tokens cost model node".split(" "),
  );
});

it("shows the same numbers with and without a node", async () => {
  const world = await createWorld({ "1": { script: [noop] } });
  const { close } = await serve(world);
  await world.say("1", "Hello");
  await world.idle();

  const [live] = (await legion(["ps", "--json"], { cwd: world.project })).json;
  await close();
  await world.stop();
  const [stored] = (await legion(["ps", "--json"], { cwd: world.project })).json;

  expect(live).toMatchObject({ state: "idle", waitingFor: "mail", node: expect.stringContaining("@") });
  expect(stored).toMatchObject({ state: "stopped", waitingFor: "start", node: null });
  const { steps, tokens, cost, model, unread } = live as Record<string, unknown>;
  expect(stored).toMatchObject({ steps, tokens, cost, model, unread });
});

it("shows agents that the running node does not run, too", async () => {
  const project = await temporaryFolder();
  await (await openWorld(project, { "1": {}, "2": {} })).stop();
  await serve(await openWorld(project, { "1": {} }));
  const { json } = await legion(["ps", "--json"], { cwd: project });
  expect(json).toMatchObject([
    { id: "1", node: expect.any(String) },
    { id: "2", state: "stopped", node: null },
  ]);
});

it("keeps telling why an agent is parked after the node has ended", async () => {
  const world = await createWorld({
    "1": { limits: { steps: 1 }, script: [{ calls: [{ action: "help" }] }] },
  });
  await world.say("1", "Hello");
  await world.idle();
  await world.stop();

  const { out, json } = await legion(["ps", "--json"], { cwd: world.project });
  expect(json).toMatchObject([{ state: "parked", waitingFor: "limit, resume", reason: expect.any(String) }]);
  expect(out).toContain("this agent may make 1 model call");
  const people = await legion(["ps"], { cwd: world.project, columns: 80 });
  expect(people.out).toContain("   this agent may make 1 model call");
});

it("tells what runs when no node does, and what to do when there are no agents", async () => {
  const project = await temporaryFolder();
  const empty = await legion(["ps"], { cwd: project });
  expect(empty).toMatchObject({ exitCode: 0, out: expect.stringContaining("legion start") });
  expect((await legion(["ps", "--json"], { cwd: project })).out).toBe("");
  expect(await readdir(project)).toEqual([]);
});

it("takes another folder with --dir, and refuses one that is not there", async () => {
  const world = await createWorld({ "1": {} });
  await world.stop();
  const parent = join(world.project, "..");
  const { json } = await legion(["ps", "--json", "--dir", world.project], { cwd: parent });
  expect(json).toHaveLength(1);
  const missing = await legion(["ps", "--dir", "nowhere"], { cwd: world.project });
  expect(missing).toMatchObject({ exitCode: 2, err: 'legion: --dir: there is no folder "nowhere"\n' });
});

describe("ps -w", () => {
  it("gives a pipe another table whenever something has changed, over the end of a node", async () => {
    const world = await createWorld({ "1": { script: [noop] } });
    const { close } = await serve(world);
    const watching = follow(["ps", "-w"], { cwd: world.project });
    await watching.until("1   idle");
    await world.say("1", "Work");
    await world.idle();
    await watching.until("  1    ");
    await close();
    await world.stop();
    const { out } = await watching.endAt("No node runs");
    const tables = out.trim().split("\n\n\n");
    expect(out).not.toContain("\u001b");
    expect(out.match(/^ID +STATE/gm)!.length).toBeGreaterThanOrEqual(3);
    expect(new Set(tables.map((table) => table.replaceAll(/\d+s/g, ""))).size).toBe(tables.length);
  });

  it("gives a program a line for each agent that has changed", async () => {
    const world = await createWorld({ "1": { script: [noop] }, "2": {} });
    await serve(world);
    const watching = follow(["ps", "-w", "--json"], { cwd: world.project });
    await watching.until('"id":"2"');
    await legion(["pause", "1"], { cwd: world.project });
    const { json } = await watching.endAt('"state":"paused"');
    const ids = json.map((line) => (line as { id: string }).id);
    expect(ids).toEqual(["1", "2", "1"]);
  });

  it("keeps one table on a terminal", async () => {
    const world = await createWorld({ "1": {}, "2": {} });
    await serve(world);
    const watching = follow(["ps", "-w"], { cwd: world.project, columns: 60 });
    await watching.until("2   idle");
    await legion(["pause", "2"], { cwd: world.project });
    const { out } = await watching.endAt("2   paused");
    const frames = out.split(/\u001b\[(\d+)A\u001b\[J/);
    expect(frames.length).toBeGreaterThan(2);
    expect(Number(frames[1])).toBe(frames[0]!.split("\n").length - 1);
    expect(frames.at(-1)).toMatch(/^ID +STATE/);
  });
});
