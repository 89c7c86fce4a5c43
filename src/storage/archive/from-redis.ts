// Agents to be copied from a legion in Redis; also while nodes run them. What people read in files there, the log says: the
// copy gets the same files.

import { StringDecoder } from "node:string_decoder";
import {
  MAX_FILE_BYTES,
  PIECE_BYTES,
  type Activity,
  type LogPart,
  type Settled,
  type Source,
} from "./pack.ts";
import { readRedisMail } from "../redis/mail/mailbox.ts";
import { LegionError } from "../../base/errors.ts";
import type { Module } from "../../domain/module.ts";
import type { Event, OpenedEvent } from "../../domain/event.ts";
import type { Authorship } from "../folder/authorship.ts";
import { inline, type Outlined } from "../../past/blobs.ts";
import { toLine } from "../folder/line.ts";
import { createRedisBlobs } from "../redis/log/blobs.ts";
import { readRedisEvents, readRedisLog } from "../redis/log/log.ts";
import { createSeries } from "../folder/series.ts";
import { CONTROL, displayName, type AgentId } from "../../domain/message.ts";
import { createBranch, followLog } from "../../past/fold.ts";
import { contentsOf } from "../folder/state-files.ts";
import { agentKeys, legionKeys } from "../redis/scripts/keys.ts";
import { readNodes, type LegionPlace } from "../redis/cluster/members.ts";
import type { RedisPlace } from "../redis/scripts/scope.ts";
import { withoutWorkspace } from "../redis/cluster/directory.ts";

type StoredEvent = Event & Outlined;

/**
 * @param readable the modules whose state the copy has in files
 * @param authorship signs the logs, as nothing in Redis is signed; absent: they are nobody's
 */
export function createRedisSource(
  place: LegionPlace,
  readable: readonly Module[],
  authorship?: Pick<Authorship, "sign">,
): Source {
  const remarks: string[] = [];
  const surveys = new Map<AgentId, Survey>();
  const surveyOf = (agent: AgentId): Survey => surveys.get(agent)!;
  const placeOf = (agent: AgentId): RedisPlace => ({ ...place, agent });
  const blobs = (agent: AgentId) => createRedisBlobs(placeOf(agent));
  return {
    remarks,
    async settle(agent) {
      const survey = await surveyLog(placeOf(agent), readable);
      surveys.set(agent, survey);
      const files = new Map([...(await recordFile(place, agent)), ...survey.shown]);
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
        const text = await blobs(agent).read(hash);
        if (text !== undefined) yield { hash, pieces: piecesOf(text) };
        else remarks.push(`left out the text ${hash} of ${displayName(agent)}: it is not what was written`);
      }
    },
    // What is in this mailbox was accepted: nothing that is missing comes before it.
    waiting: async (agent) => (await readRedisMail(placeOf(agent), 0)).map((mail) => ({ ...mail, after: 0 })),
    parts: (agent) => partsOf(placeOf(agent), surveyOf(agent), authorship),
    blobs,
    activity: (agents) => activityOf(place, agents),
  };
}

/** What has to be known of a log before it is copied. */
interface Survey extends Pick<Settled, "moment"> {
  /** The highest epoch. */
  readonly epoch: number;
  /** How many events there are in each of its segments. */
  readonly lengths: readonly number[];
  /** The long texts that it names. */
  readonly hashes: ReadonlySet<string>;
  /** Its goals and notes, as files. */
  readonly shown: Settled["files"];
}

async function surveyLog(place: RedisPlace, readable: readonly Module[]): Promise<Survey> {
  const { link, legion, agent } = place;
  const moment = Number((await link.command("HGET", agentKeys(legion, agent).meta, "seq")) ?? 0);
  const blobs = createRedisBlobs(place);
  const follower = followLog(createBranch);
  const lengths: number[] = [];
  const hashes = new Set<string>();
  let epoch = 1;
  for await (const event of eventsUpTo(moment, place)) {
    epoch = Math.max(epoch, event.epoch);
    if (event.kind === "opened" || lengths.length === 0) lengths.push(0);
    lengths[lengths.length - 1]! += 1;
    for (const [, hash] of event.blobs ?? []) hashes.add(hash);
    if (event.kind === "prompted") hashes.add(event.introduction);
    follower.see(await inline(event, blobs));
  }
  const { state } = await follower.settle(() => readRedisLog(place));
  return { moment, epoch, lengths, hashes, shown: contentsOf(readable, state) };
}

async function* eventsUpTo(moment: number, place: RedisPlace): AsyncGenerator<StoredEvent> {
  for await (const page of readRedisEvents(place))
    for (const event of page) {
      if (event.seq > moment) return;
      yield event;
    }
}

/** Where the agent's work lies is decided anew at its next start. */
async function recordFile({ link, legion }: LegionPlace, agent: AgentId): Promise<Settled["files"]> {
  const record = (await link.command("HGET", legionKeys(legion).agents, agent)) as string | null;
  return new Map(record === null ? [] : [["agent.json", withoutWorkspace(record)]]);
}

/** No piece ends in the middle of a character. */
function* piecesOf(text: string): Generator<string, undefined> {
  const bytes = Buffer.from(text);
  const decoder = new StringDecoder("utf8");
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    yield decoder.write(bytes.subarray(at, at + PIECE_BYTES));
  return undefined;
}

/** A segment begins with every `opened` event, as in files, and seals the one before it. */
async function* partsOf(
  place: RedisPlace,
  survey: Survey,
  authorship: Pick<Authorship, "sign"> | undefined,
): AsyncGenerator<LogPart> {
  const { moment, epoch, lengths } = survey;
  const series = createSeries(epoch);
  let begun = 0;
  /** How many lines of the newest segment are to come. */
  let left = 0;
  for await (const page of readRedisEvents(place)) {
    for (const run of runsIn(page)) {
      const copied = run.filter(({ seq }) => seq <= moment);
      const isFirst = copied.length > 0 && (begun === 0 || copied[0]!.kind === "opened");
      if (isFirst && left !== 0) throw changed(place);
      const next = isFirst ? series.next() : undefined;
      if (isFirst) left = lengths[begun++] ?? 0;
      const segment = next && { name: next.name, lines: left };
      const lines = copied.map((event) => lineOf(event, next?.seals, authorship));
      series.grew(lines.reduce((sum, { length }) => sum + length, 0));
      left -= lines.length;
      yield { ...(segment && { segment }), lines, events: run };
    }
  }
  if (left !== 0 || begun !== lengths.length) throw changed(place);
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
  authorship?: Pick<Authorship, "sign">,
): Buffer {
  if (event.kind !== "opened") return Buffer.from(toLine(event));
  const mac = authorship?.sign(event.log, event.epoch);
  return Buffer.from(toLine({ ...event, seals, ...(mac && { mac }) }));
}

function changed({ link, agent }: RedisPlace): LegionError {
  const what = `the log of ${displayName(agent)} at ${link.shown} lost events while it was copied`;
  return new LegionError("STORAGE", `${what}; try again`);
}

/** Agents are written to under a lease or by the scripts of a mailbox; to Control's log, any node may add at any time. */
async function activityOf(place: LegionPlace, agents: readonly AgentId[]): Promise<Activity> {
  const { link, legion } = place;
  const marks = await Promise.all(
    agents.map(async (agent) => {
      const { lease, epoch, meta } = agentKeys(legion, agent);
      const [isLeased, ...rest] = await Promise.all([
        link.command("EXISTS", lease),
        link.command("GET", epoch),
        link.command("HMGET", meta, "seq", "mail"),
      ]);
      return { isLeased: isLeased === 1, rest };
    }),
  );
  const hasNodes = agents.includes(CONTROL) && (await readNodes(place)).length > 0;
  const isHeld = hasNodes || marks.some(({ isLeased }) => isLeased);
  return { isHeld, mark: JSON.stringify(marks.map(({ rest }) => rest)) };
}
