import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { goals } from "../../../modules/goals.ts";
import { messaging } from "../../../modules/messaging.ts";
import { notes } from "../../../modules/notes.ts";
import { billOf, causeSpending } from "../../../src/legion/spending/causes.ts";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { NOTHING, add } from "../../../src/past/limits/spending.ts";
import { toLine } from "../../../src/storage/folder/line.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { NOOP, PRICE, ask, asking } from "../../spending.ts";
import { createWorld, type World } from "../../world.ts";

const modules = [core, goals, notes, messaging, asking];
const profile = { price: PRICE };

function tell(to: string, message: string): ScriptedAnswer {
  return { calls: [{ action: "sendMessage", parameters: { targetAgentId: to, message } }] };
}

/** A lead that hands its first task on and asks the model itself, and a helper that answers it; the second task is the helper's. */
async function twoTasks(): Promise<World & { readonly roots: readonly string[] }> {
  const lead = { script: [tell("2", "Look for me."), NOOP, ask(2), "Found.", NOOP], modules, profile };
  const helper = { script: [tell("1", "It is there."), NOOP, NOOP], modules, profile };
  const world = await createWorld({ 1: lead, 2: helper });
  const [first] = await world.say("1", "Find\nthe key.");
  await world.idle();
  const [second] = await world.say("2", "Rest now.");
  await world.idle();
  return { ...world, roots: [first!, second!] };
}

it("a first message costs what all agents spent for it, and the causes together what the agents spent", async () => {
  const world = await twoTasks();
  const reader = createFileReader(world.project);
  const { causes, unread } = await billOf(reader);
  expect(unread).toEqual([]);
  expect(causes).toMatchObject([
    { root: world.roots[0], agents: ["1", "2"], first: { opening: "Find\nthe key." } },
    { root: world.roots[1], agents: ["2"], first: { source: { type: "agent", id: "0" } } },
  ]);
  const sum = causes.map(({ spent }) => spent).reduce(add, NOTHING);
  const whole = world.legion.budget.spent();
  expect(sum).toEqual({ ...whole, cost: expect.closeTo(whole.cost, 9) });
  expect(causes.map(({ cost }) => cost ?? 0).reduce((a, b) => a + b)).toBeCloseTo(whole.cost, 9);
  expect(causes[0]!.spent.steps).toBeGreaterThan(5);
  expect(await causeSpending(reader, world.roots[0]!)).toEqual(causes[0]);
  expect(await causeSpending(reader, "0>1#99")).toBe(undefined);
});

it("an agent whose log cannot be read is told of, and the others are counted", async () => {
  const world = await twoTasks();
  await world.stop();
  const folder = join(world.project, ".ai-legion/agents/2/log");
  const [segment] = await readdir(folder);
  const opened = { seq: 1, epoch: 1, at: "", kind: "opened", format: 99, log: "x", seals: {} };
  await writeFile(join(folder, segment!), toLine(opened));
  const { causes, unread } = await billOf(createFileReader(world.project));
  expect(unread).toMatchObject([{ agent: "2" }]);
  expect(causes).toMatchObject([{ root: world.roots[0], agents: ["1"] }]);
});

it("without a price nobody knows what it cost", async () => {
  const world = await createWorld({ 1: { script: [NOOP], profile: { price: undefined } } });
  await world.say("1", "Go.");
  await world.idle();
  expect((await billOf(createFileReader(world.project))).causes).toMatchObject([{ cost: null }]);
});
