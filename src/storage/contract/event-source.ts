// Agents that are copied out of a place that keeps events and no files. What people read in files there, the log says: the
// copy gets the same files.

import { StringDecoder } from "node:string_decoder";
import { LegionError } from "../../base/errors.ts";
import type { Event, OpenedEvent } from "../../domain/event/event.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import type { Watermarks } from "../../mail/bus.ts";
import { createWhole, type Stored } from "../../past/log/patches.ts";
import { createBranch, followLog } from "../../past/fold.ts";
import { toLine } from "../folder/line.ts";
import { createSeries } from "../folder/series.ts";
import { contentsOf } from "../folder/state-files.ts";
import type { ReadPlace } from "./reader.ts";
import { MAX_FILE_BYTES, PIECE_BYTES, type CopyOptions } from "./source.ts";
import type { LogPart, Settled, Source } from "./source.ts";

type StoredEvent = Stored<Event>;

export interface KeptAgents
  extends Pick<Source, "activity">, Pick<ReadPlace, "last" | "unread" | "recordText" | "blobs"> {
  /** Where they are, for people. */
  readonly shown: string;
  /** All events, oldest first, some at a time. */
  pages(agent: AgentId): AsyncIterable<readonly StoredEvent[]>;
}

const NOTHING_TAKEN: Watermarks = { taken: 0, seen: new Map() };

/** One agent of them. */
interface Kept {
  readonly agents: KeptAgents;
  readonly agent: AgentId;
}

export function createEventSource(agents: KeptAgents, { readable, authorship }: CopyOptions): Source {
  const remarks: string[] = [];
  const surveys = new Map<AgentId, LogSurvey>();
  const surveyOf = (agent: AgentId): LogSurvey => surveys.get(agent)!;
  return {
    remarks,
    async settle(agent) {
      const survey = await surveyLog({ agents, agent }, readable);
      surveys.set(agent, survey);
      const record = await agents.recordText(agent);
      // Where the agent's work lies is decided anew at its next start.
      const files = new Map([
        ...(record === undefined ? [] : [["agent.json", record] as const]),
        ...survey.shown,
      ]);
      for (const [path, text] of files) {
        const bytes = Buffer.byteLength(text);
        if (bytes <= MAX_FILE_BYTES) continue;
        files.delete(path);
        remarks.push(`left out ${path} of ${displayName(agent)}: it has ${bytes} bytes`);
      }
      return { moment: survey.moment, files };
    },
    async *texts(agent) {
      for (const hash of surveyOf(agent).hashes) {
        const text = await agents.blobs(agent).read(hash);
        if (text !== undefined) yield { hash, pieces: piecesOf(text) };
        else remarks.push(`left out the text ${hash} of ${displayName(agent)}: it is not what was written`);
      }
    },
    // Nothing that is missing comes before it.
    waiting: async (agent) =>
      (await agents.unread(agent, NOTHING_TAKEN)).map((mail) => ({ ...mail, after: 0 })),
    parts: (agent) => partsOf({ agents, agent }, surveyOf(agent), authorship),
    blobs: agents.blobs,
    activity: agents.activity,
  };
}

/** What has to be known of a log before it is copied. */
interface LogSurvey extends Pick<Settled, "moment"> {
  /** The highest epoch. */
  readonly epoch: number;
  /** How many events there are in each of its segments. */
  readonly lengths: readonly number[];
  /** The long texts that it names. */
  readonly hashes: ReadonlySet<string>;
  /** Its state, as files. */
  readonly shown: Settled["files"];
}

async function surveyLog({ agents, agent }: Kept, readable: CopyOptions["readable"]): Promise<LogSurvey> {
  const moment = await agents.last(agent);
  const blobs = agents.blobs(agent);
  const fromStart = (): AsyncIterable<StoredEvent> => eventsIn({ agents, agent });
  const whole = createWhole(blobs, fromStart);
  const follower = followLog(createBranch);
  const lengths: number[] = [];
  const hashes = new Set<string>();
  let epoch = 1;
  for await (const event of eventsIn({ agents, agent })) {
    if (event.seq > moment) break;
    epoch = Math.max(epoch, event.epoch);
    if (event.kind === "opened" || lengths.length === 0) lengths.push(0);
    lengths[lengths.length - 1]! += 1;
    for (const [, hash] of event.blobs ?? []) hashes.add(hash);
    if (event.kind === "prompted") hashes.add(event.introduction);
    follower.see(await whole(event));
  }
  const { state } = await follower.settle(async function* () {
    const anew = createWhole(blobs, fromStart);
    for await (const event of eventsIn({ agents, agent })) yield anew(event);
  });
  return { moment, epoch, lengths, hashes, shown: contentsOf(readable, state) };
}

async function* eventsIn({ agents, agent }: Kept): AsyncGenerator<StoredEvent> {
  for await (const page of agents.pages(agent)) yield* page;
}

/** No piece ends in the middle of a character. */
export function* piecesOf(text: string): Generator<string, undefined> {
  const bytes = Buffer.from(text);
  const decoder = new StringDecoder("utf8");
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    yield decoder.write(bytes.subarray(at, at + PIECE_BYTES));
  return undefined;
}

/** A segment begins with every `opened` event, as in files, and seals the one before it. */
async function* partsOf(
  kept: Kept,
  survey: LogSurvey,
  authorship: CopyOptions["authorship"],
): AsyncGenerator<LogPart> {
  const { moment, epoch, lengths } = survey;
  const series = createSeries(epoch);
  let begun = 0;
  /** How many lines of the newest segment are to come. */
  let left = 0;
  for await (const page of kept.agents.pages(kept.agent)) {
    for (const run of runsIn(page)) {
      const copied = run.filter(({ seq }) => seq <= moment);
      const isFirst = copied.length > 0 && (begun === 0 || copied[0]!.kind === "opened");
      if (isFirst && left !== 0) throw changed(kept);
      const next = isFirst ? series.next() : undefined;
      if (isFirst) left = lengths[begun++] ?? 0;
      const segment = next && { name: next.name, lines: left };
      const lines = copied.map((event) => lineOf(event, next?.seals, authorship));
      series.grew(lines.reduce((sum, { length }) => sum + length, 0));
      left -= lines.length;
      yield { ...(segment && { segment }), lines, events: run };
    }
  }
  if (left !== 0 || begun !== lengths.length) throw changed(kept);
}

/** Cut in front of every `opened` event; no run is empty. */
function runsIn(page: readonly StoredEvent[]): readonly (readonly StoredEvent[])[] {
  const runs: StoredEvent[][] = [];
  for (const event of page) {
    if (runs.length === 0 || event.kind === "opened") runs.push([]);
    runs.at(-1)!.push(event);
  }
  return runs;
}

function lineOf(
  event: StoredEvent,
  seals: OpenedEvent["seals"] = {},
  authorship?: CopyOptions["authorship"],
): Buffer {
  if (event.kind !== "opened") return Buffer.from(toLine(event));
  const mac = authorship?.sign(event.log, event.epoch);
  return Buffer.from(toLine({ ...event, seals, ...(mac && { mac }) }));
}

function changed({ agents, agent }: Kept): LegionError {
  const what = `the log of ${displayName(agent)} at ${agents.shown} lost events while it was copied`;
  return new LegionError("STORAGE", `${what}; try again`);
}
