// The names of everything that a legion keeps in Redis. What is between braces decides the slot in a Cluster: all keys of
// one agent are in one slot, so one script may use them together; the keys of two agents are not. A long-term memory is to all of
// this like an agent: the slash in its name tells it from every one.

import type { AgentId } from "../../../domain/message/message.ts";

/** Where one agent is, or one memory. */
export function agentKeys(legion: string, agent: AgentId) {
  const place = `lg:{${legion}:${agent}}`;
  let keys = known.get(place);
  if (keys) return keys;
  if (known.size === MOST_KNOWN) known.clear();
  known.set(place, (keys = keysBelow(place)));
  return keys;
}

/** They are asked for again and again. */
const known = new Map<string, ReturnType<typeof keysBelow>>();
const MOST_KNOWN = 1_000;

/** Where an agent is put together that comes from elsewhere, before it takes its place. */
export function arrivingKeys(legion: string, agent: AgentId) {
  return keysBelow(`lg:{${legion}:${agent}}:arriving`);
}

function keysBelow(place: string) {
  return {
    /** String with a time to live: which process may run it. */
    lease: `${place}:lease`,
    /** Counter: how often it was taken over. */
    epoch: `${place}:epoch`,
    /** String: what every commit has to show. */
    token: `${place}:token`,
    /** Hash: known, seq, mail, abort (or steer), taken, held, ear, log, run, servers, durability, doubted, unoffered, stopped, workspace; of agent 0: started; of a memory: at, keeper, entries, strays, forgotten. */
    meta: `${place}:meta`,
    /** Stream of events, ids `0-<seq>`. */
    log: `${place}:log`,
    /** Hash: how the agent stands, and of which log: seq, log, sum, text. */
    standing: `${place}:standing`,
    /** Channel, named as the log: says the number of its newest event whenever it has more. */
    grown: `${place}:log`,
    /** Stream of mail, ids `0-<position>`. */
    mailbox: `${place}:mailbox`,
    /** Sorted set, of agents only: positions of Control's mail in it. */
    ahead: `${place}:ahead`,
    /** Hash: per sender log, the highest number accepted. */
    seen: `${place}:seen`,
    /** Hash, of agent 0 only: per recipient, the highest number given. */
    numbers: `${place}:numbers`,
    /** Sorted set, of agent 0 only: events whose sends are not delivered. */
    out: `${place}:out`,
    /** Hash, of a memory only: the words of its records, by their numbers. */
    words: `${place}:words`,
    /** Hash, of a memory only: the messages that it has entries of, or had, as bits of a number; by pair and row of 32. */
    heard: `${place}:heard`,
    /** Sorted set, of a memory only: the shards of context that count. */
    contexts: `${place}:contexts`,
    /** Channel: says what was delivered, where no process has named another one to hear of it. */
    wake: `${place}:wake`,
    /** String: a long text, by its hash. */
    blob: (hash: string) => `${place}:blob:${hash}`,
  };
}

/** Where the legion as a whole is. */
export function legionKeys(legion: string) {
  const place = `lg:{${legion}}`;
  return {
    /** Hash: per agent, what the last start made of it, as JSON. */
    agents: `${place}:agents`,
    /** Counter: how often `agents` was changed. */
    agentsVersion: `${place}:agents-version`,
    /** Set: the long-term memories. */
    memories: `${place}:memories`,
    /** Sorted set: the processes that are members, by when their membership ends. */
    nodes: `${place}:nodes`,
    /** Hash: what each of them says about itself, as JSON. */
    nodeRecords: `${place}:node-records`,
    /** Hash: what was spent and reserved, by agent and in all. */
    spent: `${place}:spent`,
    /** Hash: the limits of the last start. */
    limits: `${place}:limits`,
    /** Channel: ids of agents that nobody runs any more. */
    free: `${place}:free`,
    /** Channel: what a person wants of the process `node`. */
    orders: (node: string) => `${place}:orders:${node}`,
    /** Channel: what was delivered to any of the agents whose mail the process `id` reads. */
    ear: (id: string) => `${place}:ear:${id}`,
    /** Channel: what came of the orders of `client`. */
    answers: (client: string) => `${place}:answers:${client}`,
    /** Channel: what `agent` does before it is an event, while somebody watches. */
    live: (agent: AgentId) => `${place}:live:${agent}`,
    /** Channel: ids of agents that somebody watches. */
    watched: `${place}:watched`,
  };
}
