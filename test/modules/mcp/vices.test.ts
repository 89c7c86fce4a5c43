import { describe, expect, it, vi } from "vitest";
import { createMcp } from "../../../modules/mcp/index.ts";
import { serverLine } from "../../../src/cli/look/server-line.ts";
import { temporaryFolder } from "../../world.ts";
import { openAgent } from "./agent.ts";
import { FAKE_SERVER } from "./kit.ts";

const fake = (vice: string): object => ({ command: process.execPath, args: [FAKE_SERVER, vice] });

/** An agent with a server of this vice, and another one without. */
async function open(vice: string, callMs?: number) {
  const servers = { fake: fake(vice), other: fake("none") };
  return openAgent({ folder: await temporaryFolder(), servers, callMs });
}

it("a call that tells of its progress may take longer than a call that does not, and a person sees how far it is", async () => {
  const { call } = await open("slow, with progress", 2_000);
  const seen: string[] = [];
  const answer = await call("fake", "wait", {}, { progress: (text) => void seen.push(text) });
  expect(answer).toMatchObject({ outcome: "ok", content: "done at last" });
  expect(seen).toEqual([1, 2, 3, 4, 5].map((step) => `${step} of 6\n`));
  expect(await call("other", "wait")).toMatchObject({
    outcome: "error",
    content: "The MCP server other did not answer within 2 s. Whether it did what it was asked is unknown.",
  });
});

it("a call that comes before any decision, as after a restart, waits until its server is there", async () => {
  const { host, offer } = await open("none");
  const actions = createMcp().offers!.actions!(offer);
  expect(await actions["fake__echo"]!.execute({}, host)).toMatchObject({ outcome: "ok" });
});

it("of a server that runs once for each workspace a person sees which is which", async () => {
  const { host, look, statuses } = await open("none");
  await look({ programs: { ...host.programs, confinement: "of a copy", workspace: "/copy" } });
  const seen = statuses().filter(({ name }) => name === "fake");
  expect(seen.map(({ workspace }) => workspace)).toEqual([undefined, "/copy"]);
  expect(serverLine({ ...seen[1]!, node: "1@here" }, Date.parse(seen[1]!.since))).toBe(
    "ready for 0s, in /copy, 4 tools",
  );
});

describe("hostile: MCP", () => {
  it("a server that is deaf to cancel, and answers all the same, goes on, and its late answer is nobody's", async () => {
    const { call, status } = await open("deaf to cancel");
    const stop = new AbortController();
    const stopped = call("fake", "wait", {}, { signal: stop.signal });
    expect(await call("fake", "echo")).toMatchObject({ content: "{}" });
    stop.abort(new Error("stopped"));
    await expect(stopped).rejects.toThrow("stopped");
    expect(await call("fake", "echo", { a: 1 })).toMatchObject({ content: '{"a":1}' });
    expect(status("fake")).toMatchObject({ state: "ready", restarts: 0 });
  });

  it("a server that is mute when it is asked for its tools again keeps no decision waiting, and its tools stay", async () => {
    const { offer, look, clock } = await open("tells its tools once");
    clock.advance(30_000);
    const again = look();
    await vi.waitFor(() => expect(clock.sleeping()).toContain(1_000), { timeout: 5_000 });
    clock.advance(1_000);
    expect(await again).toEqual(offer);
  });

  it("a server that lies about what its tools do is not believed: each may happen only once", async () => {
    const { offer, instructions } = await open("lies");
    expect(offer.tools.filter(({ server }) => server === "fake")).toMatchObject([
      { tool: "echo", effects: "once" },
    ]);
    expect(instructions).toMatch(/^- fake: 1 tool$/m);
  });

  it("names of core's actions, of other servers, of objects and of nothing shadow nothing and show nothing unseen", async () => {
    const { offer, instructions, call } = await open("hostile names");
    const tools = offer.tools.filter(({ server }) => server === "fake");
    const names = tools.map(({ name }) => name);
    expect(names).toHaveLength(10);
    expect(new Set(offer.tools.map(({ name }) => name)).size).toBe(offer.tools.length);
    expect(names.slice(0, 5)).toEqual([
      "fake__noop",
      "fake__sendMessage",
      "fake__other__echo",
      "fake____proto__",
      "fake__constructor",
    ]);
    for (const name of names) expect(name).toMatch(/^fake__[\w-]{1,58}$/);
    for (const { description } of tools) {
      expect(description).not.toMatch(/\n|\p{C}/u);
      expect(description.length).toBeLessThanOrEqual(4_000);
    }
    expect(instructions).not.toMatch(/^--- ERROR|free/m);
    expect(await call("other", "echo", { mine: true })).toMatchObject({ content: '{"mine":true}' });
    expect(await call("fake", "__proto__", { a: 1 })).toMatchObject({ content: '{"a":1}' });
  });
});
