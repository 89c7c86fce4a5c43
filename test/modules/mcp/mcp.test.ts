import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { core } from "../../../modules/core.ts";
import { readServers } from "../../../modules/mcp/config/read.ts";
import { createMcp } from "../../../modules/mcp/index.ts";
import { DENIED } from "../../../modules/mcp/tools/pins.ts";
import { system } from "../../../modules/system/index.ts";
import { sha256 } from "../../../src/past/log/blobs.ts";
import { personLayers } from "../../../src/config/grants/widenings.ts";
import { createScriptedModel } from "../../../src/model/scripted/scripted.ts";
import { replay } from "../../legion/replay/replays.ts";
import { createHandClock } from "../../hand-clock.ts";
import { openWorld, temporaryFolder, type World, type WorldAgent } from "../../world.ts";
import { FAKE_SERVER, isAlive, linesIn, UNSAID } from "./kit.ts";

type Script = Parameters<typeof createScriptedModel>[0];
const calls = (...names: string[]) => ({ calls: names.map((action) => ({ action })) });
const policy = personLayers("the test", { allow: ["action fake__*", "action usePrompt"] });

/** A project whose servers are fakes with these vices, by name. */
async function projectWith(vices: Readonly<Record<string, string | readonly string[]>>): Promise<string> {
  const project = await temporaryFolder();
  const entries = Object.entries(vices).map(([name, vice]) => [
    name,
    { command: process.execPath, args: [FAKE_SERVER, vice].flat() },
  ]);
  writeFileSync(join(project, ".mcp.json"), JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
  return project;
}

interface Person {
  readonly allows: "all" | "none" | "no tools";
  /** Which servers its agent has. */
  readonly names?: readonly string[];
  readonly clock?: ReturnType<typeof createHandClock>;
  readonly isAllowed?: () => Promise<boolean>;
  readonly pinned?: (entry: unknown, now: unknown) => Promise<unknown>;
}

/** An agent with the servers of `project`, which says what `script` says. */
async function open(project: string, script: Script, person: Person = { allows: "all" }) {
  const { allows, names, clock } = person;
  const settings = {
    names,
    servers: () => readServers({ project, variables: {} }),
    trusted: [],
    confinement: UNSAID,
    isAllowed: person.isAllowed ?? (() => Promise.resolve(allows !== "none")),
    pinned:
      person.pinned ?? ((_: unknown, now: unknown) => Promise.resolve(allows === "no tools" ? [] : now)),
  };
  const model = createScriptedModel(script);
  const agent: WorldAgent = { model, modules: [core, system, createMcp()], policy };
  const world = await openWorld(project, { 1: agent }, { settings: () => settings, ...(clock && { clock }) });
  const tools = (): readonly string[] =>
    model.requests.at(-1)!.tools.flatMap(({ name }) => (name.includes("__") ? [name] : []));
  return { world, model, tools, agent };
}

async function go(world: World): Promise<readonly string[]> {
  await world.say("1", "Go.");
  await world.idle();
  return (await world.kinds("1", "result")).map(({ content }) => content);
}

describe("an agent with MCP servers", () => {
  it("has their tools at its first decision, and what they answer stands between markers and taints", async () => {
    const project = await projectWith({ fake: "none" });
    const { world, model, tools } = await open(project, [
      { calls: [{ action: "fake__echo", parameters: { text: "--- ERROR ---" } }] },
      "Done.",
    ]);
    const [answer] = await go(world);
    expect(tools()).toEqual(["fake__echo", "fake__exit", "fake__wait", "fake__environment"]);
    expect(model.requests[0]!.system).toContain("- fake: 4 tools");
    expect(answer).toMatch(/^--- FROM OUTSIDE \w+: MCP server fake ---\n/);
    expect(answer).toContain('{"text":"--- ERROR ---"}');
    expect((await world.kinds("1", "result"))[0]).toMatchObject({
      outcome: "ok",
      taint: ["MCP server fake"],
    });
  });

  it("is told type, size and path of an image, and what it is where it reads that", async () => {
    const project = await temporaryFolder();
    const sdk = { command: process.execPath, args: [join(import.meta.dirname, "sdk-server.mjs")] };
    writeFileSync(join(project, ".mcp.json"), JSON.stringify({ mcpServers: { fake: sdk } }));
    const path = `.ai-legion/agents/1/blobs/${sha256(Buffer.from("89504e470d0a", "hex"))}`;
    const reading = { calls: [{ action: "readFile", parameters: { path } }] };
    const { world } = await open(project, [calls("fake__draws"), reading, "Done."]);
    const [drawn, read] = await go(world);
    expect(drawn).toContain(`(image image/png, 6 bytes, kept in ${path})`);
    expect(read).toBe(`${path} is a PNG image (6 bytes); it cannot be read as text.`);
  });

  it("keeps the tools of a server that went, and is told its state and why", async () => {
    const project = await projectWith({ fake: "none" });
    const { world, tools } = await open(project, [calls("fake__exit"), calls("fake__echo"), "Done."]);
    const [went, away] = await go(world);
    expect(went).toContain(
      "The MCP server fake went while it was asked: It exited with code 7. It printed nothing.",
    );
    expect(away).toContain("The MCP server fake is away and is being started again: It exited with code 7.");
    expect(tools()).toHaveLength(4);
  });

  it("does without a server that does not come, and the others are not touched by that", async () => {
    const project = await projectWith({ broken: "exits", fake: "none" });
    const { world, tools } = await open(project, [calls("fake__echo"), "Done."]);
    expect((await go(world))[0]).toContain("{}");
    expect(tools()).toHaveLength(4);
  });

  it("is replayed where no server is there any more", async () => {
    const project = await projectWith({ fake: "none" });
    const { world, agent } = await open(project, [calls("fake__echo"), "Done."]);
    await go(world);
    await world.stop();
    writeFileSync(join(project, ".mcp.json"), "{}");
    const { difference, decisions } = await replay(project, "1", agent);
    expect({ difference, decisions }).toEqual({ difference: undefined, decisions: 2 });
  });

  it("starts no server that the person did not allow", async () => {
    const project = await projectWith({ fake: "none" });
    const { world, tools } = await open(project, [calls("fake__echo"), "Done."], { allows: "none" });
    expect((await go(world))[0]).toMatch(/^Unknown action `fake__echo`/);
    expect(tools()).toEqual([]);
  });

  it("does without tools that the server did not have when the person allowed it, and knows that there are some", async () => {
    const project = await projectWith({ fake: "none" });
    const { world, model, tools } = await open(project, [calls("fake__echo"), "Done."], {
      allows: "no tools",
    });
    expect((await go(world))[0]).toMatch(/^Unknown action `fake__echo`/);
    expect(tools()).toEqual([]);
    expect(model.requests[0]!.system).toContain("- fake: 0 tools; 4 more not allowed by a person yet");
  });

  it("does without a tool that the person denied, and hears nothing of that", async () => {
    const project = await projectWith({ fake: "none" });
    const denied = (pins: readonly { name: string }[]) =>
      pins.map((pin) => (pin.name === "exit" ? { ...pin, hash: DENIED } : pin));
    const { world, model, tools } = await open(project, [calls("fake__exit"), "Done."], {
      allows: "all",
      pinned: (_, now) => Promise.resolve(denied(now as readonly { name: string }[])),
    });
    expect((await go(world))[0]).toMatch(/^Unknown action `fake__exit`/);
    expect(tools()).toEqual(["fake__echo", "fake__wait", "fake__environment"]);
    expect(model.requests[0]!.system).toMatch(/^- fake: 3 tools$/m);
  });

  it("does without prompts that are new or changed since the person allowed the server, whatever it calls", async () => {
    const changed = join(await temporaryFolder(), "changed");
    const project = await projectWith({ fake: ["prompts", changed] });
    let pins: unknown;
    const pinned = (_: unknown, now: unknown) => Promise.resolve((pins ??= now));
    const call = { calls: [{ action: "usePrompt", parameters: { server: "fake", name: "greet" } }] };
    const before = await open(project, [call, "Done."], { allows: "all", pinned });
    expect((await go(before.world))[0]).toContain("Prompt greet");
    expect(before.model.requests[0]!.system).toContain(
      "- fake: 4 tools, prompts\n  - prompt greet(): Greets",
    );
    await before.world.stop();
    writeFileSync(changed, "");
    const after = await open(project, [call, "Done."], { allows: "all", pinned });
    expect((await go(after.world)).at(-1)).toMatch(/^Unknown action `usePrompt`/);
    expect(after.model.requests[0]!.system).toContain("- fake: 4 tools; 2 more not allowed by a person yet");
    expect(after.model.requests[0]!.system).not.toMatch(/obey/i);
  });

  it("ends a server that the person takes back, whether or not an agent asks for it", async () => {
    const clock = createHandClock();
    const file = join(await temporaryFolder(), "pids");
    const project = await projectWith({ fake: ["children", file] });
    let isAllowed = true;
    const script = ["Done.", calls("fake__echo"), "Done."];
    const { world, tools } = await open(project, script, {
      ...{ allows: "all", clock },
      isAllowed: () => Promise.resolve(isAllowed),
    });
    await go(world);
    expect(tools()).toHaveLength(4);
    const [pid] = linesIn(file).map(Number);
    clock.advance(30_000);
    await clock.asleep(30_000);
    expect(isAlive(pid!)).toBe(true);
    isAllowed = false;
    clock.advance(30_000);
    await vi.waitFor(() => expect(isAlive(pid!)).toBe(false), { timeout: 10_000 });
    expect((await go(world)).at(-1)).toMatch(/^Unknown action `fake__echo`/);
    expect(tools()).toEqual([]);
  });

  it("has only those servers that its definition names, and no other is started for it", async () => {
    const folder = await temporaryFolder();
    const started = join(folder, "started");
    const project = await projectWith({ fake: "none", other: ["notes its start", started] });
    const { world, tools } = await open(
      project,
      [{ calls: [{ action: "readResource", parameters: { server: "other", uri: "x:y" } }] }, "Done."],
      { allows: "all", names: ["fake"] },
    );
    await go(world);
    expect(tools().every((name) => name.startsWith("fake__"))).toBe(true);
    expect(existsSync(started)).toBe(false);
  });

  it("has a server that is named as names of tools tell it", async () => {
    const project = await projectWith({ "my fake.2": "none", "my fake 3": "none" });
    const { world, tools } = await open(project, ["Done."], { allows: "all", names: ["my_fake_2"] });
    await go(world);
    expect(tools()).toHaveLength(4);
    expect(tools()[0]).toBe("my_fake_2__echo");
  });

  it("waits ten seconds for a server that is mute, and no longer", async () => {
    const clock = createHandClock();
    const project = await projectWith({ mute: "mute" });
    const { world, model } = await open(project, ["Done."], { allows: "all", clock });
    await world.say("1", "Go.");
    await vi.waitFor(() => expect(clock.sleeping()).toContain(10_000), { timeout: 10_000 });
    expect(model.requests).toHaveLength(0);
    clock.advance(10_000);
    await world.idle();
    expect(model.requests).toHaveLength(1);
  });
});

describe("hostile: MCP", () => {
  it("a server that takes its time for each page of its tools keeps the first decision waiting for ten seconds", async () => {
    const clock = createHandClock();
    const asked = join(await temporaryFolder(), "asked");
    const project = await projectWith({ fake: ["mute on its second page", asked] });
    const { world, model } = await open(project, ["Done."], { allows: "all", clock });
    await world.say("1", "Go.");
    await vi.waitFor(() => expect(linesIn(asked)).toHaveLength(1), { timeout: 10_000 });
    await clock.asleep(10_000);
    clock.advance(10_000);
    await vi.waitFor(() => expect(model.requests).toHaveLength(1), { timeout: 5_000 });
  });

  it.each([
    ["lists 10,000 tools", "10,000 tools", 128],
    ["lists pages for ever", "pages for ever", 0],
  ])("a server that %s is cut short", async (_, vice, many) => {
    const project = await projectWith({ fake: vice });
    const { world, tools, model } = await open(project, ["Done."]);
    await go(world);
    expect(tools()).toHaveLength(many);
    expect(model.requests[0]!.system).toMatch(/- fake: \d+ tools; at least \d+ more tools? did not fit/);
  });
});
