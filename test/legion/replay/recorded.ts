// A legion of three that is recorded for replays: over a hundred decisions with goals, notes and mail both ways, actions
// that fail, a completion without an action, an abort, summaries, a crash in the middle of a call and an edit by hand.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { core } from "../../../modules/core.ts";
import { goals } from "../../../modules/goals.ts";
import { messaging } from "../../../modules/messaging.ts";
import { notes } from "../../../modules/notes.ts";
import type { AgentId } from "../../../src/domain/message/message.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { defineAction, defineModule, ok, type Module } from "../../../src/domain/authoring/module.ts";
import { legionPaths } from "../../../src/storage/folder/paths.ts";
import { byHand, createWorld, type World, type WorldAgent } from "../../world.ts";

type Do = (step: string, signal: AbortSignal) => Promise<void> | void;

/** A module whose action reaches the outside: it calls `act`. */
export function outside(act: Do, parameters: z.ZodRawShape = {}): Module {
  return defineModule({
    name: "outside",
    instructions: () => "Touch the world carefully.",
    actions: {
      touch: defineAction({
        description: "Touch the world",
        parameters: { step: z.string(), ...parameters },
        async execute({ step }, { signal }) {
          await act(String(step), signal);
          return ok(`Touched: ${String(step)}.`);
        },
      }),
    },
  });
}

export const never: Do = () => {
  throw new Error("Nothing outside may be touched again.");
};

export const modulesWith = (act: Do): readonly Module[] => [core, goals, notes, messaging, outside(act)];

export const calls = (...actions: readonly (readonly [string, object])[]): ScriptedAnswer => ({
  calls: actions.map(([action, parameters]) => ({ action, parameters: { ...parameters } })),
});

const STEPS = 40;

/** What an agent with native calls does at its nth decision. */
function toolStep(n: number, peer: AgentId): ScriptedAnswer {
  if (n >= STEPS) return calls(["noop", {}]);
  const kinds: readonly ScriptedAnswer[] = [
    calls(
      ["addGoal", { goal: `goal ${n}` }],
      ["writeNote", { title: `note ${n}`, content: "x".repeat(300) }],
    ),
    calls(["sendMessage", { targetAgentId: n % 2 ? peer : `0,${peer}`, message: `word ${n}` }]),
    calls(
      ["touch", { step: `step ${n} beside ${peer}` }],
      ["noSuchAction", { n }],
      ["completeGoal", { goalNumber: 1 }],
    ),
    calls(["touch", { step: n, wrong: true }]),
    calls(["viewNote", { title: `note ${n - 4}` }]),
    { text: "", calls: [] },
  ];
  return { thoughts: `thought ${n}`, ...(kinds[n % kinds.length] as object) };
}

function textStep(n: number): ScriptedAnswer {
  if (n >= STEPS) return "noop";
  const kinds = [
    `addGoal\ngoal: goal ${n}\nthoughts: it is needed`,
    `sendMessage\ntargetAgentId: 1\nmessage: line ${n}`,
    `I think that I shall do it.`,
    `writeNote\ntitle: t${n % 3}\ncontent: "content ${n}"`,
    `viewNote\ntitle: nowhere ${n >> 4}`,
  ];
  return kinds[n % kinds.length]!;
}

/** Three agents; what their actions do outside is `act`. */
export function legionOf(
  act: Do,
  thinking = (): Promise<void> | void => undefined,
): Record<AgentId, WorldAgent> {
  const counted = (step: (n: number) => ScriptedAnswer | Promise<ScriptedAnswer>, profile = {}) => {
    let n = 0;
    return createScriptedModel(
      (request) => (request.pinned.startsWith("Write a summary") ? "They worked on." : step(n++)),
      profile,
    );
  };
  const hesitant = counted(async (n) => {
    if (n === 25) await thinking();
    return toolStep(n, "2");
  });
  return {
    1: { model: counted((n) => toolStep(n, "3")), modules: modulesWith(act), threshold: 3_000 },
    2: { model: counted(textStep, { tools: false }), protocol: "text", errors: "forget" },
    3: { model: hesitant, modules: modulesWith(act), errors: "forget", pin: "top" },
  };
}

export interface Recording {
  readonly world: World;
  /** How often the outside was touched. */
  readonly touched: () => number;
}

/** Records it in two lives of the node. */
export async function record(): Promise<Recording> {
  let touched = 0;
  const hanging = byHand();
  const thinking = byHand();
  const act: Do = async (step) => {
    touched++;
    if (step !== "step 20 beside 3") return;
    hanging.resolve();
    await new Promise<void>(() => undefined);
  };
  const first = legionOf(act, () => {
    thinking.resolve();
    return new Promise<void>(() => undefined);
  });
  const world = await createWorld(first);
  await world.say("all", "Work.");
  await Promise.all([hanging.promise, thinking.promise]);
  await world.legion.control.say(["3"], "Stop.", "abort");
  await world.until(
    (seen) =>
      seen.kind === "event" &&
      seen.agent === "3" &&
      seen.event.kind === "message" &&
      seen.event.message.delivery === "abort",
  );
  await world.say("3", "Go on.");
  await world.until((seen) => seen.kind === "live:state" && seen.agent === "2" && seen.state === "idle");
  // As if the process had died: agent 1 is in the middle of a call.
  world.legion.interrupt();
  await world.stop();
  await writeFile(
    join(legionPaths(world.project).agent("1"), "goals.json"),
    `{"goals":[{"text":"By hand"}]}\n`,
  );
  const again = await world.restart();
  await again.say("1", "Go on.");
  await again.idle();
  await again.legion.agents.get("2")!.pause("A rest.");
  await again.say("2", "While you rest.");
  await again.legion.agents.get("2")!.resume();
  await again.idle();
  await again.stop();
  return { world: again, touched: () => touched };
}
