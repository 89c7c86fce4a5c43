// What stands elsewhere in the logs too, as the report tells of it: the receipts of an answer, and agents that wait for each other.

import { expect, it } from "vitest";
import { z } from "zod";
import { core } from "../../../../modules/core.ts";
import { defineAction, defineModule, ok } from "../../../../src/domain/authoring/module.ts";
import { reportSchema, type Report } from "../../../../src/legion/report/report.ts";
import { puppet, stageIn } from "../../../past/receipts/puppets.ts";
import { createWorld } from "../../../world.ts";
import { legion } from "../../legion.ts";
import { calls } from "./night.ts";

/** As one line, without colours. */
const shown = async (cwd: string, columns: number): Promise<string> =>
  (await legion(["report"], { cwd, columns })).out.replace(/\u001b\[\d+m/g, "").replace(/\s+/g, " ");
const told = async (cwd: string): Promise<Report> =>
  reportSchema.parse((await legion(["report", "--json"], { cwd })).json[0]);

it("shows beside an answer what it cites, as it was when it was sent and as it is today", async () => {
  const world = await createWorld({ 1: puppet, 2: puppet });
  const stage = stageIn(world);
  const built = await stage.order("1", "write a.txt");
  await stage.order("1", `say It is done.\nReceipts: #${built}`);
  await stage.order("2", "write a.txt");
  await world.stop();
  const seq = (await world.kinds("2", "result"))[0]!.seq;
  const line = `(#1.${built}: proven; today stale, a.txt was written since, by Agent 2 (#2.${seq}))`;
  const cwd = world.project;
  const answers = (await told(cwd)).asked.items.flatMap(({ answer }) => answer ?? []);
  expect(answers.find(({ text }) => text === "It is done.")?.receipts).toEqual([line]);
  expect(await shown(cwd, 110)).toContain(`It is done. ${line}`);
  const { out } = await legion(["report", "--md"], { cwd });
  expect(out).toContain(`  >\n  > (#1.${built}: proven; today stale`);
});

it("names agents that wait for each other, with the word that unties them", async () => {
  const ask = (to: string) =>
    calls("sendMessage", { targetAgentId: to, message: "Which?", needsAnswer: true });
  const noop = calls("noop", {});
  const world = await createWorld({
    1: { script: [ask("2"), noop, noop] },
    2: { script: [ask("1"), noop, noop] },
  });
  await world.say(["1", "2"], "Settle it.");
  await world.idle();
  await world.stop();
  const cwd = world.project;
  const knot = "Agent 1, Agent 2 wait for each other's answers, and none of them goes on by itself";
  expect((await told(cwd)).odd.items).toContainEqual(
    expect.objectContaining({
      ...{ kind: "knot", agents: ["1", "2"], text: expect.stringContaining(knot) as string },
      way: 'legion send 1 "..."',
    }),
  );
  const page = await shown(cwd, 60);
  expect(page).toContain(`${knot}: Agent 1 for Agent 2`);
  expect(page).not.toContain("Agent 1 and Agent 2:");
});

it("does not say of what the runtime said that nobody answered it", async () => {
  const world = await createWorld({ 1: { script: [{ text: "Done." }, calls("noop", {})] } });
  await world.say("1", "Do it.");
  await world.idle();
  await world.legion.control.announce(["1"], "Files were put back.");
  await world.idle();
  await world.stop();
  const { states, asked } = await told(world.project);
  expect(states).toEqual({ answered: 1 });
  expect(asked.items).toContainEqual(
    expect.objectContaining({ from: "runtime", text: "Files were put back.", state: "told", why: "" }),
  );
  const page = await shown(world.project, 80);
  expect(page).toContain("1 asked: 1 answered.");
  expect(page).toMatch(/Files were put back\. told · said by the runtime/);
});

it("says of an order that was withdrawn before it was read that it was not delivered, and why", async () => {
  const world = await createWorld({ 1: { script: [{ text: "As you say." }, calls("noop", {})] } });
  await world.legion.agents.get("1")!.pause("by a test");
  await world.legion.control.say(["1"], "Paint it green.", "follow-up");
  await world.legion.control.say(["1"], "Leave it as it is.", "steer");
  await world.legion.agents.get("1")!.resume();
  await world.idle();
  await world.stop();
  const { states, asked, waiting } = await told(world.project);
  expect(states).toEqual({ refused: 1, answered: 1 });
  const why = "New instructions came before it was read.";
  expect(asked.items).toContainEqual(
    expect.objectContaining({ text: "Paint it green.", state: "refused", agent: "1", why }),
  );
  expect(waiting.items).toMatchObject([{ kind: "dead", text: `to Agent 1: ${why}` }]);
  expect(await shown(world.project, 80)).toMatch(
    /Paint it green\. not delivered · asked .* to Agent 1 New instr/,
  );
});

const shell = defineModule({
  name: "shell",
  actions: {
    run: defineAction({
      description: "Run a command",
      parameters: { command: z.string() },
      effects: "none",
      execute: () => ok("It ran."),
    }),
  },
});

it("says at least so many, where of commands not all are known", async () => {
  const run = (n: number) => ({ action: "run", parameters: { command: `build ${n}` } });
  const script = Array.from({ length: 21 }, (_, turn) => ({
    calls: Array.from({ length: 10 }, (_, n) => run(10 * turn + n)),
  }));
  const world = await createWorld({
    1: { script: [...script, { text: "Done." }, calls("noop", {})], modules: [core, shell] },
  });
  await world.say("1", "Build all of it.");
  await world.idle();
  await world.stop();
  expect((await told(world.project)).commands).toMatchObject({ total: 200, isMore: true });
  const page = await shown(world.project, 80);
  expect(page).toContain("Commands (at least 200)");
  expect(page).toContain("and at least 180 more: legion report --all");
  const { out } = await legion(["report", "--md"], { cwd: world.project });
  expect(out).toMatch(
    /^## Commands.* \(at least 200\)$[^]*^- and at least 180 more: `legion report --all`$/m,
  );
});

it("says no such thing where all are known, also of all that is recorded", async () => {
  const run = { action: "run", parameters: { command: "exit 3" } };
  const failing = { calls: [run, { action: "noSuchAction" }] };
  const world = await createWorld({
    1: { script: [failing, { text: "It fails." }, calls("noop", {})], modules: [core, shell] },
  });
  await world.say("1", "Build it.");
  await world.idle();
  await world.stop();
  const { json } = await legion(["report", "--json", "--since", "last"], { cwd: world.project });
  const { commands, odd } = reportSchema.parse(json[0]);
  expect([commands.total, commands.isMore]).toEqual([1, false]);
  expect(odd.items).toMatchObject([{ kind: "failed", isMore: false }]);
});
