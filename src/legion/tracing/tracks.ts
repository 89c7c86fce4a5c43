// Logs as spans while they grow: each is read on from where it was left, first for what it sends, then for what it tells.

import { setImmediate } from "node:timers/promises";
import {
  parseMessageId,
  isMessageId,
  CONTROL,
  type AgentId,
  type LogId,
} from "../../domain/message/message.ts";
import type { Event } from "../../domain/event/event.ts";
import type { ContentWanted } from "../../past/spans/content.ts";
import { createSpans, type Spans } from "../../past/spans/fold.ts";
import { createOutline, createSentIn, type SentIn } from "../../past/spans/sends.ts";
import type { Span } from "../../past/spans/span.ts";
import { logOf, logOfControl } from "../traces.ts";
import type { Reader } from "../../storage/contract/reader.ts";

/** So many events are read before others have their turn. */
const AT_ONCE = 64;

interface Track {
  readonly outline: ReturnType<typeof createOutline>;
  /** The id that the log began with. */
  log: LogId;
  /** How far its outline is, and how far its spans are. */
  seen: number;
  told: number;
  spans: Spans | undefined;
}

/** How far a log is to be told. */
export interface TrackEnd {
  readonly log: LogId;
  readonly seq: number;
}

export interface ToldEvent {
  readonly seq: number;
  /** What was over with it; mostly nothing. */
  readonly spans: readonly Span[];
}

interface TrackOptions {
  /** How far it was told before; absent: not at all. What is not read does not change. */
  readonly sent?: (agent: AgentId) => TrackEnd | undefined;
  readonly reader: Pick<Reader, "events" | "last">;
  readonly content: ContentWanted;
}

type Fail = (agent: AgentId, error: unknown) => void;

export function createTracks({ reader, content, sent = () => undefined }: TrackOptions) {
  const sentIn = createSentIn();
  const tracks = new Map<AgentId, Track>();
  let legion: LogId = "";
  const trackOf = (agent: AgentId): Track => {
    if (!tracks.has(agent)) tracks.set(agent, newTrack(sentIn));
    return tracks.get(agent)!;
  };
  /** Where each ends now that has more than was told; one that was begun anew is a new one. */
  const endsOf = async (agents: Iterable<AgentId>, fail: Fail): Promise<Map<AgentId, number>> => {
    const ends = new Map<AgentId, number>();
    for (const agent of agents) {
      const last = await reader.last(agent).catch((error: unknown) => {
        fail(agent, error);
        return undefined;
      });
      if (last === undefined) continue;
      if (last < trackOf(agent).seen) tracks.delete(agent);
      const mark = trackOf(agent).seen === 0 ? sent(agent) : undefined;
      if (!mark || !(await isAllOf(reader, agent, { mark, last }))) ends.set(agent, last);
    }
    return ends;
  };
  return {
    /** Nothing holds that was told of it. */
    forget: (agent: AgentId): void => void tracks.delete(agent),
    /**
     * Learns what `agents` sent. What was in their logs before is then ready to be told, and is what it gives: whatever was taken
     * in there had been sent by then. One that cannot be read is missing in it.
     */
    async readOn(agents: ReadonlySet<AgentId>, fail: Fail): Promise<ReadonlyMap<AgentId, TrackEnd>> {
      legion ||= await logOfControl(reader);
      const ends = await endsOf(agents, fail);
      const senders = new Set<AgentId>();
      const tried = new Set(ends.keys());
      const read = async (agent: AgentId): Promise<void> => {
        const track = trackOf(agent);
        for (const id of await outline(track, reader.events(agent, track.seen + 1))) senders.add(id);
      };
      for (const agent of tried)
        await read(agent).catch((error: unknown) => ends.delete(agent) && fail(agent, error));
      // Agents of other nodes ring no bell here, and those that rest are not read until somebody was sent something by them.
      for (const sender of senders)
        if (!tried.has(sender)) await read(sender).catch((error: unknown) => fail(sender, error));
      return new Map([...ends].map(([agent, seq]) => [agent, { log: trackOf(agent).log, seq }]));
    },
    /** What is new up to there, event by event. */
    async *tell(agent: AgentId, { seq: end }: TrackEnd): AsyncGenerator<ToldEvent, undefined> {
      const track = trackOf(agent);
      track.spans ??= createSpans({ agent, legion, outline: track.outline.settle(), sentIn, content });
      for await (const event of reader.events(agent, track.told + 1)) {
        if (event.seq > end) break;
        track.told = event.seq;
        yield { seq: event.seq, spans: track.spans.see(event) };
        if (event.seq % AT_ONCE === 0) await setImmediate();
      }
      return undefined;
    },
  };
}

/** All of it was told before, and nothing came since: it need not be read. */
async function isAllOf(
  reader: TrackOptions["reader"],
  agent: AgentId,
  { mark, last }: { readonly mark: TrackEnd; readonly last: number },
): Promise<boolean> {
  return mark.seq === last && (await logOf(reader, agent)) === mark.log;
}

function newTrack(sentIn: SentIn): Track {
  return { outline: createOutline(sentIn), log: "", seen: 0, told: 0, spans: undefined };
}

/** Reads a track's outline on; gives who else sent what is new there. */
async function outline(track: Track, events: AsyncIterable<Event>): Promise<ReadonlySet<AgentId>> {
  const senders = new Set<AgentId>();
  let count = 0;
  for await (const event of events) {
    if (event.kind === "opened") track.log ||= event.log;
    // What it goes back to was told without knowing that.
    if (event.kind === "branch") Object.assign(track, { told: 0, spans: undefined });
    track.outline.see(event);
    track.seen = event.seq;
    const sender = senderIn(event);
    if (sender !== undefined) senders.add(sender);
    if (++count % AT_ONCE === 0) await setImmediate();
  }
  return senders;
}

function senderIn(event: Event): AgentId | undefined {
  if (event.kind !== "message" && event.kind !== "observed") return undefined;
  const { id = "" } = event.message ?? {};
  const from = isMessageId(id) ? parseMessageId(id).from : CONTROL;
  return from === CONTROL ? undefined : from;
}
