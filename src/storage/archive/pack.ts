// Copies agents with their whole past into the lines of an archive. Takes no lock: nodes may run and write meanwhile.
//
//   X1. A moment is fixed for each log before any mailbox is read: a message that a log knows to be delivered is in the
//       copy of its recipient, in the log or unread.
//   X2. A mailbox is read before its log is read on: mail that was taken in since that moment is unread in the copy.
//   X3. The readable files are those of the same moment.
//
// What one agent said to another after its own moment may be known to the other: so copies of agents that run are marked
// as live, and go on as logs of their own (see newcomers.ts).

import { createHash } from "node:crypto";
import { ARCHIVE_FORMAT, archiveName, type ArchiveLine } from "./format.ts";
import type { Mail } from "../../mail/bus.ts";
import { standingOf } from "../../mail/mailbox.ts";
import type { EventOf } from "../../domain/event.ts";
import { account, createLedger, type Ledger } from "../../past/ledger.ts";
import type { Authorship } from "../folder/person/authorship.ts";
import { inline } from "../../past/log/blobs.ts";
import type { Source } from "../contract/source.ts";
import { toLine } from "../folder/line.ts";
import { parseMessageId, type AgentId, type Delivery } from "../../domain/message.ts";

/** What was packed so far. */
export interface Tally {
  readonly events: number;
  readonly unread: number;
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
  return { pieces: pack(createPress(source, tally), agents, authorship), tally };
}

/** What the parts of a packing share. */
interface Press {
  readonly source: Source;
  readonly tally: { events: number; unread: number };
  /** Lines so far. */
  count: number;
  /** Somebody wrote to the agents meanwhile. */
  isLive: boolean;
  line(line: ArchiveLine): string;
}

function createPress(source: Source, tally: Press["tally"]): Press {
  const press: Press = {
    source,
    tally,
    count: 0,
    isLive: false,
    line(line) {
      press.count++;
      return toLine(line);
    },
  };
  return press;
}

async function* pack(
  press: Press,
  agents: readonly AgentId[],
  authorship: Pick<Authorship, "sign"> | undefined,
): AsyncGenerator<string | Buffer> {
  const hash = createHash("sha256");
  for await (const piece of packAll(press, agents)) {
    hash.update(piece);
    yield piece;
  }
  const lines = press.count + 1;
  const live = press.isLive ? { live: true as const } : {};
  const mac = authorship?.sign(archiveName(hash.digest("hex"), live), lines);
  yield press.line({ kind: "end", lines, ...live, ...(mac && { mac }) });
}

async function* packAll(press: Press, agents: readonly AgentId[]): AsyncGenerator<string | Buffer> {
  const { source, line } = press;
  yield line({ kind: "legion-export", format: ARCHIVE_FORMAT, at: new Date().toISOString(), agents });
  const before = await source.activity(agents);
  const moments = new Map<AgentId, number>();
  for (const agent of agents) {
    const { moment, files } = await source.settle(agent);
    moments.set(agent, moment);
    for (const [path, text] of files) yield line({ kind: "file", agent, path, text });
  }
  for (const [agent, moment] of moments) {
    yield* packTexts(press, agent);
    yield* packPast(press, agent, moment);
  }
  const after = await source.activity(agents);
  press.isLive = before.isHeld || after.isHeld || before.mark !== after.mark;
}

async function* packTexts({ source, line }: Press, agent: AgentId): AsyncGenerator<string> {
  for await (const { hash, pieces } of source.texts(agent)) {
    let isFirst = true;
    for await (const text of pieces) {
      yield line(isFirst ? { kind: "file", agent, path: `blobs/${hash}`, text } : { kind: "more", text });
      isFirst = false;
    }
  }
}

/** The log up to its moment, and what was unread then. */
async function* packPast(press: Press, agent: AgentId, moment: number): AsyncGenerator<string | Buffer> {
  const { source, tally } = press;
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
    if (segment) yield press.line({ kind: "segment", agent, ...segment });
    if (lines.length > 0) yield Buffer.concat(lines);
    press.count += lines.length;
  }
  for (const { from, message, after } of unreadAt(ledger, takenSince, waiting)) {
    tally.unread++;
    yield press.line({ kind: "mail", agent, from, message, ...(after !== undefined && { after }) });
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
