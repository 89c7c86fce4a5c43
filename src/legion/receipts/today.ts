// The receipts of messages as they stand today, by all logs of a legion, beside what they were when they were sent.

import { clause, receiptsOf, type Receipt, type Weighed } from "../../domain/message/receipt.ts";
import { CONTROL, type AgentId, type Message } from "../../domain/message/message.ts";
import type { Touched } from "../../domain/event/touched.ts";
import type { Digest } from "../../past/digest/digest.ts";
import { NO_RESULT, NOT_TOLD } from "../../past/receipts/judge.ts";
import { proofIn, type Proof } from "../../past/receipts/proofs.ts";
import { staleBy, type Write } from "../../past/receipts/stale.ts";
import type { KnownWrite } from "../../past/receipts/written.ts";
import type { Reader } from "../../storage/contract/reader.ts";

export interface ReceiptToday {
  /** As the message has it. */
  readonly receipt: Receipt;
  readonly today: Weighed;
}

/** In the order of the message; `undefined`: it carries none. Never rejects: what cannot be read is unknown. */
export type ReceiptsToday = (
  message: Pick<Message, "receipts">,
) => Promise<readonly ReceiptToday[] | undefined>;

type ReadLogs = Pick<Reader, "known" | "digest" | "events">;
type Digests = ReadonlyMap<AgentId, Pick<Digest, "ledger" | "written">>;

/** Reads nothing before the first message that carries some; then every log's digest once. */
export function createReceiptsToday(reader: ReadLogs): ReceiptsToday {
  let digests: Promise<Digests> | undefined;
  const judged = new Map<string, Promise<Weighed>>();
  const judge = async (receipt: Receipt): Promise<Weighed> => {
    digests ??= readDigests(reader);
    return weigh(receipt, await digests, reader).catch(() => unknown("its log cannot be read"));
  };
  return async (message) => {
    const receipts = receiptsOf(message);
    if (!receipts) return undefined;
    const today = receipts.map(async (receipt) => {
      const key = `${receipt.agent} ${receipt.seq} ${receipt.log}`;
      const known = judged.get(key) ?? judge(receipt);
      judged.set(key, known);
      return { receipt, today: await known };
    });
    return Promise.all(today);
  };
}

async function readDigests(reader: ReadLogs): Promise<Digests> {
  const digests = new Map<AgentId, Pick<Digest, "ledger" | "written">>();
  for (const agent of [CONTROL, ...(await reader.known())]) {
    const digest = await reader.digest(agent).catch(() => undefined);
    if (digest) digests.set(agent, { ledger: digest.ledger, written: digest.written });
  }
  return digests;
}

async function weigh(receipt: Receipt, digests: Digests, reader: ReadLogs): Promise<Weighed> {
  const { agent, log } = receipt;
  // What was no proof then is none for what has happened since: an event may have its number by now.
  if (receipt.verdict === "unknown") return { verdict: receipt.verdict, why: receipt.why };
  const own = digests.get(agent);
  if (!own) return unknown("its log is not here");
  if (own.ledger.log !== log) return unknown("another log has its place by now");
  const proof = await readProof(receipt, reader);
  if (typeof proof === "string") return unknown(proof);
  const { verdict, why, touched } = proof;
  if (verdict !== "proven") return { verdict, why };
  const stale = staleBy(touched, laterThan(receipt, touched, digests));
  if (stale !== undefined) return { verdict: "stale", why: clause(stale) };
  const isOfFiles = touched.ran !== undefined || touched.read !== undefined || touched.wrote !== undefined;
  return isOfFiles && isCutOff(touched, digests) ? unknown("too much was written since") : { verdict };
}

async function readProof({ agent, seq }: Receipt, reader: ReadLogs): Promise<Proof | string> {
  for await (const event of reader.events(agent, seq)) {
    if (event.seq !== seq) break;
    return event.kind === "result" && event.call !== null ? (proofIn(event) ?? NOT_TOLD) : NO_RESULT;
  }
  return "it is gone";
}

/** Nodes follow each other; in one log so do numbers, whatever the clock said. */
function* laterThan({ agent, seq }: Receipt, touched: Touched, digests: Digests): Generator<Write> {
  const isLater = (by: AgentId, write: KnownWrite): boolean =>
    by === agent ? write.seq > seq : write.count > touched.count;
  for (const [by, { written }] of digests)
    for (const write of written.writes) {
      if (write.root !== touched.root) continue;
      if (write.count === touched.count) yield { ...write, agent: by };
      else if (isLater(by, write)) yield { ...write, agent: by, n: Infinity };
    }
}

/** Is some of what was written since not kept? */
function isCutOff({ count, root, from }: Touched, digests: Digests): boolean {
  return [...digests.values()].some(({ written: { writes, isCut } }) => {
    const [oldest] = writes;
    if (!isCut || !oldest) return false;
    return oldest.count > count || (oldest.count === count && oldest.root === root && oldest.n > from + 1);
  });
}

function unknown(why: string): Weighed {
  return { verdict: "unknown", why };
}
