import { describe, expect, it, onTestFinished } from "vitest";
import { MAX_CONTENT_BYTES } from "../../../src/domain/message/message.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { openNode } from "../../../src/legion/opening/open-node.ts";
import { createSpawner, MAX_SPAWNED } from "../../../src/legion/opening/spawner.ts";
import { createTempProject } from "../../temp-project.ts";
import { readEvents } from "../../world.ts";

const WEATHER = `import { defineModule } from "ai-legion";
export const weather = defineModule({ name: "weather", actions: {} });`;
const FILES = {
  "agents/Code Reviewer.md": "---\nmodules: [core, messaging]\n---\nYou review.",
  "agents/coded.md": "---\nmodules: [core, ./weather.mjs]\n---\nYou run code.",
  "weather.mjs": WEATHER,
  "agents/paid.md": "---\nmodel: anthropic/claude-sonnet-4-5\nmodules: [core]\n---\nYou cost.",
  "secret.md": "---\nmodules: [core]\n---\nNot meant.",
};

async function openSpawner(folder?: string, agent?: string) {
  const project = folder ?? (await createTempProject(FILES));
  const { XDG_CONFIG_HOME = "", PATH = "" } = process.env;
  const env = { XDG_CONFIG_HOME, PATH, LEGION_MODEL: "offline", ANTHROPIC_API_KEY: "none" };
  const flags = { tick: "0", agent };
  const config = await loadConfig({ projectDir: project, env, flags });
  const opened = await openNode({
    ...{ config, project, env, plans: [], limits: {}, heartbeatMs: "off" },
    protectedPaths: () => [],
  });
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= opened.legion.stop().then(() => opened.backend.close()));
  onTestFinished(stop);
  const { legion } = opened;
  return { project, legion, stop, spawner: createSpawner({ opened, config, project, env }) };
}

const order = { agent: "Code Reviewer", task: "noop", request: "c-1" };

describe("agents of other programs", () => {
  it("are one agent for one call, whenever it is repeated (K8)", async () => {
    const { project, legion, spawner, stop } = await openSpawner();
    const [first, same] = await Promise.all([spawner.spawn(order), spawner.spawn(order)]);
    expect(first).toMatchObject({
      agent: expect.stringMatching(/^code-reviewer-[0-9a-f]{8}$/),
      isRepeated: false,
    });
    expect(same).toEqual({ ...first, isRepeated: true });
    expect([...legion.agents.keys()]).toEqual([first.agent]);
    await stop();
    const later = await openSpawner(project);
    expect(await later.spawner.spawn(order)).toEqual(same);
    expect([...later.legion.agents.keys()]).toEqual([first.agent]);
    await later.legion.untilIdle(new AbortController().signal);
    const events = await readEvents(project, first.agent);
    expect(events.filter(({ kind }) => kind === "message")).toHaveLength(1);
  });

  it("are one agent for one call without a definition, also where the project chooses another one by then (K8)", async () => {
    const call = { task: "noop", request: "c-1" };
    const { project, spawner, stop } = await openSpawner(undefined, "Code Reviewer");
    const first = await spawner.spawn(call);
    await stop();
    const later = await openSpawner(project);
    expect(await later.spawner.spawn(call)).toEqual({ ...first, isRepeated: true });
    expect([...later.legion.agents.keys()]).toEqual([first.agent]);
  });

  it("are given their task where the first try came to an end between the two (K8)", async () => {
    const { legion, spawner } = await openSpawner();
    await expect(spawner.spawn({ ...order, task: "x".repeat(MAX_CONTENT_BYTES + 1) })).rejects.toThrow(
      /bytes/,
    );
    const [agent] = legion.agents.keys();
    expect(await spawner.spawn(order)).toMatchObject({ agent, isRepeated: false });
    expect(legion.agents.size).toBe(1);
  });

  it("that a person stopped stay stopped in that node", async () => {
    const { legion, spawner } = await openSpawner();
    const { agent } = await spawner.spawn(order);
    await legion.dismiss(agent);
    expect(await spawner.wake([agent])).toEqual([
      expect.stringMatching(/: a person stopped it; `legion start/),
    ]);
    await spawner.spawn(order);
    expect(legion.agents.get(agent)?.standing.state).toBe("stopped");
  });

  it.each([
    ["a definition that is not there", { ...order, agent: "Code Viewer" }, /no.*agent.*Code Viewer/i],
    [
      "what costs where nothing limits that",
      { ...order, agent: "paid" },
      /anthropic\/claude-\S+ costs, and the legion runs without a limit for that; `legion start --limits/,
    ],
    ["code that nobody trusted", { ...order, agent: "coded" }, /code that you have not trusted: weather.mjs/],
    [
      "the name of another call",
      { ...order, agent: "assistant", request: "taken" },
      /was the id of another call/,
    ],
    [
      "other words for the same call",
      { ...order, request: "taken", task: "help" },
      /was the id of another call/,
    ],
  ])("are refused for %s, and nobody comes", async (_, wanted, why) => {
    const { legion, spawner } = await openSpawner();
    await spawner.spawn({ ...order, request: "taken" });
    await expect(spawner.spawn(wanted)).rejects.toThrow(why);
    expect(legion.agents.size).toBe(1);
  });

  it(`are at most ${MAX_SPAWNED} at once, also with those of before`, async () => {
    const before = await openSpawner();
    const { agent: old } = await before.spawner.spawn({ ...order, request: "old" });
    await before.stop();
    const { legion, spawner } = await openSpawner(before.project);
    for (let n = 0; n < MAX_SPAWNED; n++) await spawner.spawn({ ...order, request: `n-${n}` });
    await expect(spawner.spawn(order)).rejects.toThrow(
      /as many as there may be; `legion stop <id>` ends one/,
    );
    expect(await spawner.wake([old])).toEqual([expect.stringMatching(/as many as there may be/)]);
    await legion.dismiss((await spawner.spawn({ ...order, request: "n-3" })).agent);
    expect(await spawner.spawn(order)).toMatchObject({ isRepeated: false });
  });
});
