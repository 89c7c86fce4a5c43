// A small agent whose one action does what the test says, and its log told as a story.

import { z } from "zod";
import { core } from "../modules/core.ts";
import { goals } from "../modules/goals.ts";
import { messaging } from "../modules/messaging.ts";
import { notes } from "../modules/notes.ts";
import type { Event } from "../src/domain/event/event.ts";
import type { ModelRequest } from "../src/domain/model.ts";
import type { ScriptedAnswer } from "../src/model/scripted/scripted.ts";
import {
  defineAction,
  defineModule,
  type ActionResult,
  type Module,
} from "../src/domain/authoring/module.ts";
import type { World } from "./world.ts";
import type { Host } from "../src/domain/authoring/host.ts";

export const NOOP: ScriptedAnswer = { calls: [{ action: "noop" }] };

/** A module with one action, `work`, that does whatever the test says. */
export function workshop(
  execute: (step: string, host: Host) => ActionResult | Promise<ActionResult>,
): readonly Module[] {
  const work = defineAction({
    description: "Do a piece of work",
    parameters: { step: z.string() },
    effects: "none",
    execute: ({ step }, host) => execute(step, host),
  });
  return [core, goals, notes, messaging, defineModule({ name: "workshop", actions: { work } })];
}

export function work(...steps: readonly string[]): ScriptedAnswer {
  return { calls: steps.map((step) => ({ action: "work", parameters: { step } })) };
}

/** The log as a story: what happened, without the runtime's book-keeping. */
export async function story(world: World, agent = "1"): Promise<string[]> {
  const kept = (await world.events(agent)).filter(
    ({ kind }) => !["opened", "prompted", "sent"].includes(kind),
  );
  return kept.map(line);
}

function line(event: Event): string {
  if (event.kind === "message") return `${event.held ? "held" : "message"}: ${event.message.content}`;
  if (event.kind === "decision")
    return `decision${event.stop === "aborted" ? " aborted" : ""}: ${event.calls.length} calls`;
  if (event.kind === "result") return `${event.outcome}: ${event.content}`;
  return event.kind === "notice" ? `notice: ${event.reason}` : event.kind;
}

export function textOf({ turns }: ModelRequest): string {
  return JSON.stringify(turns);
}
