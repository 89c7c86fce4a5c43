// The names of everything that a legion keeps in Redis. What is between braces decides the slot in a Cluster: all keys of
// one agent are in one slot, so one script may use them together; the keys of two agents are not.

import type { AgentId } from "../../../domain/message.ts";

const LEGION_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** True for a name that tells one legion from the others in the same Redis. */
export function isLegionName(name: string): boolean {
  return LEGION_NAME.test(name);
}

/** Where one agent is. */
export interface AgentKeys {
  /** String with a time to live: which process may run it. */
  readonly lease: string;
  /** Counter: how often it was taken over. */
  readonly epoch: string;
  /** String: what every commit has to show. */
  readonly token: string;
  /** Hash: known, seq, mail, abort, taken, log, run, servers, durability, doubted, unoffered, stopped, workspace; of agent 0: started. */
  readonly meta: string;
  /** Stream of events, ids `0-<seq>`. */
  readonly log: string;
  /** Stream of mail, ids `0-<position>`. */
  readonly mailbox: string;
  /** Hash: per sender log, the highest number accepted. */
  readonly seen: string;
  /** Hash, of agent 0 only: per recipient, the highest number given. */
  readonly numbers: string;
  /** Sorted set, of agent 0 only: events whose sends are not delivered. */
  readonly out: string;
  blob(hash: string): string;
  /** Channel: says `mail` or `abort` when something was delivered. */
  readonly wake: string;
  /** Channel, named as the log: says the number of its newest event whenever it has more. */
  readonly grown: string;
}

export function agentKeys(legion: string, agent: AgentId): AgentKeys {
  const at = (name: string): string => `lg:{${legion}:${agent}}:${name}`;
  return {
    lease: at("lease"),
    epoch: at("epoch"),
    token: at("token"),
    meta: at("meta"),
    log: at("log"),
    mailbox: at("mailbox"),
    seen: at("seen"),
    numbers: at("numbers"),
    out: at("out"),
    blob: (hash) => at(`blob:${hash}`),
    wake: at("wake"),
    grown: at("log"),
  };
}

/** Where an agent is put together that comes from elsewhere, before it takes its place. */
export type ArrivingKeys = Pick<AgentKeys, "meta" | "log" | "mailbox" | "seen" | "numbers" | "out">;

export function arrivingKeys(legion: string, agent: AgentId): ArrivingKeys {
  const at = (name: string): string => `lg:{${legion}:${agent}}:arriving:${name}`;
  return {
    meta: at("meta"),
    log: at("log"),
    mailbox: at("mailbox"),
    seen: at("seen"),
    numbers: at("numbers"),
    out: at("out"),
  };
}

/** Where the legion as a whole is. */
export interface LegionKeys {
  /** Hash: per agent, what the last start made of it, as JSON. */
  readonly agents: string;
  /** Counter: how often `agents` was changed. */
  readonly agentsVersion: string;
  /** Sorted set: the processes that are members, by when their membership ends. */
  readonly nodes: string;
  /** Hash: what each of them says about itself, as JSON. */
  readonly nodeRecords: string;
  /** Hash: what was spent and reserved, by agent and in all. */
  readonly spent: string;
  /** Hash: the limits of the last start. */
  readonly limits: string;
  /** Channel: ids of agents that nobody runs any more. */
  readonly free: string;
  /** Channel: what a person wants of the process `node`. */
  orders(node: string): string;
  /** Channel: what came of the orders of `client`. */
  answers(client: string): string;
}

export function legionKeys(legion: string): LegionKeys {
  const at = (name: string): string => `lg:{${legion}}:${name}`;
  return {
    agents: at("agents"),
    agentsVersion: at("agents-version"),
    nodes: at("nodes"),
    nodeRecords: at("node-records"),
    spent: at("spent"),
    limits: at("limits"),
    free: at("free"),
    orders: (node) => at(`orders:${node}`),
    answers: (client) => at(`answers:${client}`),
  };
}
