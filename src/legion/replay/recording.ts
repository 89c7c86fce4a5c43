// A log as a tape: what the agent itself brought about, to be compared with what it does today, and what came from
// outside, to be put in where it stood. Branches that the agent left are part of it: what it sent from there was sent, and
// what a branch goes on from is the sum of what it decided until then.

import { forkIn, isOn, pathTo, type Fork } from "../../past/branch.ts";
import { converse, createConversation, openCalls, type Conversation } from "../../past/conversation.ts";
import { LegionError } from "../../base/errors.ts";
import { type Event, type NewEvent } from "../../domain/event/event.ts";
import { OUT_OF_TURNS } from "../../domain/event/notice.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import type { ModelRequest } from "../../domain/model.ts";
import type { Reader } from "../../storage/contract/reader.ts";

export interface Recorded {
  readonly event: Event;
  /**
   * Who brought it about. `start`: the agent begins anew behind it, as a new process opened its log, or as a person had it go
   * on from another event; what was copied from another agent's past is before its first start.
   */
  readonly by: "agent" | "outside" | "start";
  /** Of a `prompted` event: was the model offered tools, and what was pinned? */
  readonly prompt?: { readonly hasTools: boolean; readonly pinned: string };
}

export interface Tape {
  readonly agent: AgentId;
  /** Oldest first. */
  readonly events: readonly Recorded[];
  /** How many the agent made itself, on whatever branch. */
  readonly decisions: number;
}

/** The log of `agent` up to event `to`. Throws REFUSED, saying where, if a part of it is gone. */
export async function readTape(reader: Reader, agent: AgentId, to = Infinity): Promise<Tape> {
  const events: Recorded[] = [];
  const past = createPast(events);
  const hasTools = createToolsIn(reader, agent);
  for await (const event of reader.events(agent)) {
    if (event.seq > to) break;
    const before = events.at(-1)?.event;
    refuseLost(agent, event, before?.seq ?? 0);
    const by = authorOf(event, past.conversation(), before);
    past.see(event);
    if (event.kind !== "prompted") events.push({ event, by });
    else {
      const prompt = { hasTools: await hasTools(event.introduction), pinned: past.conversation().pinned };
      events.push({ event, by, prompt });
    }
    if (event.kind === "branch" && event.origin !== undefined) disown(events);
  }
  const decisions = events.filter(({ event, by }) => event.kind === "decision" && by === "agent").length;
  return { agent, events, decisions };
}

/** What the branch comes to on which the newest of `events` is. */
function createPast(events: readonly Recorded[]) {
  let conversation = createConversation();
  const forks: Fork[] = [];
  return {
    conversation: (): Conversation => conversation,
    see(event: Event): void {
      const fork = forkIn(event);
      if (!fork) return converse(conversation, event);
      forks.push(fork);
      const path = pathTo(forks, fork.seq);
      conversation = createConversation();
      for (const { event: earlier } of events) if (isOn(path, earlier.seq)) converse(conversation, earlier);
    },
  };
}

/** Everything so far is another agent's past. */
function disown(events: Recorded[]): void {
  for (const [index, { event }] of events.entries()) events[index] = { event, by: "start" };
}

/** Tells which introductions hold tools. One that is gone holds none: the first prompt with it is a difference anyway. */
function createToolsIn(reader: Reader, agent: AgentId): (introduction: string) => Promise<boolean> {
  const known = new Map<string, boolean>();
  return async (introduction) => {
    const text = known.has(introduction) ? undefined : await reader.blobs(agent).read(introduction);
    if (text !== undefined)
      known.set(introduction, (JSON.parse(text) as Pick<ModelRequest, "tools">).tools.length > 0);
    return known.get(introduction) ?? false;
  };
}

/** Is it what the agent's own actor commits of its doings? The rest comes from outside, or tells of it. */
export function isOwn(event: NewEvent | Event): boolean {
  if (event.kind !== "notice") return OWN.has(event.kind);
  return event.reason === "parked-mail" && event.details !== OUT_OF_TURNS;
}

const OWN: ReadonlySet<Event["kind"]> = new Set([
  "message",
  "released",
  "prompted",
  "decision",
  "result",
  "summary",
]);

function authorOf(event: Event, conversation: Conversation, before: Event | undefined): Recorded["by"] {
  if (event.kind === "branch") return "start";
  if (event.kind === "opened") return event.epoch === before?.epoch ? "outside" : "start";
  // While a call has no result, it is the action that asks; earlier versions did not say so, and it may ask after that.
  if (event.kind === "prompted" && (event.call !== undefined || openCalls(conversation).length > 0))
    return "outside";
  return isOwn(event) ? "agent" : "outside";
}

const LOST = /^\(lost: blob [0-9a-f]{64}\)$/;

function refuseLost(agent: AgentId, event: Event, last: number): void {
  const refuse = (what: string, end: number): never => {
    const advice = end > 1 ? `; --to ${end} replays what comes before` : "";
    throw new LegionError("REFUSED", `${displayName(agent)} cannot be replayed: ${what}${advice}`);
  };
  if (event.seq > last + 1) refuse(`events ${last + 1} to ${event.seq - 1} of its log are gone`, last);
  const lost = findText(event, (text) => LOST.test(text));
  if (lost !== undefined) refuse(`a text of event ${event.seq} is gone ${lost.replace("lost: ", "")}`, last);
}

function findText(value: unknown, holds: (text: string) => boolean): string | undefined {
  if (typeof value === "string") return holds(value) ? value : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const item of Object.values(value)) {
    const found = findText(item, holds);
    if (found !== undefined) return found;
  }
  return undefined;
}
