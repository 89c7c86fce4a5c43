// What is on the disk when all is over, read by code that shares nothing with the runtime: a reader that trusts the same
// mistake as the writer would find nothing.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Event } from "../../src/domain/event/event.ts";
import type { Delivery } from "../../src/domain/message/message.ts";
import type { Answer, QuestionPlaces } from "./answers.ts";
import type { Effect } from "./carrier.ts";
import type { Fed } from "./order.ts";

/** A record of a mailbox besides its `opened`. */
export type MailRecord = { readonly kind: "mail"; readonly seq: number } & Delivery;

export interface JournalEvidence<R> {
  /** What counts, in the order of the files. */
  readonly records: readonly R[];
  /** Lines that count and are not what was written. */
  readonly unreadable: number;
  /** What dead writers left behind the end that a later one saw: torn lines, and what was never acknowledged. */
  readonly leftovers: number;
}

export interface AgentEvidence {
  readonly log: JournalEvidence<Event>;
  readonly mailbox: JournalEvidence<MailRecord>;
  /** By path in the agent's folder: what people read of its state. */
  readonly files: ReadonlyMap<string, string>;
}

/** What is known of one agent wherever it was kept. */
export interface Past {
  readonly log: { readonly records: readonly Event[] };
}

/** What most of the checker needs to know. */
export interface Told {
  /** By id, `0` included. */
  readonly agents: ReadonlyMap<string, Past>;
  readonly effects: readonly Effect[];
  readonly fed: readonly Fed[];
  readonly answers: readonly Answer[];
  /** Calls that the rules came to forbid before a person said yes. */
  readonly revoked: ReadonlySet<string>;
}

export interface Evidence extends Told {
  readonly agents: ReadonlyMap<string, AgentEvidence>;
}

export interface Places extends QuestionPlaces {
  readonly project: string;
  readonly effects: string;
  readonly fed: string;
}

export function gather({ project, effects, fed, ...questions }: Places): Evidence {
  const folder = join(project, ".ai-legion", "agents");
  const agents = readdirSync(folder).map((id) => [id, readAgent(join(folder, id))] as const);
  return {
    agents: new Map(agents),
    effects: readLines<Effect>(effects),
    fed: readLines<Fed>(fed),
    ...gatherAnswers(questions),
  };
}

export function gatherAnswers({
  answers,
  revoked,
}: Pick<QuestionPlaces, "answers" | "revoked">): Pick<Told, "answers" | "revoked"> {
  return { answers: readLines<Answer>(answers), revoked: new Set(list(revoked)) };
}

function readAgent(folder: string): AgentEvidence {
  const notes = list(join(folder, "notes")).map((name) => join("notes", name));
  const files = [...notes, "goals.json", "duties.json"].filter((path) => existsSync(join(folder, path)));
  return {
    log: readJournal(join(folder, "log")),
    mailbox: readJournal(join(folder, "mailbox")),
    files: new Map(files.map((path) => [path, readFileSync(join(folder, path), "utf8")])),
  };
}

export function readLines<T>(path: string): readonly T[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as T);
}

function list(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

interface Opening {
  readonly kind: string;
  readonly seq: number;
  readonly seals?: Readonly<Record<string, number>>;
}

/** Segments in the order of epoch and part. The first record of each says how many bytes of those before it count. */
function readJournal<R extends { readonly seq: number }>(folder: string): JournalEvidence<R> {
  const names = list(folder).filter((name) => name.endsWith(".jsonl"));
  names.sort((a, b) => placeOf(a) - placeOf(b));
  const segments = names.map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
  const openings = segments.map(({ bytes }) => parse<Opening>(linesOf(bytes).lines[0]));
  const seals = new Map(openings.flatMap((opening) => Object.entries(opening?.seals ?? {})));
  const records: R[] = [];
  let unreadable = 0;
  let leftovers = 0;
  for (const [index, { name, bytes }] of segments.entries()) {
    const counted = bytes.subarray(0, seals.get(name));
    const { lines, tail } = linesOf(counted);
    // The newline may be all that a dead writer did not come to; then a later one counted the record.
    const last = seals.has(name) ? parse<R>(tail) : undefined;
    const found = [...lines.map((line) => parse<R>(line)), ...(last ? [last] : [])];
    // What was taken for dead may have gone on in a segment that nobody knew of: a later one has its numbers.
    const next = Math.min(...openings.slice(index + 1).map((opening) => opening?.seq ?? Infinity));
    const whole = found.filter((record) => record !== undefined);
    const kept = whole.filter(({ seq }) => seq < next);
    records.push(...kept);
    unreadable += found.length - whole.length;
    if (kept.length < whole.length || counted.length < bytes.length || (tail.length > 0 && !last))
      leftovers++;
  }
  return { records, unreadable, leftovers };
}

function placeOf(name: string): number {
  const [epoch = 0, part = 0] = name.split(/[-.]/).map(Number);
  return epoch * 1_000 + part;
}

function linesOf(bytes: Buffer): { readonly lines: readonly Buffer[]; readonly tail: Buffer } {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return { lines, tail: bytes.subarray(start) };
}

/** Each line ends in the checksum of the bytes before it: `,"crc":"0a1b2c3d"}`. */
function parse<R>(line: Buffer | undefined): R | undefined {
  const match = line && /^(.*),"crc":"([0-9a-f]{8})"\}$/s.exec(line.toString("latin1"));
  if (!match) return undefined;
  const body = Buffer.from(match[1]!, "latin1");
  if (crc32(body).toString(16).padStart(8, "0") !== match[2]) return undefined;
  return JSON.parse(`${body.toString("utf8")}}`) as R;
}
