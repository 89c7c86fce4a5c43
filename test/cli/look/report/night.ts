// A night of a team: what it was asked, did, failed at and left, by the real runtime.

import { core } from "../../../../modules/core.ts";
import { messaging } from "../../../../modules/messaging.ts";
import { system } from "../../../../modules/system/index.ts";
import type { ScriptedAnswer } from "../../../../src/model/scripted/scripted.ts";
import { questionOf, shop } from "../../../agent/act/asking.ts";
import { PRICE } from "../../../spending.ts";
import { createWorld, type World, type WorldAgent } from "../../../world.ts";

export function calls(action: string, parameters: Readonly<Record<string, unknown>>): ScriptedAnswer {
  return { calls: [{ action, parameters }] };
}

export const says = (text: string): ScriptedAnswer => ({ text });
export const write = (path: string, content: string): ScriptedAnswer => calls("writeFile", { path, content });

/** One that works on files, with commands. */
export function worker(script: readonly ScriptedAnswer[], more: Partial<WorldAgent> = {}): WorldAgent {
  return { script: [...script], modules: [core, messaging, system], profile: { price: PRICE }, ...more };
}

/** Agent 1 builds and hands on, 2 helps, 3 is out of steps, 4 asks. */
export async function night(): Promise<World> {
  const { modules } = shop();
  const world = await createWorld({
    1: worker([
      write("parser.ts", "export const a = 1;\nexport const b = 2;\n"),
      calls("executeCommand", { command: "echo built" }),
      calls("executeCommand", { command: "exit 3" }),
      calls("sendMessage", { targetAgentId: "2", message: "Test the parser." }),
      calls("noop", {}),
      calls("sendMessage", { targetAgentId: "0", message: "Done: the parser builds. **It has 2 exports.**" }),
      calls("noop", {}),
    ]),
    2: worker([
      calls("editFile", { path: "parser.ts", oldText: "a = 1", newText: "a = 3" }),
      calls("sendMessage", { targetAgentId: "1", message: "It works." }),
      calls("noop", {}),
    ]),
    3: worker([calls("listDirectory", { path: "." }), calls("noop", {})], { limits: { steps: 1 } }),
    4: { script: [calls("deploy", { to: "prod" })], modules, policy: [] },
  });
  await world.say("1", "Build the parser, test it, and report.");
  await world.say("3", "List the folder.");
  await world.say("4", "Deploy it.");
  await questionOf(world, "4");
  await world.until((seen) => seen.kind === "live:state" && seen.agent === "3" && seen.state === "parked");
  await world.until(
    (seen) =>
      seen.kind === "event" &&
      seen.agent === "0" &&
      seen.event.kind === "message" &&
      seen.event.message.id === "1>0#1",
  );
  return world;
}
