import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { serve } from "../../control/serve.ts";
import { createWorld, openWorld, readEvents, temporaryFolder, type WorldAgent } from "../../world.ts";
import { legion } from "../legion.ts";

const noop = { calls: [{ action: "noop" }] };
const never = (): Promise<never> => new Promise(() => undefined);

async function restingProject(agents: Readonly<Record<string, WorldAgent>> = { "1": {}, "2": {} }) {
  const project = await temporaryFolder();
  await (await openWorld(project, agents)).stop();
  return project;
}

async function noticesOf(project: string, agent: string): Promise<readonly string[]> {
  const events = await readEvents(project, agent);
  return events.flatMap((event) => (event.kind === "notice" ? [event.reason] : []));
}

it("pauses and resumes agents of a running node", async () => {
  const world = await createWorld({ "1": {}, "2": { script: [noop] } });
  await serve(world);
  const typed = async (...argv: string[]) => (await legion(argv, { cwd: world.project })).out;

  expect(await typed("pause", "2")).toBe("Agent 2: paused until `legion resume 2`.\n");
  await world.say("2", "Work");
  await world.idle();
  expect(await world.kinds("2", "decision")).toEqual([]);
  expect(await typed("pause", "all")).toBe(
    "Agent 1: paused until `legion resume 1`.\nAgent 2: paused already.\n",
  );
  expect(await typed("resume", "1,2")).toBe("Agent 1 and Agent 2: resumed.\n");
  await world.idle();
  expect(await world.kinds("2", "decision")).toHaveLength(1);
  expect(await typed("resume", "2")).toBe("Agent 2: neither paused nor parked.\n");
});

it("pauses and resumes agents while no node runs", async () => {
  const project = await restingProject();
  const typed = async (...argv: string[]) => (await legion(argv, { cwd: project })).out;

  expect(await typed("pause", "2")).toBe("Agent 2: paused until `legion resume 2`.\n");
  expect(await typed("pause", "all")).toMatch(/^Agent 1: paused until .*\nAgent 2: paused already\.\n$/);
  expect((await legion(["ps", "--json"], { cwd: project })).json).toMatchObject([
    { id: "1", state: "paused", reason: "by Control", waitingFor: "resume" },
    { id: "2", state: "paused" },
  ]);
  expect(await typed("resume", "all")).toBe("Agent 1 and Agent 2: resumed.\n");
  expect(await typed("resume", "1")).toBe("Agent 1: neither paused nor parked.\n");
  expect(await noticesOf(project, "2")).toEqual(["paused", "resumed"]);
});

it("keeps an agent paused over the start that follows", async () => {
  const project = await restingProject();
  await legion(["pause", "2"], { cwd: project });
  await legion(["send", "2", "Work"], { cwd: project });
  const world = await openWorld(project, { "2": { script: [noop] } });
  await world.idle();
  expect(await world.kinds("2", "decision")).toEqual([]);
  expect(world.agent("2").standing).toMatchObject({ state: "paused", reason: "by Control" });
});

it.each([[["pause", "1"]], [["pause", "2"]], [["send", "1", "Hello"]]])(
  "delivers with %j what a crash left undelivered",
  async (argv) => {
    const tell = { action: "sendMessage", parameters: { targetAgentId: "2", message: "For you" } };
    const world = await createWorld({ "1": { script: [{ calls: [tell] }] }, "2": {} });
    await world.say("1", "Tell them");
    await world.idle();
    await world.stop();
    const folder = (id: string): string => join(world.project, ".ai-legion/agents", id);
    const log = join(folder("1"), "log/00000001-000.jsonl");
    const lines = (await readFile(log, "utf8")).split(/(?<=\n)/);
    await writeFile(
      log,
      lines.slice(0, lines.findIndex((line) => line.includes('"kind":"result"')) + 1).join(""),
    );
    for (const name of ["log", "mailbox"])
      await rm(join(folder("2"), name), { recursive: true, force: true });
    const unread = async (): Promise<unknown> =>
      (await legion(["ps", "--json"], { cwd: world.project })).json.at(1);
    expect(await unread()).toMatchObject({ id: "2", unread: 0 });

    await legion(argv, { cwd: world.project });
    expect(await unread()).toMatchObject({ id: "2", unread: 1 });
  },
);

it("aborts what an agent is doing", async () => {
  const world = await createWorld({ "2": { script: (_, index) => (index === 0 ? never() : noop) } });
  await serve(world);
  await world.say("2", "Work");
  await world.until((seen) => seen.kind === "live:state" && seen.state === "thinking");
  const { out } = await legion(["abort", "2"], { cwd: world.project });
  expect(out).toBe("Agent 2: told to stop at once.\n");
  await world.idle();
  expect(await world.kinds("2", "decision")).toMatchObject([{ stop: "aborted" }]);
});

it("says of an agent that is not at work that there was nothing to abort, and leaves no word behind", async () => {
  const world = await createWorld({
    "1": {},
    "2": { script: (_, index) => (index === 0 ? never() : noop) },
    "3": { script: [noop] },
  });
  await serve(world);
  const typed = async (...argv: string[]) => (await legion(argv, { cwd: world.project })).out;
  expect(await typed("abort", "3")).toBe("Agent 3: not at work, so there was nothing to abort.\n");
  await world.say("2", "Work");
  await world.until((seen) => seen.kind === "live:state" && seen.state === "thinking");
  await typed("stop", "1");
  expect(await typed("abort", "all")).toBe(
    "Agent 2: told to stop at once.\nAgent 1 and Agent 3: not at work, so there was nothing to abort.\n",
  );
  await world.idle();
  await world.say("3", "Work");
  await world.idle();
  const heard = (await world.kinds("3", "message")).map(({ message }) => message.content);
  expect(heard).toEqual(["Work"]);
  expect(await world.kinds("1", "message")).toEqual([]);
});

it("leaves no word to stop behind while no node runs: it would cancel mail at some later start", async () => {
  const project = await restingProject();
  await legion(["send", "2", "Work"], { cwd: project });
  const refused = await legion(["abort", "all"], { cwd: project });
  expect(refused).toMatchObject({
    exitCode: 1,
    err: "legion: no node runs here: there is nothing to abort\n",
  });
  const world = await openWorld(project, { "1": {}, "2": {} });
  await world.idle();
  expect((await world.kinds("2", "message")).map(({ message }) => message.content)).toEqual(["Work"]);
});

it("stops one agent of a running node", async () => {
  const world = await createWorld({ "1": {}, "2": {} });
  await serve(world);
  const typed = async (...argv: string[]) => (await legion(argv, { cwd: world.project })).out;
  expect(await typed("stop", "2")).toBe("Agent 2: stopped; the next start runs it again.\n");
  expect(await typed("stop", "2")).toBe("Agent 2: stopped already.\n");
  expect(world.agent("2").standing.state).toBe("stopped");
  expect(world.agent("1").standing.state).toBe("idle");
});

it("ends a node and says so when it has ended", async () => {
  const world = await createWorld({ "1": {} });
  const { asked, close } = await serve(world);
  const stopping = legion(["stop"], { cwd: world.project });
  await asked;
  await close();
  await world.stop();
  expect(await stopping).toMatchObject({ exitCode: 0, out: `Node ${process.pid} has ended.\n` });
});

it.each([[["stop"]], [["stop", "2"]]])("has nothing to stop with %j while no node runs", async (argv) => {
  const { exitCode, err } = await legion(argv, { cwd: await restingProject() });
  expect({ exitCode, err }).toEqual({
    exitCode: 1,
    err: "legion: no node runs here: there is nothing to stop\n",
  });
});

it.each(["abort", "pause", "resume", "stop"])("refuses to %s an unknown agent", async (name) => {
  const project = await restingProject();
  const { exitCode, err } = await legion([name, "9"], { cwd: project });
  expect({ exitCode, err }).toEqual({ exitCode: 2, err: 'legion: there is no agent "9"; known: 1, 2\n' });
});
