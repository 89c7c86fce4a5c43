// Agents whose calls are judged: actions that say what they touch, and the person who answers.

import { z } from "zod";
import { core } from "../../../modules/core.ts";
import type { Inspection } from "../../../src/domain/inspection.ts";
import { defineAction, defineModule, ok } from "../../../src/domain/authoring/module.ts";
import type { PolicyLayer } from "../../../src/domain/policy/policy.ts";
import type { Verdict } from "../../../src/domain/policy/verdict.ts";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { NOOP } from "../../workshop.ts";
import { createWorld, type World, type WorldAgent, type WorldOptions } from "../../world.ts";
import type { Touching } from "../../../src/domain/policy/touching.ts";

/** Actions that say what they touch, and what was really done. */
export function shop(touches?: readonly Touching[]) {
  const done: string[] = [];
  const deploy = defineAction({
    description: "Deploy to a place",
    parameters: { to: z.string() },
    touches,
    execute({ to }) {
      done.push(to);
      return ok(`deployed to ${to}`);
    },
  });
  const look = defineAction({
    description: "Look",
    effects: "none",
    touches: [],
    execute: () => ok("looked"),
  });
  return { done, modules: [core, defineModule({ name: "shop", actions: { deploy, look } })] };
}

export const PERSON: PolicyLayer = { by: "the person", as: "person" };
export const deploy = (to: string): ScriptedAnswer => ({ calls: [{ action: "deploy", parameters: { to } }] });

export const DEPLOY_AND_LOOK: ScriptedAnswer = {
  calls: [{ action: "deploy", parameters: { to: "prod" } }, { action: "look" }],
};

export function agent(script: readonly ScriptedAnswer[], more: Partial<WorldAgent> = {}): WorldAgent {
  return { script: [...script, NOOP], policy: [], ...more };
}

function isAsking(id: string) {
  return (seen: Inspection): boolean =>
    seen.kind === "live:state" && seen.agent === id && seen.state === "asking";
}

export async function questionOf(world: World, id = "1"): Promise<string> {
  await world.until(isAsking(id));
  return world.agent(id).standing.reason;
}

export function answer(world: World, question: string, verdict: Verdict["verdict"], reason?: string) {
  return world.legion.control.answer({ question, verdict, reason });
}

export async function asking(
  more: Partial<WorldAgent> = {},
  options: WorldOptions = {},
  second?: ScriptedAnswer,
) {
  const { done, modules } = shop();
  const script = [deploy("prod"), ...(second ? [second] : [])];
  const world = await createWorld({ "1": agent(script, { modules, ...more }) }, options);
  await world.say("1", "go");
  return { world, done, modules, question: await questionOf(world) };
}
