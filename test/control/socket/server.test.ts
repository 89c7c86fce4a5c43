import { chmod, lstat, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { legionPaths } from "../../../src/storage/folder/paths.ts";
import { withLegion } from "../../../src/control/open.ts";
import { findNode } from "../../../src/control/socket/client.ts";
import { createFileBackend } from "../../../src/storage/files/backend.ts";
import { byHand, createWorld, openWorld, temporaryFolder } from "../../world.ts";
import { ask, serve } from "../serve.ts";

const noop = { calls: [{ action: "noop" }] };

it("says what the person says, as Control, and returns the ids", async () => {
  const world = await createWorld({ "1": {}, "2": {} });
  const { node } = await serve(world);

  const { ids } = await node.say({ targets: ["1", "2"], content: "Hello" });

  expect(ids).toEqual(["0>1#1", "0>2#1"]);
  await world.idle();
  const [mail] = await world.kinds("2", "message");
  expect(mail!.message).toMatchObject({ id: "0>2#1", content: "Hello", source: { type: "agent", id: "0" } });
});

it("is waited for where its node works already and listens only in a moment, also to stop something", async () => {
  const world = await createWorld({ "1": { script: () => new Promise(() => undefined) } });
  await world.say("1", "Work");
  await world.until((seen) => seen.kind === "live:state" && seen.state === "thinking");
  const { project } = world;
  const site = { project, backend: createFileBackend(project), config: { durability: "process" } } as const;
  let looks = 0;
  const ids = await withLegion(site, async (legion) => {
    if (++looks === 2) await serve(world);
    return legion.say({ targets: ["1"], content: "Stop.", delivery: "abort" });
  });
  expect([ids, looks]).toEqual([["0>1#2"], 3]);
  expect(await withLegion(site, (legion) => legion.order({ order: "stop", targets: ["1"] }))).toEqual([
    { id: "1", outcome: "done" },
  ]);
});

it("tells who runs here, in what state and what it has spent", async () => {
  const world = await createWorld({ "2": { script: [noop] }, writer: {} });
  const { node } = await serve(world);
  await world.say("2", "Hello");
  await world.idle();

  const [two, writer] = (await node.status({})).agents;

  expect(two).toMatchObject({
    id: "2",
    name: "Agent 2",
    state: "idle",
    waitingFor: "mail",
    unread: 0,
    steps: 1,
  });
  expect(two).toMatchObject({ cost: 0, model: "scripted", node: expect.stringMatching(/^\d+@/) });
  expect(two!.tokens).toBeGreaterThan(0);
  expect(Date.parse(two!.since!)).not.toBeNaN();
  expect(writer).toMatchObject({ id: "writer", name: "writer", steps: 0, tokens: 0, cost: 0 });
});

it("pauses and resumes agents, and says when there is nothing to do", async () => {
  const world = await createWorld({ "1": {}, "2": {} });
  const { node } = await serve(world);

  expect(await node.order({ order: "pause", targets: ["1"] })).toEqual({
    agents: [{ id: "1", outcome: "done" }],
  });
  await world.until((seen) => seen.kind === "live:state" && seen.state === "paused");
  expect(await node.order({ order: "pause", targets: "all" })).toEqual({
    agents: [
      { id: "1", outcome: "already" },
      { id: "2", outcome: "done" },
    ],
  });
  const [one] = (await node.status({})).agents;
  expect(one).toMatchObject({ state: "paused", reason: "by Control", waitingFor: "resume" });
  expect(await node.order({ order: "resume", targets: ["1"] })).toEqual({
    agents: [{ id: "1", outcome: "done" }],
  });
  expect(await node.order({ order: "resume", targets: ["1"] })).toEqual({
    agents: [{ id: "1", outcome: "already" }],
  });
});

it("stops one agent for good, which keeps its mail", async () => {
  const world = await createWorld({ "1": {}, "2": {} });
  const { node } = await serve(world);

  expect(await node.order({ order: "stop", targets: ["2"] })).toEqual({
    agents: [{ id: "2", outcome: "done" }],
  });
  await node.say({ targets: ["2"], content: "Later" });
  await world.idle();

  const [, two] = (await node.status({})).agents;
  expect(two).toMatchObject({ state: "stopped", waitingFor: "start", unread: 1, node: null });
  expect(await node.order({ order: "stop", targets: ["2"] })).toEqual({
    agents: [{ id: "2", outcome: "already" }],
  });
  await expect(node.order({ order: "pause", targets: ["2"] })).rejects.toThrow("Agent 2 is stopped.");
  expect(await node.order({ order: "pause", targets: "all" })).toEqual({
    agents: [{ id: "1", outcome: "done" }],
  });
});

it("answers an order that a long step keeps waiting before that step is over", async () => {
  const answer = byHand<typeof noop>();
  const world = await createWorld({ "1": { script: () => answer.promise } });
  const { node } = await serve(world);
  await world.say("1", "Think");
  await world.until((seen) => seen.kind === "live:state" && seen.state === "thinking");

  expect(await node.order({ order: "pause", targets: ["1"] })).toEqual({
    agents: [{ id: "1", outcome: "soon" }],
  });
  answer.resolve(noop);
  await world.until((seen) => seen.kind === "live:state" && seen.state === "paused");
});

it("aborts what an agent is doing", async () => {
  const world = await createWorld({
    "1": { script: (_, index) => (index === 0 ? new Promise(() => undefined) : noop) },
  });
  const { node } = await serve(world);
  await world.say("1", "Think");
  await world.until((seen) => seen.kind === "live:state" && seen.state === "thinking");

  await node.say({ targets: ["1"], content: "Stop.", delivery: "abort" });
  await world.idle();

  expect(await world.kinds("1", "decision")).toMatchObject([{ stop: "aborted", calls: [] }]);
});

it("asks the node to end without ending it itself", async () => {
  const world = await createWorld({ "1": {} });
  const { node, asked } = await serve(world);
  await node.stop({});
  await asked;
  expect((await node.status({})).agents).toHaveLength(1);
});

it("tells followers what happens to one agent from the moment they ask", async () => {
  const world = await createWorld({ "1": { script: [noop] }, "2": { script: [noop] } });
  const { node } = await serve(world);
  const leaving = new AbortController();
  const told = await node.follow("2", leaving.signal);

  await world.say("1", "Not for you");
  await world.say("2", "For you");

  const kinds: string[] = [];
  for await (const inspection of told) {
    expect(inspection.agent).toBe("2");
    if (inspection.kind === "event") kinds.push(inspection.event.kind);
    if (inspection.kind === "event" && inspection.event.kind === "result") leaving.abort();
  }
  expect(kinds).toEqual(expect.arrayContaining(["message", "decision", "result"]));
});

it("ends what followers read when it closes, and leaves no socket", async () => {
  const world = await createWorld({ "1": {} });
  const { node, socket, close } = await serve(world);
  const told = await node.follow("1", new AbortController().signal);
  await close();
  for await (const inspection of told) expect(inspection).toBeDefined();
  expect(await findNode(socket)).toBeUndefined();
  await expect(lstat(socket)).rejects.toThrow("ENOENT");
});

it.each([
  [
    "an unknown agent",
    { body: '{"targets":["9"],"content":"x"}' },
    400,
    'there is no agent "9"; known: 1, 2',
  ],
  ["itself", { body: '{"targets":["0"],"content":"x"}' }, 400, "0 is you"],
  [
    "an unknown agent under /v1",
    { path: "/v1/say", body: '{"targets":["9"],"content":"x"}' },
    400,
    'agent "9"',
  ],
  ["no text", { body: '{"targets":"all","content":" "}' }, 400, "content: expected a text"],
  ["no targets", { body: '{"targets":[],"content":"x"}' }, 400, "targets: expected"],
  ["targets that are no texts", { body: '{"targets":[{}],"content":"x"}' }, 400, "targets: expected"],
  [
    "another delivery",
    { body: '{"targets":"all","content":"x","delivery":"now"}' },
    400,
    "delivery: expected",
  ],
  ["an unknown field", { body: '{"targets":"all","content":"x","__proto__":1}' }, 400, "no such field"],
  ["a list", { body: "[]" }, 400, "expected an object"],
  ["broken JSON", { body: "{" }, 400, "not valid JSON"],
  ["another type", { body: "{}", type: "text/plain" }, 400, "expected content-type"],
  [
    "an unknown order",
    { path: "/order", body: '{"targets":"all","order":"toString"}' },
    400,
    "order: expected",
  ],
  ["no dead letter", { path: "/resend", body: '{"dead":[]}' }, 400, "dead: expected a list"],
  ["dead letters that are no texts", { path: "/resend", body: '{"dead":[7]}' }, 400, "dead: expected a list"],
  [
    "an event that is none",
    { path: "/v1/fork", body: '{"agent":"1","at":0.5}' },
    400,
    "at: expected the number of an event",
  ],
  ["an unknown path", { path: "/nothing", body: "{}" }, 400, "there is no POST /nothing"],
  ["a body past the limit", { body: JSON.stringify("x".repeat(9 * 1_048_576)) }, 400, "a request may have"],
  [
    "a message past the limit",
    { body: JSON.stringify({ targets: ["1"], content: "x".repeat(1_048_577) }) },
    409,
    "at most 1048576",
  ],
])("refuses %s, and nothing is sent", async (_, asked, status, text) => {
  const world = await createWorld({ "1": {}, "2": {} });
  const { socket } = await serve(world);
  const answer = await ask(socket, asked);
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.text).error.message).toContain(text);
  expect(await world.kinds("0", "notice")).toEqual([]);
});

it("refuses orders to an agent that this node does not run", async () => {
  const project = await temporaryFolder();
  await (await openWorld(project, { "1": {}, "7": {} })).stop();
  const { node } = await serve(await openWorld(project, { "1": {} }));
  await expect(node.order({ order: "pause", targets: ["7"] })).rejects.toThrow(
    "agent 7 does not run on this node; it runs 1",
  );
});

it("lets nobody but the user open the socket", async () => {
  const { socket } = await serve(await createWorld({ "1": {} }));
  expect((await lstat(socket)).mode & 0o777).toBe(0o600);
});

it("takes the place of a socket that a dead node left", async () => {
  const world = await createWorld({ "1": {} });
  const { socket } = legionPaths(world.project);
  await writeFile(socket, "left over");
  const { node } = await serve(world);
  expect((await node.status({})).agents).toHaveLength(1);
});

it("puts the socket of a deep project into a private folder of the user, and clears it away", async () => {
  const folder = join(await temporaryFolder(), "deep".repeat(30));
  await mkdir(folder);
  const { socket, node, close } = await serve(await openWorld(folder, { "1": {} }));

  expect((await node.status({})).agents).toHaveLength(1);
  const path = await readFile(socket, "utf8");
  expect(path.startsWith(join(tmpdir(), "legion-"))).toBe(true);
  expect((await lstat(path)).mode & 0o777).toBe(0o600);
  expect((await lstat(dirname(path))).mode & 0o777).toBe(0o700);

  await close();
  await expect(lstat(dirname(path))).rejects.toThrow("ENOENT");
  await expect(lstat(socket)).rejects.toThrow("ENOENT");
});

it("follows a text file to no socket but its own kind", async () => {
  const project = await temporaryFolder();
  const { root, socket } = legionPaths(project);
  await mkdir(root);
  const others = join(project, "other.sock");
  const server = createServer().listen(others);
  try {
    await writeFile(socket, others);
    expect(await findNode(socket)).toBeUndefined();
    const lure = join(project, "legion-abcdef");
    await mkdir(lure);
    await chmod(lure, 0o755);
    await writeFile(socket, join(lure, "legion.sock"));
    expect(await findNode(socket)).toBeUndefined();
  } finally {
    server.close();
  }
});
