import { expect, it } from "vitest";
import { PRICE } from "../../../spending.ts";
import { createWorld, temporaryFolder, type World } from "../../../world.ts";
import { legion } from "../../legion.ts";

const tell = { calls: [{ action: "sendMessage", parameters: { targetAgentId: "2", message: "Look." } }] };
const noop = { calls: [{ action: "noop" }] };

async function twoCauses(): Promise<World> {
  const profile = { price: PRICE };
  const world = await createWorld({
    1: { script: [tell, noop], profile },
    2: { script: [noop, noop], profile },
  });
  await world.say("1", "Find\u001b[31m the\nkey.");
  await world.idle();
  await world.say("2", "And the door.");
  await world.idle();
  return world;
}

it("ps --by cause says what each first message cost, over all agents that worked for it", async () => {
  const { project } = await twoCauses();
  const { json, out, exitCode } = await legion(["ps", "--by", "cause", "--json"], { cwd: project });
  expect(exitCode).toBe(0);
  expect(json).toMatchObject([
    { cause: "0>1#1", from: "0", text: "Find\u001b[31m the\nkey.", agents: ["1", "2"], steps: 3 },
    { cause: "0>2#1", from: "0", text: "And the door.", agents: ["2"], steps: 1 },
  ]);
  expect(Object.keys(json[0]!)).toEqual("cause from at text agents steps tokens cost timeMs".split(" "));
  expect(out).not.toContain("\u001b");
  const agents = (await legion(["ps", "--json"], { cwd: project })).json as {
    cost: number;
    tokens: number;
  }[];
  const causes = json as typeof agents;
  const total = (list: typeof agents, of: "cost" | "tokens"): number =>
    list.reduce((sum, one) => sum + one[of], 0);
  expect(total(causes, "tokens")).toBe(total(agents, "tokens"));
  expect(total(causes, "cost")).toBeCloseTo(total(agents, "cost"), 9);
});

it("its table fits, and holds nothing that a terminal could act on", async () => {
  const { project } = await twoCauses();
  const { out } = await legion(["ps", "--by", "cause"], { cwd: project, columns: 100 });
  const [titles, first, second] = out.split("\n");
  expect(titles).toMatch(/^CAUSE +SAID +.*COST +.*MESSAGE/);
  expect(first).toMatch(/^0>1#1 .* \$0\.\d{4} .*Find.* the key\.$/);
  expect(second).toMatch(/And the door\.$/);
  expect(out).not.toContain("\u001b");
  for (const columns of [100, 60, 40])
    for (const line of (await legion(["ps", "--by", "cause"], { cwd: project, columns })).out.split("\n"))
      expect(line.length).toBeLessThanOrEqual(columns);
});

it("says so where nobody has spent anything, and what it can be asked for", async () => {
  const cwd = await temporaryFolder();
  expect((await legion(["ps", "--by", "cause"], { cwd })).out).toContain("Nobody has spent anything yet");
  const unknown = await legion(["ps", "--by", "agent"], { cwd });
  expect([unknown.exitCode, unknown.err]).toEqual([2, 'legion: --by: expected cause, not "agent"\n']);
  const watched = await legion(["ps", "--by", "cause", "-w"], { cwd });
  expect([watched.exitCode, watched.err]).toEqual([2, expect.stringContaining("--watch")]);
  expect((await legion(["ps", "--help"], { cwd })).out).toContain("A cause is the message that began");
});
