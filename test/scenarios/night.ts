// A night of five agents: one builds, breaks its build and repairs it; one says what is not so; one changes what another had proven; one goes
// round in a circle, and another forgets what it was asked; and these two wait for each other.

import { core } from "../../modules/core.ts";
import { messaging } from "../../modules/messaging.ts";
import { system } from "../../modules/system/index.ts";
import type { ModelRequest } from "../../src/domain/model.ts";
import type { ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import { calls, says, write } from "../cli/look/report/night.ts";
import { PRICE } from "../spending.ts";
import { createWorld, type World, type WorldAgent } from "../world.ts";

/** What is so, unless a test says otherwise. */
export const FACTS = {
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

export type Facts = typeof FACTS;
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
    5: worker([write("NOTES.md", "Nothing new.\n"), NOOP, answers ? reply : asks("4"), NOOP]),
  };
}

const ORDERS: readonly (readonly [agent: string, order: string])[] = [
  ["5", "Write the release notes, and tell me."],
  ["1", "Mend the build."],
  ["2", "Run the tests."],
  ["3", "Tidy up."],
  ["4", "Merge it with agent 5."],
];

/** The whole night, in the order of its orders. */
export async function night(facts: Facts): Promise<World> {
  const world = await createWorld(team(facts));
  for (const [agent, order] of ORDERS) {
    await world.say(agent, order);
    await world.idle();
  }
  await world.stop();
  return world;
}
