import { describe, expect, it } from "vitest";
import { createTempProject } from "../../temp-project.ts";
import { createScriptedModel } from "../../../src/model/scripted/scripted.ts";
import { redisIsThere, startRedis } from "../../storage/redis/servers.ts";
import { busy, PRICE } from "../../spending.ts";
import { createWorld, openWorld, temporaryFolder, type World } from "../../world.ts";
import { serve } from "../../control/serve.ts";
import { legion } from "../legion.ts";
import { type } from "../terminals.ts";

const MINUTES_MS = 180_000;

async function steps(world: World, id: string): Promise<number> {
  return (await world.kinds(id, "prompted")).length;
}

async function served(...[agents, options]: Parameters<typeof createWorld>) {
  const world = await createWorld(agents, options);
  await serve(world);
  const typed = async (...argv: string[]): Promise<string> => {
    const { exitCode, out, err } = await legion(argv, { cwd: world.project });
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    return out;
  };
  return { world, typed };
}

describe("legion limits", () => {
  it("lets an agent go on that stands still at its own, up to the new limit and not beyond (G1)", async () => {
    const { world, typed } = await served({
      1: { script: busy, limits: { steps: 2 } },
      2: { script: busy, limits: { steps: 2 } },
    });
    await world.say("1", "Go.");
    await world.idle();
    expect(await typed("limits")).toMatch(/^WHO.*\nall together +2 .*\nAgent 1 +2 of 2 .*\nAgent 2 +0 of 2 /);
    expect(await typed("ps")).toContain("this agent may make 2 model calls");
    expect(await typed("limits", "1", "steps=+3")).toBe("Agent 1: may spend 5 steps.\n");
    await world.idle();
    expect([await steps(world, "1"), await steps(world, "2")]).toEqual([5, 0]);
    expect(await typed("limits", "all", "steps=7,tokens=none")).toBe(
      "Agent 1 and Agent 2: may spend 7 steps.\n",
    );
    await world.idle();
    expect(await steps(world, "1")).toBe(7);
    expect(await typed("log", "1")).toMatch(/notice +limits: 5 steps\n.*notice +resumed: /);
  });

  it("binds at once where it is lowered, and says why the agent stands still", async () => {
    const { world, typed } = await served({ 1: { script: busy, limits: { steps: 9 } } });
    expect(await typed("limits", "1", "steps=1")).toBe("Agent 1: may spend 1 step.\n");
    await world.say("1", "Go.");
    await world.idle();
    expect(await steps(world, "1")).toBe(1);
    expect(await typed("limits", "1", "none")).toBe(
      "Agent 1: may spend what they need: nothing limits it.\n",
    );
  });

  it("holds after a restart, until a start says something else (G2)", async () => {
    const { world, typed } = await served({ 1: { script: busy, limits: { steps: 1 } } });
    await typed("limits", "1", "steps=2");
    const model = createScriptedModel(busy);
    const again = await world.restart({ 1: { model, limits: { steps: 1 } } });
    await again.say("1", "Go.");
    await again.idle();
    expect(model.requests).toHaveLength(2);
    const last = await again.restart({ 1: { model, limits: { steps: 3 } } });
    await last.idle();
    expect(model.requests, "a higher limit lets it go on").toHaveLength(3);
  });

  it("lets all go on that stand still at what they may spend together, and nobody who is at their own (G1)", async () => {
    const limits = { tokens: 40_000, cost: 5 };
    const priced = { profile: { price: PRICE } };
    const { world, typed } = await served(
      {
        1: { script: busy, ...priced },
        2: { script: busy, ...priced },
        3: { script: busy, limits: { steps: 1 } },
      },
      { limits },
    );
    await world.say("3", "Go.");
    await world.idle();
    await world.say("1", "Go.");
    await world.say("2", "Go.");
    await world.idle();
    const before = await Promise.all(["1", "2", "3"].map((id) => steps(world, id)));
    expect(world.legion.budget.spent().tokens).toBeLessThanOrEqual(40_000);
    expect(await typed("limits", "tokens=+40000,cost=4")).toMatch(
      /^All together may spend \d+ tokens, 4 USD\.\n$/,
    );
    await world.idle();
    const after = await Promise.all(["1", "2", "3"].map((id) => steps(world, id)));
    expect(after[0]! + after[1]!).toBeGreaterThan(before[0]! + before[1]!);
    expect(after[2]).toBe(1);
    expect(world.legion.budget.spent().tokens).toBeLessThanOrEqual(world.legion.limiting.limits.tokens!);
  });

  it("is said to an agent while no node runs, and to all together only where one does", async () => {
    const project = await temporaryFolder();
    const one = { 1: { script: busy, limits: { steps: 2 } } };
    await (await openWorld(project, one)).stop();
    expect((await legion(["limits", "1", "steps=4"], { cwd: project })).out).toBe(
      "Agent 1: may spend 4 steps.\n",
    );
    expect((await legion(["limits", "--json"], { cwd: project })).json).toMatchObject([
      { limits: {} },
      { id: "1", limits: { steps: 4 }, spent: { steps: 0 } },
    ]);
    const refused = await legion(["limits", "cost=3"], { cwd: project });
    expect(refused).toMatchObject({ exitCode: 1, out: "" });
    expect(refused.err).toBe(
      "legion: no node runs this legion; `legion start --limits <limits>` says what all agents may spend\n",
    );
    const world = await openWorld(project, one);
    await world.say("1", "Go.");
    await world.idle();
    expect(await steps(world, "1")).toBe(4);
  });

  it.each([
    [["1", "steps=0"], /^legion: steps: "0" is no limit; write a whole number above 0, or none\n$/],
    [["1", "steps=+"], /^legion: .*is no limit; write a whole number above 0, or none\n$/],
    [["1", "step=9"], /^legion: "step=9" is no limit; did you mean steps=\.\.\.\?\n$/],
    [["steps=3", "1"], /^legion: agents come first: legion limits 1 steps=3\n$/],
    [["7", "steps=3"], /^legion: there is no agent "7"/],
    [
      ["1", "cost=3"],
      /^legion: nothing limits what Agent 1 costs; `legion start --limits cost=3` sets a first limit\n$/,
    ],
    [
      ["cost=3"],
      /^legion: nothing limits what the legion costs; `legion start --limits cost=3` sets a first limit\n$/,
    ],
  ])("refuses %j in one line, having changed nothing", async (argv, words) => {
    const { world } = await served({ 1: { limits: { steps: 2 } } });
    const { exitCode, err } = await legion(["limits", ...argv], { cwd: world.project });
    expect(err).toMatch(words);
    expect(exitCode).not.toBe(0);
    expect(await world.kinds("1", "notice")).toEqual([]);
  });

  it(
    "of all together is what the next start takes over, without a question",
    { timeout: MINUTES_MS },
    async () => {
      const dir = ["--dir", await createTempProject()];
      const offline = ["--model", "offline", "--tick", "0", ...dir];
      const node = type("start", "2", "--limits", "cost=1,tokens=900", ...offline);
      await node.until("2 agents on offline");
      expect((await type("limits", "tokens=+70000", ...dir).ended).out).toBe(
        "All together may spend 70000 tokens, 1 USD.\n",
      );
      node.kill("SIGTERM");
      await node.ended;
      const again = type("start", ...dir);
      await again.until("2 agents on offline");
      expect((await type("limits", ...dir).ended).out).toMatch(
        /^all together +0 +0 of 70000 +\$0\.00 of \$1\.00 /m,
      );
    },
  );
});

describe.runIf(redisIsThere)("legion limits in Redis", () => {
  it("are one for agents on two nodes, said from a third place (G1)", { timeout: MINUTES_MS }, async () => {
    const server = await startRedis();
    try {
      const where = ["--bus", server.url, "--name", "raised"];
      const folders = await Promise.all([1, 2, 3].map(() => createTempProject()));
      const flags = ["--model", "offline", "--tick", "0", "--limits", "tokens=5000,steps=50", ...where];
      const start = async (ids: string, dir: string) => {
        const node = type("start", "--agents", ids, ...flags, "--dir", dir);
        await node.until("on offline");
        return node;
      };
      await start("1", folders[0]!);
      await start("2", folders[1]!);
      const typed = async (...argv: string[]) =>
        (await type(...argv, "--dir", folders[2]!, ...where).ended).out;
      await typed("send", "all", "note a: b then note c: d then note e: f");
      const parked = async (): Promise<void> => {
        for (;;) if ((await typed("ps")).match(/ parked /g)?.length === 2) return;
      };
      await parked();
      expect(await typed("ps")).toContain("the legion may use 5000 tokens");
      expect(await typed("limits", "tokens=90000")).toBe("All together may spend 90000 tokens.\n");
      const idle = async (): Promise<void> => {
        for (;;) if ((await typed("ps")).match(/ idle /g)?.length === 2) return;
      };
      await idle();
      expect(await typed("notes", "1")).toContain("e");
      expect(await typed("limits", "2", "steps=99")).toBe("Agent 2: may spend 99 steps.\n");
      expect(await typed("limits")).toMatch(
        /^all together .* of 90000 .*\nAgent 1 +\d+ of 50 .*\nAgent 2 +\d+ of 99 /m,
      );
    } finally {
      await server.stop();
    }
  });
});
