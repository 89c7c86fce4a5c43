// Copies agents with their whole past into the lines of an archive. Takes no lock: a node may run and write meanwhile.
//
//   X1. A moment is fixed for each log before any mailbox is read: a message that a log knows to be delivered is in the
//       copy of its recipient, in the log or unread.
//   X2. A mailbox is read before its log is read on: mail that was taken in since that moment is unread in the copy.
//   X3. The readable files are those of the same moment.
//
// What one agent said to another after its own moment may be known to the other: so copies of agents that run are marked
// as live, and go on as logs of their own (see arrival.ts).

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { isPathInAgent } from "./archive-check.ts";
import { ARCHIVE_FORMAT, type ArchiveLine } from "./archive.ts";
import { standingOf, type MailRecord } from "../bus/mailbox.ts";
import { LegionError } from "../errors.ts";
import type { Event, EventOf } from "../event.ts";
import { account, createLedger } from "../ledger.ts";
import { inline, type Outlined } from "../log/blobs.ts";
import { eachLine, fromLine, toLine } from "../log/line.ts";
import { lockHolder } from "../log/lock.ts";
import { readSegments } from "../log/segments.ts";
import { displayName, parseMessageId, type AgentId, type Delivery } from "../message.ts";
import { shownPath } from "../project-file.ts";
import type { FileReader } from "../reader/file-reader.ts";

/** What was packed so far. */
export interface Tally {
  readonly events: number;
  readonly unread: number;
  /** What was left out, and why; one line each. */
  readonly remarks: readonly string[];
}

export interface Packing {
  /** Pieces of the archive, in order; to be read once. Throws as the reader does, and REFUSED: see `settledFiles`. */
  readonly pieces: AsyncIterable<string | Buffer>;
  /** Grows while the pieces are read. */
  readonly tally: Tally;
}

/** Escaped, and as one line, it still is short enough to be read. */
const MAX_FILE_BYTES = 8 * 1_048_576;
const PIECE_BYTES = 1_048_576;
const TRIES = 20;

/** Copies `agents` as they are at one moment. Nothing is read before the first piece is asked for. */
export function packAgents(reader: FileReader, agents: readonly AgentId[]): Packing {
  const tally = { events: 0, unread: 0, remarks: [] };
  return { pieces: pack(createPress(reader, tally), agents), tally };
}

/** What the parts of a packing share. */
interface Press {
  readonly reader: FileReader;
  readonly tally: { events: number; unread: number; readonly remarks: string[] };
  /** Lines so far. */
  count: number;
  line(line: ArchiveLine): string;
}

function createPress(reader: FileReader, tally: Press["tally"]): Press {
  const press: Press = {
    reader,
    tally,
    count: 0,
    line(line) {
      press.count++;
      return toLine(line);
    },
  };
  return press;
}

async function* pack(press: Press, agents: readonly AgentId[]): AsyncGenerator<string | Buffer> {
  yield press.line({
    kind: "legion-export",
    format: ARCHIVE_FORMAT,
    at: new Date().toISOString(),
    agents,
  });
  const before = await lockState(press.reader);
  const moments = new Map<AgentId, number>();
  for (const agent of agents) {
    const { moment, files } = await settledFiles(press, agent);
    moments.set(agent, moment);
    for (const [path, text] of files) yield press.line({ kind: "file", agent, path, text });
  }
  for (const [agent, moment] of moments) {
    yield* packBlobs(press, agent);
    yield* packPast(press, agent, moment);
  }
  const after = await lockState(press.reader);
  const isLive = before.isHeld || after.isHeld || before.epochs !== after.epochs;
  yield press.line({ kind: "end", lines: press.count + 1, ...(isLive && { live: true }) });
}

async function lockState({
  paths,
  disk,
}: FileReader): Promise<{ readonly isHeld: boolean; readonly epochs: string }> {
  const isHeld = (await lockHolder(paths.lock, disk)) !== undefined;
  return { isHeld, epochs: (await disk.list(paths.lock)).join() };
}

interface Settled {
  /** The last event that counts. */
  readonly moment: number;
  /** By path in the agent's folder. */
  readonly files: ReadonlyMap<string, string>;
}

/** The readable files, and a moment at which they were so (X3). Throws REFUSED if there was none. */
async function settledFiles(press: Press, agent: AgentId): Promise<Settled> {
  const { reader } = press;
  for (let tries = 0; tries < TRIES; tries++) {
    const moment = await reader.last(agent);
    const remarks: string[] = [];
    const files = await readFiles(reader, agent, remarks);
    let isChanged = false;
    for await (const event of reader.events(agent, moment + 1)) isChanged ||= changesState(event);
    if (isChanged) continue;
    press.tally.remarks.push(...remarks);
    return { moment, files };
  }
  const name = displayName(agent);
  throw new LegionError(
    "REFUSED",
    `${name} changes its files faster than they can be copied; \`legion pause ${agent}\` first`,
  );
}

function changesState(event: Event): boolean {
  return event.kind === "edited" || (event.kind === "result" && event.state !== undefined);
}

/** All that lies beside the journals and is no long text of the log. Links are not followed. */
async function readFiles(
  { paths }: FileReader,
  agent: AgentId,
  remarks: string[],
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const folder = paths.agent(agent);
  for (const path of await filesIn(folder)) {
    const found = await lstat(join(folder, path)).catch(() => undefined);
    // It was there a moment ago: a note can go at any time.
    if (!found) continue;
    const shown = shownPath(paths.project, join(folder, path));
    if (!found.isFile() || !isPathInAgent(path)) remarks.push(`left out ${shown}: it is no file of an agent`);
    else if (found.size > MAX_FILE_BYTES) remarks.push(`left out ${shown}: it has ${found.size} bytes`);
    else {
      const text = await readFile(join(folder, path), "utf8").catch(() => undefined);
      if (text !== undefined) files.set(path, text);
    }
  }
  return files;
}

const ELSEWHERE = ["log", "mailbox", "blobs"];

async function filesIn(folder: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (ELSEWHERE.includes(entry.name)) continue;
    if (!entry.isDirectory()) paths.push(entry.name);
    else for (const name of await readdir(join(folder, entry.name))) paths.push(`${entry.name}/${name}`);
  }
  return paths.sort();
}

async function* packBlobs({ reader, tally, line }: Press, agent: AgentId): AsyncGenerator<string> {
  for (const name of await reader.disk.list(reader.paths.blobs(agent))) {
    const path = join(reader.paths.blobs(agent), name);
    if ((await hashOf(path)) !== name) {
      tally.remarks.push(`left out ${shownPath(reader.paths.project, path)}: it is not what was written`);
      continue;
    }
    let isFirst = true;
    for await (const text of createReadStream(path, { encoding: "utf8", highWaterMark: PIECE_BYTES })) {
      const piece = String(text);
      yield line(
        isFirst ? { kind: "file", agent, path: `blobs/${name}`, text: piece } : { kind: "more", text: piece },
      );
      isFirst = false;
    }
  }
}

/** `undefined` if it is no file. */
async function hashOf(path: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
    return hash.digest("hex");
  } catch {
    return undefined;
  }
}

/** The log up to its moment, and what was unread then. */
async function* packPast(press: Press, agent: AgentId, moment: number): AsyncGenerator<string | Buffer> {
  const { reader, tally } = press;
  const { paths, disk } = reader;
  const folder = join(paths.agent(agent), "log");
  const waiting = await mailIn(reader, agent);
  const ledger = createLedger();
  const takenSince: (EventOf<"message"> & Outlined)[] = [];
  for await (const { name, bytes, records } of readSegments<Event & Outlined>(folder, disk)) {
    for (const event of records) {
      if (event.seq <= moment) account(ledger, event);
      else if (event.kind === "message") takenSince.push(event);
    }
    const lines = linesUpTo(moment, (await disk.read(join(folder, name), bytes)) ?? Buffer.alloc(0));
    if (lines.length === 0) continue;
    yield press.line({ kind: "segment", agent, name, lines: lines.length });
    yield Buffer.concat(lines);
    press.count += lines.length;
    tally.events += records.filter(({ seq }) => seq <= moment).length;
  }
  const seen = new Map(ledger.seen);
  const mail: Delivery[] = [];
  for (const event of takenSince) {
    const { from, message } = await inline(event, reader.blobs(agent));
    mail.push({ from, message, after: seen.get(from) ?? 0 });
    seen.set(from, parseMessageId(message.id).n);
  }
  for (const record of waiting) {
    if (record.seq <= ledger.taken || standingOf(record, seen) !== "next") continue;
    seen.set(record.from, parseMessageId(record.message.id).n);
    mail.push(record);
  }
  tally.unread += mail.length;
  for (const { from, message, after } of mail)
    yield press.line({ kind: "mail", agent, from, message, ...(after !== undefined && { after }) });
}

async function mailIn({ paths, disk }: FileReader, agent: AgentId): Promise<readonly MailRecord[]> {
  const mail: MailRecord[] = [];
  for await (const { records } of readSegments<MailRecord>(join(paths.agent(agent), "mailbox"), disk))
    mail.push(...records.filter(({ kind }) => kind === "mail"));
  return mail;
}

/** The lines of a segment that hold no event after `moment`, as they are; damaged ones wrapped up. */
function linesUpTo(moment: number, bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  let isOver = false;
  // The newline after the last one may never have been written.
  const whole = bytes.length === 0 || bytes.at(-1) === LINE_END[0] ? bytes : Buffer.concat([bytes, LINE_END]);
  eachLine(whole, (line, offset) => {
    const event = fromLine<Event>(line);
    isOver ||= event !== undefined && event.seq > moment;
    if (isOver) return;
    const asItIs = whole.subarray(offset, offset + line.length + LINE_END.length);
    lines.push(event ? asItIs : Buffer.from(toLine({ kind: "damaged", base64: line.toString("base64") })));
  });
  return lines;
}

const LINE_END = Buffer.from("\n");
