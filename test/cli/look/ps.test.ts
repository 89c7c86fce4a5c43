import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { serve } from "../../control/serve.ts";
import { createWorld, openWorld, temporaryFolder } from "../../world.ts";
import { follow, legion } from "../legion.ts";
import { statusTable } from "../../../src/cli/look/ps.ts";
import type { AgentStatus } from "../../../src/legion/status.ts";

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
      held: 0,
      unread: 0,
      steps: 1,
      cost: 0,
    },
    { id: "10", name: "Agent 10", steps: 0, tokens: 0, cost: 0, node: null },
    { id: "writer", name: "writer", unread: 1, model: "scripted" },
  ]);
  expect(Object.keys(json[0]!)).toEqual(
    "id name state reason waitingFor since waits unread held steps tokens cost model node mode".split(" "),
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

describe("agents that wait for each other", () => {
  const ask = (to: string) => ({
    calls: [
      { action: "sendMessage", parameters: { targetAgentId: to, message: "Which?", needsAnswer: true } },
    ],
  });

  it("are named, with for whom they wait, beside a node and without one", async () => {
    const world = await createWorld({
      "1": { script: [ask("2"), noop, noop] },
      "2": { script: [ask("1"), noop, noop] },
      "3": { script: [ask("4"), noop] },
      "4": { script: [] },
    });
    const { close } = await serve(world);
    await world.legion.agents.get("4")!.pause("by Control");
    await world.say(["1", "2", "3"], "Settle it");
    await world.idle();
    const rows = [
      expect.stringMatching(/waits for Agent 2 since \d\d:\d\d \(1>2#1\)/),
      expect.stringMatching(/Knot: Agent 1, Agent 2 wait for each other's answers/),
    ];
    const shown = await legion(["ps"], { cwd: world.project });
    for (const row of rows) expect(shown.out).toEqual(row);
    expect(shown.out).toMatch(/waits for Agent 4, who is paused, since \d\d:\d\d \(3>4#1\)/);
    const knot = { knot: ["1", "2"], open: ["1>2#1", "2>1#1"] };
    expect((await legion(["ps", "--json"], { cwd: world.project })).json).toContainEqual(knot);
    await close();
    await world.stop();
    const stored = await legion(["ps"], { cwd: world.project });
    for (const row of rows) expect(stored.out).toEqual(row);
    const { json } = await legion(["ps", "--json"], { cwd: world.project });
    expect(json).toContainEqual(knot);
    expect(json[0]).toMatchObject({
      waits: expect.arrayContaining([
        {
          for: "reply",
          agents: ["2"],
          ties: true,
          messages: ["1>2#1"],
          since: expect.any(String),
          way: "they answer it",
        },
      ]),
    });
  });
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

const nowMs = Date.parse("2026-01-02T12:00:00.000Z");
const status: AgentStatus = {
  id: "2",
  name: "Agent 2",
  state: "idle",
  reason: "",
  waitingFor: "mail",
  since: "2026-01-02T11:59:15.000Z",
  unread: 3,
  held: 0,
  steps: 12,
  tokens: 45_678,
  cost: 0.01234,
  model: "anthropic/claude-sonnet-5-5",
  mode: "usual",
  waits: [],
  node: "4711@here",
};
const parked: AgentStatus = {
  ...status,
  id: "writer",
  state: "parked",
  reason: "sendMessage was called 5 times with the same parameters and the same result, over and over again",
  waitingFor: "mail, resume",
  since: "2026-01-01T09:00:00.000Z",
  cost: 0,
  node: null,
};

describe("statusTable", () => {
  it("has a column for held mail only where there is some", () => {
    const table = statusTable([status, { ...parked, held: 2 }], { columns: 140, nowMs, nodes: [] });
    const [head, row] = table.split("\n").map((line) => line.trim().split(/  +/));
    expect(head!.slice(4, 6)).toEqual(["MAIL", "HELD"]);
    expect(row!.slice(4, 6)).toEqual(["3", "0"]);
  });

  it("shows one line for each agent, with age, cost and count in short forms", () => {
    const [head, row] = statusTable([status], { columns: 100, nowMs, nodes: [] }).split("\n");
    expect(head!.split(/  +/)).toEqual("ID,STATE,SINCE,WAITS FOR,MAIL,STEPS,TOKENS,COST,MODEL".split(","));
    expect(row!.split(/  +/)).toEqual(
      "2,idle,45s,mail,3,12,45.7k,$0.0123,anthropic/claude-sonnet-5-5".split(","),
    );
  });

  it.each([80, 60, 50, 45])("fits into %i columns and still tells who is in what state", (columns) => {
    const table = statusTable([status, parked], { columns, nowMs, nodes: [] });
    for (const line of table.split("\n")) expect(line.length).toBeLessThanOrEqual(columns);
    expect(table).toMatch(/^2 +idle +45s +mail/m);
    expect(table).toMatch(/^writer +parked +27h +mail, resume/m);
  });

  it("says under the line why an agent does not act", () => {
    const table = statusTable([parked], { columns: 80, nowMs, nodes: [] });
    expect(table).toContain("   sendMessage was called 5 times with the same parameters");
  });

  it("tells free from unknown costs", () => {
    const costs = [0, null, 123.456].map((cost) => ({ ...status, cost }));
    const rows = statusTable(costs, { columns: 120, nowMs, nodes: [] }).split("\n").slice(1, 4);
    expect(rows.map((row) => row.split(/  +/)[7])).toEqual(["-", "?", "$123.46"]);
  });

  it("says which node runs how many, or that none does", () => {
    expect(statusTable([status, parked], { columns: 80, nowMs, nodes: [] })).toContain(
      "Node 4711@here runs 1 of 2.",
    );
    expect(statusTable([parked], { columns: 80, nowMs, nodes: [] })).toContain("No node runs");
    const idle = statusTable([status], { columns: 80, nowMs, nodes: ["12@there", "4711@here"] });
    expect(idle).toContain("Node 4711@here runs 1 of 1.\nNode 12@there runs 0 of 1.");
  });

  it("says of each agent which node runs it, where agents are spread over nodes", () => {
    const elsewhere = { ...status, id: "3", node: "12@there" };
    const options = { columns: 100, nowMs, nodes: [], places: "many" } as const;
    const [head, ...rows] = statusTable([status, elsewhere, parked], options).split("\n");
    const at = head!.split(/  +/).indexOf("NODE");
    const agents = rows.filter((row) => /^\S/.test(row)).slice(0, 3);
    expect(agents.map((row) => row.split(/  +/)[at])).toEqual(["4711@here", "12@there", "-"]);
    for (const columns of [80, 60, 45])
      for (const line of statusTable([elsewhere], { ...options, columns }).split("\n"))
        expect(line.length).toBeLessThanOrEqual(columns);
  });

  it("is not led astray by what models write", () => {
    const hostile = { ...status, waitingFor: "\u001b[2Jrun\nCommand", reason: "a\u001b]0;x\u0007b\r\nc" };
    const table = statusTable([hostile], { columns: 80, nowMs, nodes: [] });
    expect(table).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
    expect(table.split("\n")).toHaveLength(5);
  });

  it("shows a moment that is none as unknown, and a dash where nothing has happened yet", () => {
    const rows = [null, "soon"].map((since) => ({ ...status, since }));
    const table = statusTable(rows, { columns: 80, nowMs, nodes: [] });
    expect(table.match(/idle +[-?] /g)?.map((cell) => cell.at(-2))).toEqual(["-", "?"]);
  });
});
