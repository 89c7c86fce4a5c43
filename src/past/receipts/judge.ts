// What a message cites, judged as it is sent: from its sender's own log, the messages that it was shown and the writes that its node
// knows of. No other log is read.

import { displayName, type AgentId } from "../../domain/message/message.ts";
import {
  citedIn,
  clause,
  MAX_RECEIPTS,
  readCitation,
  receiptName,
  type Citation,
  type Weighed,
  type Receipt,
} from "../../domain/message/receipt.ts";
import type { Memory } from "../past.ts";
import { proofIn, type Proof } from "./proofs.ts";
import { staleBy } from "./stale.ts";
import type { KnownWrites } from "./writes.ts";

/** Never rejects: what cannot be judged is unknown. */
export type JudgeReceipts = (cited: readonly string[]) => Promise<readonly Receipt[]>;

/** What an agent's citations are judged by. */
export interface Judging {
  readonly memory: Pick<Memory, "agent" | "ledger" | "conversation" | "past">;
  /** Of its workspace. */
  readonly writes: Pick<KnownWrites, "count" | "root" | "since" | "knows">;
}

export function createJudge(judging: Judging): JudgeReceipts {
  return async (cited) => {
    const each = new Set(cited.slice(0, MAX_CITED).flatMap(listedIn));
    const [kept, left] = [[...each].slice(0, MAX_RECEIPTS), each.size > MAX_RECEIPTS];
    const receipts: Receipt[] = [];
    for (const one of left ? kept.slice(0, -1) : kept) receipts.push(await receiptFor(judging, one));
    if (left) receipts.push(noReceipt(judging, `more was cited, and at most ${MAX_RECEIPTS} are kept`));
    return receipts;
  };
}

/** Whoever cites more wants no answer. */
const MAX_CITED = 1_000;

/** One text may list several, and one that lists none is wrong as a whole. */
function listedIn(text: string): readonly string[] {
  const each = citedIn(text.slice(0, MAX_CITED));
  return each.every((one) => readCitation(one)) ? each : [text.trim()];
}

async function receiptFor(judging: Judging, cited: string): Promise<Receipt> {
  const citation = readCitation(cited);
  if (!citation)
    return noReceipt(judging, `"${clause(cited).slice(0, 40)}" is no receipt: they look like #417`);
  const { agent: self, ledger } = judging.memory;
  const { agent = self, seq } = citation;
  if (agent !== self) return heardReceipt(judging, { agent, seq });
  return { agent, log: ledger.log ?? "", seq, ...(await judgeOwn(judging, seq)) };
}

function noReceipt({ memory }: Judging, why: string): Receipt {
  return { agent: memory.agent, log: "", seq: 0, ...unknown(why) };
}

/** As the message that told of it has it. */
function heardReceipt({ memory }: Judging, { agent, seq }: Required<Citation>): Receipt {
  const heard = memory.conversation.proofs.heard.get(receiptName({ agent, seq }));
  return (
    heard ?? { agent, log: "", seq, ...unknown(`no message to ${displayName(memory.agent)} told of it`) }
  );
}

async function judgeOwn({ memory, writes }: Judging, seq: number): Promise<Weighed> {
  const { results, origin } = memory.conversation.proofs;
  if (seq > memory.ledger.last) return unknown("there is no such event");
  if (origin && seq < origin.seq) return unknown(ofAnother(origin.agent));
  const proof = results.get(seq) ?? (await readProof(memory, seq).catch(() => UNREADABLE));
  return typeof proof === "string" ? unknown(proof) : asOfNow(proof, writes);
}

/** Of a past that was copied. */
export function ofAnother(agent: AgentId): string {
  return `it is a result of ${displayName(agent)}`;
}

const UNREADABLE = "its event cannot be read";
export const NOT_TOLD = "nothing is recorded of what it touched";
export const NO_RESULT = "it is no result of an action";

/** Of an event that is longer ago. A text says why there is none. */
async function readProof({ past }: Judging["memory"], seq: number): Promise<Proof | string> {
  for await (const event of past(seq)) {
    if (event.seq !== seq) break;
    return event.kind === "result" && event.call !== null ? (proofIn(event) ?? NOT_TOLD) : NO_RESULT;
  }
  return "it is on another branch, or gone";
}

function asOfNow(proof: Proof, writes: Judging["writes"]): Weighed {
  const { verdict, why, touched } = proof;
  if (verdict !== "proven") return { verdict, why };
  const { count, root, from, ran, read, wrote } = touched;
  const isOfFiles = ran !== undefined || read !== undefined || wrote !== undefined;
  if (!isOfFiles) return { verdict };
  if (count !== writes.count || root !== writes.root)
    return unknown("its node has ended since, and what others wrote after it is not known");
  const stale = staleBy(touched, writes.since(from));
  if (stale !== undefined) return { verdict: "stale", why: clause(stale) };
  return writes.knows(from) ? { verdict } : unknown("too much was written since");
}

function unknown(why: string): Weighed {
  return { verdict: "unknown", why };
}
