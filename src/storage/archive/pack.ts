// Copies agents with their whole past into the lines of an archive. Takes no lock: nodes may run and write meanwhile.
//
//   X1. A moment is fixed for each log before any mailbox is read: a message that a log knows to be delivered is in the
//       copy of its recipient, in the log or unread.
//   X2. A mailbox is read before its log is read on: mail that was taken in since that moment is unread in the copy.
//   X3. The readable files are those of the same moment.
//
// What one agent said to another after its own moment may be known to the other: so copies of agents that run are marked
// as live, and go on as logs of their own (see imported.ts).

import { createHash } from "node:crypto";
import { ARCHIVE_FORMAT, archiveName, type ArchiveLine } from "./format.ts";
import type { Mail } from "../../mail/bus.ts";
import { standingOf } from "../../mail/mailbox.ts";
import type { EventOf } from "../../domain/event/event.ts";
import { account, createLedger, type Ledger } from "../../past/ledger.ts";
import type { Authorship } from "../folder/person/authorship.ts";
import { inline } from "../../past/log/blobs.ts";
import type { Source } from "../contract/source.ts";
import { linesIn, toLine } from "../folder/line.ts";
import { parseMessageId, type AgentId, type Delivery } from "../../domain/message/message.ts";

interface PackCounts {
  events: number;
  unread: number;
}

/** What was packed so far. */
export interface Tally extends Readonly<PackCounts> {
  /** What was left out, and why; one line each. */
  readonly remarks: readonly string[];
}

export interface Packing {
  /** Pieces of the archive, in order; to be read once. Throws what the source throws. */
  readonly pieces: AsyncIterable<string | Buffer>;
  /** Grows while the pieces are read. */
  readonly tally: Tally;
}

/**
 * Copies `agents` as they are at one moment. Nothing is read before the first piece is asked for.
 *
 * @param authorship signs the whole; absent where some of it was written by somebody else
 */
export function packAgents(
  source: Source,
  agents: readonly AgentId[],
  authorship?: Pick<Authorship, "sign">,
): Packing {
  const tally = { events: 0, unread: 0, remarks: source.remarks };
  return { pieces: pack(source, agents, { tally, authorship }), tally };
}

async function* pack(
  source: Source,
  agents: readonly AgentId[],
  { tally, authorship }: { readonly tally: PackCounts; readonly authorship?: Pick<Authorship, "sign"> },
): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  /** With the last one. */
  let lines = 1;
  const before = await source.activity(agents);
  for await (const piece of packAll(source, agents, tally)) {
    const bytes = Buffer.from(piece);
    hash.update(bytes);
    for (const _ of linesIn(bytes)) lines++;
    yield bytes;
  }
  const after = await source.activity(agents);
  const isLive = before.isHeld || after.isHeld || before.mark !== after.mark;
  const live = isLive ? { live: true as const } : {};
  const mac = authorship?.sign(archiveName(hash.digest("hex"), live), lines);
  yield Buffer.from(line({ kind: "end", lines, ...live, ...(mac && { mac }) }));
}

function line(said: ArchiveLine): string {
  return toLine(said);
}

async function* packAll(
  source: Source,
  agents: readonly AgentId[],
  tally: PackCounts,
): AsyncGenerator<string | Buffer> {
  yield line({ kind: "legion-export", format: ARCHIVE_FORMAT, at: new Date().toISOString(), agents });
  const moments = new Map<AgentId, number>();
  for (const agent of agents) {
    const { moment, files } = await source.settle(agent);
    moments.set(agent, moment);
    for (const [path, text] of files) yield line({ kind: "file", agent, path, text });
  }
  for (const [agent, moment] of moments) {
    yield* packTexts(source, agent);
    yield* packPast(source, { agent, moment }, tally);
  }
}

async function* packTexts(source: Source, agent: AgentId): AsyncGenerator<string> {
  for await (const { hash, pieces, base64 } of source.texts(agent)) {
    let isFirst = true;
    for await (const text of pieces) {
      const path = `blobs/${hash}`;
      yield line(isFirst ? { kind: "file", agent, path, text, base64 } : { kind: "more", text, base64 });
      isFirst = false;
    }
  }
}

/** The log up to its moment, and what was unread then. */
async function* packPast(
  source: Source,
  { agent, moment }: { readonly agent: AgentId; readonly moment: number },
  tally: PackCounts,
): AsyncGenerator<string | Buffer> {
  const waiting = await source.waiting(agent);
  const ledger = createLedger();
  const takenSince: EventOf<"message">[] = [];
  for await (const { segment, lines, events } of source.parts(agent)) {
    for (const event of events) {
      if (event.seq > moment) {
        if (event.kind === "message") takenSince.push(await inline(event, source.blobs(agent)));
        continue;
      }
      account(ledger, event);
      tally.events++;
    }
    if (segment) yield line({ kind: "segment", agent, ...segment });
    if (lines.length > 0) yield Buffer.concat(lines);
  }
  for (const { from, message, after } of unreadAt(ledger, takenSince, waiting)) {
    tally.unread++;
    yield line({ kind: "mail", agent, from, message, ...(after !== undefined && { after }) });
  }
}

/** What a log had not taken in when it came to what `ledger` says, oldest first. */
function unreadAt(
  ledger: Ledger,
  takenSince: readonly EventOf<"message">[],
  waiting: readonly Mail[],
): readonly Delivery[] {
  const seen = new Map(ledger.seen);
  const unread: Delivery[] = [];
  const take = (delivery: Delivery): void => {
    seen.set(delivery.from, parseMessageId(delivery.message.id).n);
    unread.push(delivery);
  };
  for (const { from, message } of takenSince) take({ from, message, after: seen.get(from) ?? 0 });
  for (const { position, ...delivery } of waiting)
    if (position > ledger.taken && standingOf(delivery, seen) === "next") take(delivery);
  return unread;
}
