// The part of a record that somebody chose, in the place of all of it: whoever reads it sees that and nothing else.

import { sendsOf, type Event } from "../../domain/event/event.ts";
import { CONTROL, parseMessageId, type AgentId } from "../../domain/message/message.ts";
import { wholeRecord } from "../../legion/moment/moment.ts";
import { readerAt } from "../../legion/moment/reader.ts";
import type { TraceLogs, TraceWish } from "../../legion/traces.ts";
import { createShown } from "../../past/spans/shown.ts";
import type { Digest } from "../../past/digest/digest.ts";
import { createReader, excerptOf, readAtRest, type Reader } from "../../storage/contract/reader.ts";

export type RecordChoice = Pick<TraceWish, "root" | "agents" | "sinceMs">;

export interface ChosenRecord {
  readonly choice: RecordChoice;
  /** What was chosen. What an agent is, its goals and its notes are as they are at its end, whenever they became so. */
  readonly reader: Reader;
  /** All of it up to the same end: a prompt is made of whatever led to it. */
  readonly whole: Reader;
}

type Belongs = (event: Event) => boolean;

/** The record ends now, however long the legion goes on. Agents of whom nothing was chosen are not known. */
export async function chooseRecord(
  reader: Reader,
  logs: TraceLogs,
  choice: RecordChoice,
): Promise<ChosenRecord> {
  const whole = readerAt(reader, await wholeRecord(reader));
  const { root, agents, sinceMs } = choice;
  if (root === undefined && agents === undefined && sinceMs === undefined)
    return { reader: whole, whole, choice };
  const events = async function* (agent: AgentId, from = 1): AsyncGenerator<Event> {
    const belongs = belongsTo(agent, logs, choice);
    // What an event was done for is known from those before it.
    for await (const event of whole.events(agent, root === undefined ? from : 1))
      if (event.seq >= from && belongs(event)) yield trimmed(agent, event, choice);
  };
  const known = await thoseWith(
    events,
    (await whole.known()).filter((id) => agents?.includes(id) ?? true),
  );
  const place = createReader({
    events,
    known: () => Promise.resolve(known),
    last: whole.last,
    unread: () => Promise.resolve([]),
    recordText: () => Promise.resolve(undefined),
    lastStart: whole.lastStart,
    blobs: whole.blobs,
  });
  const digests = new Map<AgentId, Promise<Digest>>();
  const digest = (agent: AgentId): Promise<Digest> => {
    // What became of mail to those of whom nothing was chosen is told all the same.
    const isChosen = agent === CONTROL || known.includes(agent);
    const kept = digests.get(agent) ?? (isChosen ? place : whole).digest(agent);
    digests.set(agent, kept);
    return kept;
  };
  const { record, state, isForeign } = whole;
  const chosen = { ...place, digest, standing: digest, record, state, isForeign };
  const atRest: Reader["atRest"] = (agent) => readAtRest(agent, chosen);
  return { reader: { ...chosen, atRest, excerpt: excerptOf(chosen) }, whole, choice };
}

async function thoseWith(events: Reader["events"], among: readonly AgentId[]): Promise<readonly AgentId[]> {
  const found: AgentId[] = [];
  for (const agent of among)
    for await (const event of events(agent)) {
      if (event.kind === "opened") continue;
      found.push(agent);
      break;
    }
  return found;
}

function belongsTo(
  agent: AgentId,
  logs: TraceLogs,
  { root, agents, sinceMs = -Infinity }: RecordChoice,
): Belongs {
  const isOfRoot = root === undefined ? () => true : createOfRoot(agent, logs, root);
  const isOfAgents = agent === CONTROL && agents ? isWith(agents) : () => true;
  return (event) => {
    const isOfIt = isOfRoot(event);
    return event.kind === "opened" || (isOfIt && isOfAgents(event) && Date.parse(event.at) >= sinceMs);
  };
}

/** As in traces: what an agent does belongs to the newest message that it was shown. */
function createOfRoot(agent: AgentId, { outlines }: TraceLogs, root: string): Belongs {
  const shown = createShown({ targets: outlines.get(agent)?.targets ?? new Set() });
  return (event) => {
    if (event.kind === "branch") shown.turn(event);
    else shown.see(event);
    if (event.kind === "message") return event.message.root === root;
    const sends = sendsOf(event);
    if (agent === CONTROL || sends.length > 0) return sends.some((message) => message.root === root);
    return shown.root() === root;
  };
}

/** Of the person's own log: what they and the agents said to each other. */
function isWith(agents: readonly AgentId[]): Belongs {
  return (event) => {
    if (event.kind === "message") return agents.includes(parseMessageId(event.message.id).from);
    return sendsOf(event).some(({ id }) => agents.includes(parseMessageId(id).to));
  };
}

/** What the person said to several at once is told of those alone that were chosen. */
function trimmed(agent: AgentId, event: Event, { agents, root }: RecordChoice): Event {
  if (agent !== CONTROL || !("sends" in event) || !event.sends) return event;
  const sends = event.sends.filter(
    (message) =>
      (agents?.includes(parseMessageId(message.id).to) ?? true) &&
      (root === undefined || message.root === root),
  );
  return { ...event, sends };
}
