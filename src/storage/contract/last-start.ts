// What the newest start of a legion hosted: the record of agent 0, enough to host the same again.

import { isAgentId, type AgentId } from "../../domain/message.ts";

export interface LastStart {
  /** In their order; at least one. */
  readonly agents: readonly Started[];
  readonly team?: StartedTeam;
  /** As they were typed. */
  readonly flags: { readonly model?: string; readonly limits?: string };
}

export interface Started {
  readonly id: AgentId;
  /** Name or path of its definition. */
  readonly agent: string;
  /** Absent: what people settled decided. */
  readonly model?: string;
}

export interface StartedTeam {
  readonly team: string;
  /** Absent: all of it. */
  readonly only?: readonly AgentId[];
}

const MAX_TEXT = 1_000;

export function writeLastStart(start: LastStart): string {
  return `${JSON.stringify({ id: "0", lastStart: start }, null, 2)}\n`;
}

/** `undefined` if nothing is known, or what is there is no such record. */
export function readLastStart(json: string): LastStart | undefined {
  const { lastStart } = fieldsOf(parse(json));
  const { agents, team, flags } = fieldsOf(lastStart);
  if (!Array.isArray(agents) || agents.length === 0) return undefined;
  const started = agents.flatMap((agent) => readStarted(agent) ?? []);
  if (started.length < agents.length) return undefined;
  const { model, limits } = fieldsOf(flags);
  return {
    agents: started,
    ...(team !== undefined && { team: readTeam(team) }),
    flags: { ...(isText(model) && { model }), ...(isText(limits) && { limits }) },
  };
}

function readStarted(value: unknown): Started | undefined {
  const { id, agent, model } = fieldsOf(value);
  if (!isText(id) || !isAgentId(id) || !isText(agent)) return undefined;
  return { id, agent, ...(isText(model) && { model }) };
}

function readTeam(value: unknown): StartedTeam | undefined {
  const { team, only } = fieldsOf(value);
  if (!isText(team)) return undefined;
  const isList = Array.isArray(only) && only.every((id) => isText(id) && isAgentId(id));
  return { team, ...(isList && { only: only as AgentId[] }) };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_TEXT;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}
