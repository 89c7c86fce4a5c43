// A night of five agents: one builds, breaks its build and repairs it; one says what is not so; one changes what another had proven; one goes
// round in a circle; and two wait for each other. What is true of it stands in a table, and whoever looks in the morning is told exactly
// that. With one fact changed, exactly the lines change that hang on it.

import { describe, expect, it } from "vitest";
import { core } from "../../modules/core.ts";
import { messaging } from "../../modules/messaging.ts";
import { system } from "../../modules/system/index.ts";
import type { ModelRequest } from "../../src/domain/model.ts";
import { reportSchema } from "../../src/legion/report/report.ts";
import type { ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import { legion } from "../cli/legion.ts";
import { calls, says, write } from "../cli/look/report/night.ts";
import { PRICE } from "../spending.ts";
import { createWorld, type World, type WorldAgent } from "../world.ts";

const MINUTES_MS = 120_000;

/** What is so, unless a test says otherwise. */
const FACTS = {
  /** Agent 1 repairs what it broke. */
  repairs: true,
  /** What agent 2 ran before it said that all tests pass. */
  tests: "exit 2",
  /** Agent 3 writes over the file of agent 1. */
  writesOver: true,
  /** How often agent 4 lists the same folder. */
  looks: 4,
  /** Agent 5 answers agent 4, and needs nothing of it. */
  answers: false,
};

type Facts = typeof FACTS;
type Step = ScriptedAnswer | ((request: ModelRequest) => ScriptedAnswer);

const NOOP = calls("noop", {});
const run = (command: string): ScriptedAnswer => calls("executeCommand", { command });
const look = calls("listDirectory", { path: "." });

/** Cites the newest result that it was shown. */
function reports(words: string): Step {
  return (request) => {
    const numbers = [...JSON.stringify(request).matchAll(/\[#(\d+)\]/g)].map(([, seq]) => seq);
    return says(`${words}\nReceipts: #${numbers.at(-1)}`);
  };
}

function asks(to: string, more: object = {}): ScriptedAnswer {
  return calls("sendMessage", { targetAgentId: to, message: "Who merges?", needsAnswer: true, ...more });
}

function worker(steps: readonly Step[]): WorldAgent {
  const script = (request: ModelRequest, index: number): ScriptedAnswer => {
    const step = steps[index] ?? NOOP;
    return typeof step === "function" ? step(request) : step;
  };
  return { script, modules: [core, messaging, system], profile: { price: PRICE }, receipts: "on" };
}

function team({ repairs, tests, writesOver, looks, answers }: Facts): Readonly<Record<string, WorldAgent>> {
  const repair = repairs ? [write("main.txt", "ok\n"), run("grep -q ok main.txt")] : [];
  const reply = calls("sendMessage", { targetAgentId: "4", message: "I do.", answers: ["4>5#1"] });
  return {
    1: worker([
      write("main.txt", "wrong\n"),
      run("grep -q ok main.txt"),
      ...repair,
      reports("The build passes."),
    ]),
    2: worker([run(tests), reports("All tests pass.")]),
    3: worker([...(writesOver ? [write("main.txt", "tidy\n")] : []), says("I tidied up.")]),
    4: worker([...Array.from({ length: looks }, () => look), asks("5"), NOOP, NOOP]),
    5: worker([answers ? reply : asks("4"), NOOP]),
  };
}

const ORDERS = { 1: "Mend the build.", 2: "Run the tests.", 3: "Tidy up.", 4: "Merge it with agent 5." };

/** The whole night, in the order of its orders. */
async function night(facts: Facts): Promise<World> {
  const world = await createWorld(team(facts));
  for (const [agent, order] of Object.entries(ORDERS)) {
    await world.say(agent, order);
    await world.idle();
  }
  await world.stop();
  return world;
}

/** What a person is told, a line for each fact, without what only measures it. */
async function morning({ project: cwd }: World): Promise<readonly string[]> {
  const report = reportSchema.parse((await legion(["report", "--json"], { cwd })).json[0]);
  const ps = (await legion(["ps", "--json"], { cwd })).json as readonly { knot?: readonly string[] }[];
  const bill = (await legion(["bill", "--json"], { cwd })).json as readonly { kind: string; name: string }[];
  const { asked, odd, changed, commands, waiting } = report;
  const told = asked.items.toSorted((a, b) => a.root.localeCompare(b.root));
  return [
    ...told.map(({ text, state, answer }) => `${text} ${state}: ${answer?.text ?? "nothing"}`),
    ...told.flatMap(({ answer }) => answer?.receipts ?? []),
    ...odd.items.map(({ kind, agents, count }) => `${kind} of ${agents.join()} (${count})`),
    ...changed.items.map(({ path, does, agent, times }) => `${agent} ${does} ${path} (${times})`),
    ...commands.items.map(({ command, exit, agent, times }) => `${agent} ran ${command}: ${exit} (${times})`),
    ...waiting.items.map(({ kind, agent }) => `${kind} ${agent}`),
    ...bill.flatMap(({ kind, name }) => (kind === "waste" ? [`paid in vain: ${name}`] : [])),
    ...ps.flatMap(({ knot }) => (knot ? [`knot of ${knot.join()}`] : [])),
  ].map((line) => line.replace(/#(\d)\.\d+/g, "#$1.n"));
}

/** What is true of it, as far as logs tell. */
const TABLE = [
  "Mend the build. answered: The build passes.",
  "Run the tests. answered: All tests pass.",
  "Tidy up. answered: I tidied up.",
  "Merge it with agent 5. waiting: nothing",
  "(#1.n: proven; today stale, main.txt was written since, by Agent 3 (#3.n))",
  "(#2.n: failed, exit code 2)",
  "(unproven: no result that it cites was proven when it was sent)",
  "loop of 4 (2)",
  "knot of 4,5 (1)",
  "3 changed main.txt (1)",
  "1 created main.txt (2)",
  "2 ran exit 2: 2 (1)",
  "1 ran grep -q ok main.txt: 0 (1)",
  "1 ran grep -q ok main.txt: 1 (1)",
  "paid in vain: looped",
  "knot of 4,5",
];

/** A fact that is otherwise, the lines that are gone then, and those that are there instead. */
const CHANGED: readonly (readonly [Partial<Facts>, readonly string[], readonly string[]])[] = [
  [
    { repairs: false },
    [
      "(#1.n: proven; today stale, main.txt was written since, by Agent 3 (#3.n))",
      "1 created main.txt (2)",
      "1 ran grep -q ok main.txt: 0 (1)",
    ],
    [
      "(#1.n: failed, exit code 1)",
      "(unproven: no result that it cites was proven when it was sent)",
      "1 created main.txt (1)",
    ],
  ],
  [
    { tests: "true" },
    [
      "(#2.n: failed, exit code 2)",
      "(unproven: no result that it cites was proven when it was sent)",
      "2 ran exit 2: 2 (1)",
    ],
    ["(#2.n: proven; today stale, main.txt was written since, by Agent 3 (#3.n))", "2 ran true: 0 (1)"],
  ],
  [
    { writesOver: false },
    ["(#1.n: proven; today stale, main.txt was written since, by Agent 3 (#3.n))", "3 changed main.txt (1)"],
    ["(#1.n: proven; today stale, what a later command of Agent 2 (#2.n) wrote is not known: exit 2)"],
  ],
  [{ looks: 1 }, ["loop of 4 (2)", "paid in vain: looped"], []],
  [
    { answers: true },
    ["Merge it with agent 5. waiting: nothing", "knot of 4,5 (1)", "knot of 4,5"],
    ["Merge it with agent 5. unanswered: nothing"],
  ],
];

/** Lines of `some` that `others` has not, each as often as it is missing. */
function without(some: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return some.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

describe("the morning after a night of five", { timeout: MINUTES_MS }, () => {
  it("tells what is true of it, and nothing else", async () => {
    expect(await morning(await night(FACTS))).toEqual(TABLE);
  });

  it.each(CHANGED)("with %j it tells of nothing else otherwise", async (fact, gone, come) => {
    const told = await morning(await night({ ...FACTS, ...fact }));
    expect({ gone: without(TABLE, told), come: without(told, TABLE) }).toEqual({ gone, come });
  });
});
