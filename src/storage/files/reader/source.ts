// Agents to be copied from the files of a project; also while its node runs.

import { lstat, readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { isPathInAgent } from "../../folder/agent-path.ts";
import { piecesOf } from "../../contract/event-source.ts";
import { MAX_FILE_BYTES, PIECE_BYTES } from "../../contract/source.ts";
import type { LogPart, Source } from "../../contract/source.ts";
import type { Mail } from "../../../mail/bus.ts";
import type { MailRecord } from "../mailbox.ts";
import { LegionError } from "../../../base/errors.ts";
import type { Event } from "../../../domain/event/event.ts";
import { sha256, type Outlined } from "../../../past/log/blobs.ts";
import { linesIn, fromLine, toLine } from "../../folder/line.ts";
import { lockHolder } from "../../folder/lock.ts";
import { readSegments } from "../journal/segments.ts";
import { displayName, type AgentId } from "../../../domain/message/message.ts";
import { shownPath } from "../../../base/files/project-file.ts";
import type { FileReader } from "./reader.ts";

const TRIES = 20;

/** Its `settle` throws REFUSED if the files of an agent never hold still. */
export function createFileSource(reader: FileReader): Source {
  const { paths, disk } = reader;
  const remarks: string[] = [];
  const moments = new Map<AgentId, number>();
  return {
    remarks,
    async settle(agent) {
      const { moment, files, left } = await settledFiles(reader, agent);
      moments.set(agent, moment);
      remarks.push(...left);
      return { moment, files };
    },
    async *texts(agent) {
      for (const hash of await disk.list(paths.blobs(agent))) {
        const text = await reader
          .blobs(agent)
          .read(hash)
          .catch(() => undefined);
        const shown = shownPath(paths.project, join(paths.blobs(agent), hash));
        const bytes = text === undefined ? await bytesAt(join(paths.blobs(agent), hash)) : undefined;
        if (text !== undefined) yield { hash, pieces: piecesOf(text) };
        else if (bytes && sha256(bytes) === hash) yield { hash, pieces: encoded(bytes), base64: true };
        else remarks.push(`left out ${shown}: it is not what was written`);
      }
    },
    waiting: (agent) => mailIn(reader, agent),
    parts: (agent) => partsOf(reader, agent, moments.get(agent) ?? 0),
    blobs: reader.blobs,
    async activity() {
      const isHeld = (await lockHolder(paths.lock, disk)) !== undefined;
      return { isHeld, mark: (await disk.list(paths.lock)).join() };
    },
  };
}

async function bytesAt(path: string): Promise<Buffer | undefined> {
  const stat = await lstat(path).catch(() => undefined);
  return stat?.isFile() ? readFile(path).catch(() => undefined) : undefined;
}

function* encoded(bytes: Buffer): Generator<string, undefined> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    yield bytes.subarray(at, at + PIECE_BYTES).toString("base64");
  return undefined;
}

/** The readable files, and a moment at which they were so (X3). Throws REFUSED if there was none. */
async function settledFiles(reader: FileReader, agent: AgentId) {
  for (let tries = 0; tries < TRIES; tries++) {
    const moment = await reader.last(agent);
    const read = await readFiles(reader, agent);
    let isChanged = false;
    for await (const event of reader.events(agent, moment + 1)) isChanged ||= changesState(event);
    if (!isChanged) return { moment, ...read };
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

/** All that lies beside the journals and is no long text of the log, and why what cannot be copied is left out. Links are not followed. */
async function readFiles({ paths }: FileReader, agent: AgentId) {
  const files = new Map<string, string>();
  const left: string[] = [];
  const folder = paths.agent(agent);
  for (const path of await filesIn(folder)) {
    const found = await lstat(join(folder, path)).catch(() => undefined);
    // It was there a moment ago: a note can go at any time.
    if (!found) continue;
    const shown = shownPath(paths.project, join(folder, path));
    if (!found.isFile() || !isPathInAgent(path)) left.push(`left out ${shown}: it is no file of an agent`);
    else if (found.size > MAX_FILE_BYTES) left.push(`left out ${shown}: it has ${found.size} bytes`);
    else {
      const text = await readFile(join(folder, path), "utf8").catch(() => undefined);
      if (text !== undefined) files.set(path, text);
    }
  }
  return { files, left };
}

const ELSEWHERE = ["log", "mailbox", "blobs"];

/** Paths in an agent's folder, but for the journals and the long texts; sorted. */
export async function filesIn(folder: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (ELSEWHERE.includes(entry.name)) continue;
    if (!entry.isDirectory()) paths.push(entry.name);
    else for (const name of await readdir(join(folder, entry.name))) paths.push(`${entry.name}/${name}`);
  }
  return paths.sort();
}

async function mailIn({ paths, disk }: FileReader, agent: AgentId): Promise<readonly Mail[]> {
  const mail: Mail[] = [];
  for await (const { records } of readSegments<MailRecord>(join(paths.agent(agent), "mailbox"), disk))
    for (const { kind, seq: position, from, message, after } of records)
      if (kind === "mail") mail.push({ position, from, message, ...(after !== undefined && { after }) });
  return mail;
}

async function* partsOf(
  { paths, disk }: FileReader,
  agent: AgentId,
  moment: number,
): AsyncGenerator<LogPart> {
  const folder = join(paths.agent(agent), "log");
  for await (const { name, bytes, records } of readSegments<Event & Outlined>(folder, disk)) {
    const lines = linesUpTo(moment, (await disk.read(join(folder, name), bytes)) ?? Buffer.alloc(0));
    const segment = { name, lines: lines.length };
    yield { ...(lines.length > 0 && { segment }), lines, events: records };
  }
}

/** The lines of a segment that hold no event after `moment`, as they are; damaged ones wrapped up. */
function linesUpTo(moment: number, bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  // The newline after the last one may never have been written.
  const whole = bytes.length === 0 || bytes.at(-1) === LINE_END[0] ? bytes : Buffer.concat([bytes, LINE_END]);
  for (const [line, offset] of linesIn(whole)) {
    const event = fromLine<Event>(line);
    if (event && event.seq > moment) break;
    const asItIs = whole.subarray(offset, offset + line.length + LINE_END.length);
    lines.push(event ? asItIs : Buffer.from(toLine({ kind: "damaged", base64: line.toString("base64") })));
  }
  return lines;
}

const LINE_END = Buffer.from("\n");
