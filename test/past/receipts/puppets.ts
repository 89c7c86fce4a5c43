// Agents that do what they are told, one call a message, and cite what the test names.

import { z } from "zod";
import { core } from "../../../modules/core.ts";
import { messaging } from "../../../modules/messaging.ts";
import type { ModelRequest } from "../../../src/domain/model.ts";
import type { Message } from "../../../src/domain/message/message.ts";
import {
  defineAction,
  defineModule,
  fail,
  idle,
  ok,
  type ActionResult,
} from "../../../src/domain/authoring/module.ts";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { createWorldInMemory, type World, type WorldAgent, type WorldOptions } from "../../world.ts";

/** What comes of a call, by the word at its end; of a command its exit code. */
function outcomeOf(how = "ok"): ActionResult {
  if (how === "throws") throw new Error("broken");
  if (how === "error") return fail("It did not work.");
  if (how === "idle") return idle("Nothing to do.");
  if (how === "isError") return ok("done", { isError: true });
  if (how === "running") return ok("It runs.", { running: true });
  if (how === "timeout") return ok("done", { exitCode: null, ended: "timeout" });
  return ok("done", /^\d+$/.test(how) ? { exitCode: Number(how) } : undefined);
}

const parameters = { what: z.string(), how: z.string().optional() };
type Called = { readonly what: string; readonly how?: string | undefined };
const execute = ({ how }: Called): ActionResult => outcomeOf(how);
const text = { description: "Do something", parameters, execute };

export const puppetry = defineModule({
  name: "puppetry",
  actions: {
    look: defineAction({ ...text, effects: "reads", touches: ({ what }) => [{ kind: "read", path: what }] }),
    write: defineAction({
      ...text,
      effects: "idempotent",
      touches: ({ what }) => [{ kind: "write", path: what }],
    }),
    move: defineAction({
      ...text,
      touches: ({ what }) => what.split(">").map((path) => ({ kind: "write", path }) as const),
    }),
    run: defineAction({ ...text, touches: ({ what }) => [{ kind: "run", command: what }] }),
    fetch: defineAction({
      ...text,
      effects: "reads",
      touches: ({ what }) => [{ kind: "net", url: `https://${what}` }],
    }),
    anything: defineAction(text),
    ask: defineAction({ ...text, effects: "reads" }),
    note: defineAction({ ...text, effects: "none", touches: [] }),
    register: defineAction({ ...text, effects: "reads", touches: [] }),
  },
});

/** `write a.txt error` is a call, `tell 0 #7 #2.9: done` a message, all else a plain answer; each is done once. */
function obey({ turns }: ModelRequest): ScriptedAnswer {
  const told = turns.at(-1);
  const order =
    told?.role === "user" ? /^--- MESSAGE FROM CONTROL ---\n\n(.*)$/s.exec(told.text)?.[1] : undefined;
  if (order === undefined) return { calls: [{ action: "noop" }] };
  const [, to, cited, words] = /^tell (\S+) (.*?): (.*)$/s.exec(order) ?? [];
  if (to !== undefined) {
    const receipts = cited === "nothing" ? {} : { receipts: cited!.split(" ") };
    return {
      calls: [{ action: "sendMessage", parameters: { targetAgentId: to, message: words!, ...receipts } }],
    };
  }
  if (order.startsWith("say ")) return order.slice(4);
  const [action = "", what = "", how] = order.split(" ").map((word) => word.replaceAll("_", " "));
  return { calls: [{ action, parameters: { what, ...(how && { how }) } }] };
}

export const puppet: WorldAgent = {
  script: obey,
  modules: [core, messaging, puppetry],
  receipts: "on",
};

export interface Stage {
  world: World;
  /** Has an agent do something, and waits for it; returns the number of its newest result. */
  order(agent: string, what: string): Promise<number>;
  /** What was said to the person, oldest first. */
  inbox(): Promise<readonly Message[]>;
  /** Has agent 1 cite to the person, and returns what the message says of the first. */
  cite(...receipts: readonly string[]): Promise<NonNullable<Message["receipts"]>>;
}

export function stageIn(world: World): Stage {
  const stage: Stage = {
    world,
    async order(agent, what) {
      await stage.world.say(agent, what);
      await stage.world.idle();
      const results = await stage.world.kinds(agent, "result");
      return results.findLast(({ content }) => content !== "")?.seq ?? 0;
    },
    async inbox() {
      return (await stage.world.kinds("0", "message")).map(({ message }) => message);
    },
    async cite(...receipts) {
      await stage.order("1", `tell 0 ${receipts.join(" ")}: done`);
      return (await stage.inbox()).at(-1)?.receipts ?? [];
    },
  };
  return stage;
}

export async function createStage(
  agents: Readonly<Record<string, WorldAgent>> = { 1: puppet, 2: puppet },
  options: WorldOptions = {},
): Promise<Stage> {
  return stageIn(await createWorldInMemory(agents, options));
}
