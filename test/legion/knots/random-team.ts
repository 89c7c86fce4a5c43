// A team that says anything to anybody: asks, answers, declines, answers plainly, falls silent. Only its models are scripted.

import type { Event } from "../../../src/domain/event/event.ts";
import type { AgentId } from "../../../src/domain/message/message.ts";
import type { ModelRequest } from "../../../src/domain/model.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import type { WorldAgent } from "../../world.ts";
import { falseAlarms, tiedIn, toldIn, waitsOf, type Logs } from "./check-knots.ts";

export type Chance = (below: number) => number;

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const NEEDING = /\(Needs an answer, to ([^\s)]+)\.\)/g;

/** @param steps so often each of them says something in answer to one word of the person */
export function randomTeam(
  ids: readonly AgentId[],
  chance: Chance,
  steps: number,
): Record<AgentId, WorldAgent> {
  const agentOf = (id: AgentId): WorldAgent => {
    const settled = new Set<string>();
    let left = steps;
    const decide = (request: ModelRequest): ScriptedAnswer => {
      if (left-- <= 0) {
        left = steps;
        return { calls: [{ action: "noop" }] };
      }
      const shown = [...JSON.stringify(request).matchAll(NEEDING)].map(([, one]) => one!);
      const owed = shown.find((one) => !settled.has(one));
      return sayOf({ id, ids, owed, settle: (one) => settled.add(one) }, chance);
    };
    return { model: createScriptedModel(decide) };
  };
  return Object.fromEntries(ids.map((id) => [id, agentOf(id)]));
}

interface Speaker {
  readonly id: AgentId;
  readonly ids: readonly AgentId[];
  /** What it was asked and has not answered. */
  readonly owed: string | undefined;
  readonly settle: (id: string) => void;
}

function sayOf({ id, ids, owed, settle }: Speaker, chance: Chance): ScriptedAnswer {
  const others = ids.filter((one) => one !== id);
  const send = (targetAgentId: string, more: Readonly<Record<string, unknown>>): ScriptedAnswer => ({
    calls: [{ action: "sendMessage", parameters: { targetAgentId, message: "Well?", ...more } }],
  });
  const other = (): AgentId => others[chance(others.length)]!;
  switch (chance(8)) {
    case 0:
      return { calls: [{ action: "noop" }] };
    case 1:
      return "A plain answer.";
    case 2:
      return send(other(), {});
    case 3:
      return send(chance(12) === 0 ? "0" : `${other()},${other()}`, { needsAnswer: true });
    case 4:
    case 5:
      if (owed === undefined) return send(other(), { needsAnswer: true });
      settle(owed);
      return send(owed.split(">")[0]!, { [chance(3) === 0 ? "declines" : "answers"]: [owed] });
    default:
      return send(other(), { needsAnswer: true });
  }
}

/** What the logs of a team that rests say that it should have been told. */
export async function verdictOn(
  ids: readonly AgentId[],
  eventsOf: (agent: AgentId) => Promise<readonly Event[]>,
): Promise<{
  readonly logs: Logs;
  readonly tied: readonly AgentId[];
  readonly alarms: readonly string[];
  readonly untold: readonly string[];
}> {
  const logs = new Map<AgentId, readonly Event[]>();
  for (const id of ids) logs.set(id, await eventsOf(id));
  const control = await eventsOf("0");
  const tied = tiedIn(logs);
  const told = toldIn(control).flat();
  const open = tied.flatMap((id) => [...waitsOf(logs.get(id)!).open]);
  return {
    logs,
    tied,
    alarms: falseAlarms(logs, control),
    untold: open.filter((id) => !told.includes(id)),
  };
}
