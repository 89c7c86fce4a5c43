// Takes an archive apart. Everything it claims is checked before it is written, and all of it before anybody uses it.

import { createHash, type Hash } from "node:crypto";
import { basename, join } from "node:path";
import { ARCHIVE_FORMAT, badLine, linesOf, type ArchiveLine } from "./format.ts";
import { isCount, isEventShaped, isLogId, isMailTo, isSegmentName } from "./check.ts";
import { isLogFormat, type Event } from "../../domain/event.ts";
import type { Authorship } from "../folder/person/authorship.ts";
import { createDisk, type AppendFile, type Disk } from "../../base/files/disk.ts";
import { soleWriter, type Journal } from "../files/journal/journal.ts";
import { openMailbox } from "../files/mailbox.ts";
import { fromLine, piecesOf } from "../folder/line.ts";
import { CONTROL, isAgentId, type AgentId } from "../../domain/message.ts";
import { isPathInAgent } from "../folder/agent-path.ts";

/** What came out of an archive. */
export interface Unpacked {
  readonly agents: readonly AgentId[];
  readonly events: number;
  readonly unread: number;
  /** The highest epoch of the logs. */
  readonly lastEpoch: number;
  /** It is a copy of agents that were running. */
  readonly isLive: boolean;
}

export interface UnpackOptions {
  /** The real one if absent. */
  readonly disk?: Disk;
  /** Is told now and then how many lines were read. */
  readonly onProgress?: (lines: number) => void;
  /** Signs the mail; absent: it stays foreign. */
  readonly authorship?: Pick<Authorship, "sign">;
}

const FLUSH_BYTES = 262_144;
const PROGRESS_LINES = 10_000;

/** The agents that an archive says it holds. Throws DAMAGED if its first line is not what was written. */
export async function archivedAgents(path: string): Promise<readonly AgentId[]> {
  for await (const line of linesOf(path)) return readHeader(path, fromLine<ArchiveLine>(line)).agents;
  throw badLine(path, 1, "the file is empty");
}

/**
 * Puts the agents of an archive under `folder`, as `<folder>/<id>/log/…`, durable when it resolves; `folder` must not be
 * there. Throws DAMAGED, naming file and line, if the archive is torn, damaged, of a newer format or made to do harm, and
 * STORAGE if the disk fails; what was written until then is for the caller to remove. Takes no lock.
 */
export async function unpackArchive(
  path: string,
  folder: string,
  { disk = createDisk(folder), onProgress, authorship }: UnpackOptions = {},
): Promise<Unpacked> {
  const reading: ArchiveReading = { header: undefined, writing: undefined, pasts: new Map(), end: undefined };
  let count = 0;
  try {
    for await (const bytes of linesOf(path)) {
      count++;
      if (count % PROGRESS_LINES === 0) onProgress?.(count);
      const problem = await takeLine(bytes, { reading, path, folder, disk, count, authorship });
      if (problem !== undefined) throw badLine(path, count, problem);
    }
    if (!reading.end) throw badLine(path, count + 1, "the rest is missing; copy it again");
    const pasts = [...reading.pasts.values()];
    for (const { mailbox } of pasts) await mailbox?.close();
    const sum = (of: (past: UnpackedPast) => number): number =>
      pasts.reduce((total, past) => total + of(past), 0);
    return {
      agents: reading.header!.agents,
      events: sum(({ events }) => events),
      unread: sum(({ unread }) => unread),
      lastEpoch: Math.max(0, ...pasts.map(({ lastEpoch }) => lastEpoch)),
      isLive: reading.end.live === true,
    };
  } catch (error) {
    reading.writing?.file.close();
    throw error;
  }
}

type LineOf<K extends ArchiveLine["kind"]> = Extract<ArchiveLine, { kind: K }>;

interface ArchiveReading {
  header: LineOf<"legion-export"> | undefined;
  writing: FileWriting | undefined;
  readonly pasts: Map<AgentId, UnpackedPast>;
  end: LineOf<"end"> | undefined;
}

/** The file that lines go to until another one begins. */
interface FileWriting {
  readonly file: AppendFile;
  readonly waiting: Buffer[];
  waitingBytes: number;
  /** How many lines of the log are to come; 0 for other files. */
  left: number;
  /** Of the agent whose log it is. */
  readonly past: UnpackedPast | undefined;
  /** What a long text is kept under, and the hash of what has come of it. */
  readonly blob: { readonly name: string; readonly hash: Hash } | undefined;
}

/** What has come of one agent. */
interface UnpackedPast {
  events: number;
  unread: number;
  lastEpoch: number;
  /** The highest position in a mailbox that its log names. */
  taken: number;
  mailbox: Journal | undefined;
}

interface UnpackPlace {
  readonly reading: ArchiveReading;
  readonly path: string;
  readonly folder: string;
  readonly disk: Disk;
  readonly count: number;
  readonly authorship: Pick<Authorship, "sign"> | undefined;
}

/** Returns what is wrong with the line. */
async function takeLine(bytes: Buffer, place: UnpackPlace): Promise<string | undefined> {
  const { reading, path } = place;
  if (reading.end) return "something stands behind the end";
  const line = fromLine<ArchiveLine | Event>(bytes);
  if (!line) return "the line is damaged; copy the file again";
  if (!reading.header) {
    reading.header = readHeader(path, line);
    return undefined;
  }
  const { writing } = reading;
  if (writing && writing.left > 0) return takeLogLine(writing, bytes, line);
  if (line.kind === "more") return takeMore(writing, line);
  const unfinished = await finish(reading);
  if (unfinished !== undefined) return unfinished;
  if (line.kind === "end") {
    reading.end = line;
    return line.lines === place.count ? undefined : "lines are missing; copy the file again";
  }
  const { agents } = reading.header;
  if (!("agent" in line) || !agents.includes(line.agent)) return "it is about no agent of this file";
  const past = reading.pasts.get(line.agent) ?? newPast();
  reading.pasts.set(line.agent, past);
  if (line.kind === "file") return beginFile(line, place);
  return line.kind === "segment" ? beginSegment(line, past, place) : takeMail(line, past, place);
}

function newPast(): UnpackedPast {
  return { events: 0, unread: 0, lastEpoch: 0, taken: 0, mailbox: undefined };
}

function readHeader(path: string, line: object | undefined): LineOf<"legion-export"> {
  const header = (line ?? {}) as Partial<LineOf<"legion-export">>;
  if (header.kind !== "legion-export") throw badLine(path, 1, "the line is damaged; copy the file again");
  if (header.format !== ARCHIVE_FORMAT)
    throw badLine(path, 1, `it was written by a newer version (format ${String(header.format)})`);
  const { agents } = header;
  const isName = (id: unknown): boolean => typeof id === "string" && (id === CONTROL || isAgentId(id));
  if (!Array.isArray(agents) || !agents.every(isName))
    throw badLine(path, 1, "it names something that is no agent");
  return header as LineOf<"legion-export">;
}

/** One of the lines of a segment, kept as it is. */
function takeLogLine(writing: FileWriting, bytes: Buffer, line: ArchiveLine | Event): string | undefined {
  writing.left--;
  const past = writing.past!;
  const whole = line.kind === "damaged" ? Buffer.from(String(line.base64), "base64") : bytes;
  add(writing, whole);
  add(writing, LINE_END);
  if (line.kind !== "damaged") return countEvent(past, line as Event);
  if (whole.includes(LINE_END)) return "it is more than one line";
  // Records are found in damaged lines, too.
  for (const piece of piecesOf(whole)) {
    const event = fromLine<Event>(piece);
    const problem = event && countEvent(past, event);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function countEvent(past: UnpackedPast, event: Event): string | undefined {
  if (event.kind === "opened" && !isLogFormat(event.format))
    return `the log was written by a newer version (format ${String(event.format)})`;
  if (!isEventShaped(event)) return "it is no event of a log";
  past.events++;
  past.lastEpoch = Math.max(past.lastEpoch, event.epoch);
  if (event.kind === "message") past.taken = Math.max(past.taken, event.mail);
  return undefined;
}

const LINE_END = Buffer.from("\n");

function takeMore(writing: FileWriting | undefined, line: LineOf<"more">): string | undefined {
  if (!writing || writing.past || typeof line.text !== "string") return "it goes on with no file";
  add(writing, Buffer.from(line.text));
  return undefined;
}

function add(writing: FileWriting, bytes: Buffer): void {
  writing.blob?.hash.update(bytes);
  writing.waiting.push(bytes);
  writing.waitingBytes += bytes.length;
  if (writing.waitingBytes >= FLUSH_BYTES) flush(writing);
}

function flush(writing: FileWriting): void {
  if (writing.waitingBytes > 0) writing.file.write(Buffer.concat(writing.waiting.splice(0)));
  writing.waitingBytes = 0;
}

/** Makes what was being written durable. */
async function finish(reading: ArchiveReading): Promise<string | undefined> {
  const { writing } = reading;
  if (!writing) return undefined;
  flush(writing);
  await writing.file.sync();
  writing.file.close();
  reading.writing = undefined;
  const { blob } = writing;
  return blob && blob.hash.digest("hex") !== blob.name
    ? `the long text ${blob.name} before it is not what its name says`
    : undefined;
}

function beginFile(line: LineOf<"file">, { reading, folder, disk }: UnpackPlace): string | undefined {
  if (!isPathInAgent(line.path) || typeof line.text !== "string")
    return `it names a file that no agent may have: ${JSON.stringify(line.path)}`;
  const path = join(folder, line.agent, line.path);
  if (disk.exists(path)) return `${line.path} is there twice`;
  const name = basename(path);
  const blob = line.path.startsWith("blobs/") ? { name, hash: createHash("sha256") } : undefined;
  begin(reading, { file: disk.create(path), left: 0, past: undefined, blob });
  return takeMore(reading.writing, { kind: "more", text: line.text });
}

function beginSegment(
  line: LineOf<"segment">,
  past: UnpackedPast,
  { reading, folder, disk }: UnpackPlace,
): string | undefined {
  if (!isSegmentName(line.name) || !isCount(line.lines)) return "it names no segment of a log";
  if (past.mailbox) return "a part of the log stands behind the mail";
  const path = join(folder, line.agent, "log", line.name);
  if (disk.exists(path)) return `${line.name} is there twice`;
  begin(reading, { file: disk.create(path), left: line.lines, past, blob: undefined });
  return undefined;
}

function begin(reading: ArchiveReading, writing: Omit<FileWriting, "waiting" | "waitingBytes">): void {
  reading.writing = { ...writing, waiting: [], waitingBytes: 0 };
}

/** What waits gets its place in a mailbox behind all that the log has taken in. */
async function takeMail(
  line: ArchiveLine,
  past: UnpackedPast,
  { folder, disk, authorship }: UnpackPlace,
): Promise<string | undefined> {
  if (line.kind !== "mail") return "nothing of this kind belongs here";
  const { agent, from, message, after } = line;
  if (!isLogId(from) || !isMailTo(agent, message) || !(after === undefined || isCount(after)))
    return "it is no mail for this agent";
  const writer = soleWriter(disk, Math.max(1, past.lastEpoch), authorship);
  const start = { last: past.taken, segments: [] };
  past.mailbox ??= openMailbox(agent, join(folder, agent, "mailbox"), writer, start);
  past.unread++;
  past.mailbox.write([{ kind: "mail", from, message, ...(after !== undefined && { after }) }]);
  return undefined;
}
