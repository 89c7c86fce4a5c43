// A log as a tape: what the agent itself brought about, to be compared with what it does today, and what came from
// outside, to be put in where it stood.

import { converse, createConversation, openCalls, type Conversation } from "../../past/conversation.ts";
import { LegionError } from "../../base/errors.ts";
import type { Event, NewEvent } from "../../domain/event.ts";
import { displayName, type AgentId } from "../../domain/message.ts";
import type { ModelRequest } from "../../domain/model.ts";
import type { Reader } from "../../storage/contract/reader.ts";

export interface Recorded {
  readonly event: Event;
  /** Who brought it about. `start`: a new process opened the log, and all that the one before had in its memory was gone. */
  readonly by: "agent" | "outside" | "start";
  /** Of a `prompted` event: the model was offered tools. */
  readonly hasTools?: boolean;
}

export interface Tape {
  readonly agent: AgentId;
  /** Oldest first. */
  readonly events: readonly Recorded[];
  readonly decisions: number;
}

/** The log of `agent` up to event `to`. Throws REFUSED, saying where, if a part of it is gone or cannot be replayed. */
export async function readTape(reader: Reader, agent: AgentId, to = Infinity): Promise<Tape> {
  const conversation = createConversation();
  const events: Recorded[] = [];
  const offered = createOffered(reader, agent);
  let decisions = 0;
  for await (const event of reader.events(agent)) {
    if (event.seq > to) break;
    const before = events.at(-1)?.event;
    refuseUnplayable(agent, event, before?.seq ?? 0);
    const hasTools = event.kind === "prompted" && (await offered(event.introduction));
    events.push({ event, by: authorOf(event, conversation, before), ...(hasTools && { hasTools }) });
    if (event.kind === "decision") decisions++;
    converse(conversation, event);
  }
  return { agent, events, decisions };
}

/** Tells which introductions hold tools. One that is gone holds none: the first prompt with it is a difference anyway. */
function createOffered(reader: Reader, agent: AgentId): (introduction: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  const look = async (introduction: string): Promise<boolean> => {
    const text = await reader.blobs(agent).read(introduction);
    return text !== undefined && (JSON.parse(text) as Pick<ModelRequest, "tools">).tools.length > 0;
  };
  return (introduction) => {
    const looked = known.get(introduction) ?? look(introduction);
    known.set(introduction, looked);
    return looked;
  };
}

/** Is it what the agent's own actor commits of its doings? The rest comes from outside, or tells of it. */
export function isOwn(event: NewEvent | Event): boolean {
  return event.kind === "notice" ? event.reason === "parked-mail" : OWN.has(event.kind);
}

const OWN: ReadonlySet<Event["kind"]> = new Set(["message", "prompted", "decision", "result", "summary"]);

function authorOf(event: Event, conversation: Conversation, before: Event | undefined): Recorded["by"] {
  if (event.kind === "opened") return event.epoch === before?.epoch ? "outside" : "start";
  // While a call has no result, it is the action that asks.
  if (event.kind === "prompted" && openCalls(conversation).length > 0) return "outside";
  return isOwn(event) ? "agent" : "outside";
}

const LOST = /^\(lost: blob [0-9a-f]{64}\)$/;

function refuseUnplayable(agent: AgentId, event: Event, last: number): void {
  const refuse = (what: string, end: number): never => {
    const advice = end > 1 ? `; --to ${end} replays what comes before` : "";
    throw new LegionError("REFUSED", `${displayName(agent)} cannot be replayed: ${what}${advice}`);
  };
  if (event.seq > last + 1) refuse(`events ${last + 1} to ${event.seq - 1} of its log are gone`, last);
  if (event.kind === "branch") refuse(`its log branches at event ${event.seq}`, last);
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
