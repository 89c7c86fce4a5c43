// What an agent can cite: its newest results that touched something outside it, and the receipts of messages that it was shown. One
// pure fold over the active branch of its log.

import { fieldsOf } from "../../base/text/json.ts";
import type { Event, EventOf } from "../../domain/event/event.ts";
import type { Touched } from "../../domain/event/touched.ts";
import { CONTROL, parseMessageId, type AgentId, type Message } from "../../domain/message/message.ts";
import { receiptName, receiptsOf, type Weighed, type Receipt } from "../../domain/message/receipt.ts";

export interface Proofs {
  /** The newest, by their events. */
  readonly results: Map<number, Proof>;
  /** The newest, by their names. */
  readonly heard: Map<string, Receipt>;
  /** The first messages whose reports were once refused because they proved nothing. */
  readonly refused: Set<string>;
  /** What stands before this event is another agent's past. */
  origin?: { readonly agent: AgentId; readonly seq: number };
}

/** What a result comes to, whatever was written since. */
export interface Proof extends Weighed {
  readonly touched: Touched;
}

/** How the result of a report begins that was not sent. */
export const UNPROVEN =
  "This report was not sent: it has to cite a result that proves it, and cites none that does.";

/** Of each kind. */
const MAX_KEPT = 1_000;

export function createProofs(): Proofs {
  return { results: new Map(), heard: new Map(), refused: new Set() };
}

/** Takes one event into account. Events come in the order of the log. @param root of what its agent works for */
export function foldProofs(proofs: Proofs, event: Event, root = ""): void {
  if (event.kind === "branch" && event.origin !== undefined) {
    proofs.origin = { agent: event.origin, seq: event.seq };
    proofs.results.clear();
  }
  if (event.kind !== "result") return;
  const proof = proofIn(event);
  if (proof) keep(proofs.results, event.seq, proof);
  if (event.outcome === "error" && event.content.startsWith(UNPROVEN)) proofs.refused.add(root);
}

/** Takes the receipts of a message into account that is shown: an agent's, judged where it was sent. */
export function hearReceipts({ heard }: Proofs, message: Message): void {
  if (parseMessageId(message.id).from === CONTROL) return;
  for (const receipt of receiptsOf(message) ?? []) keep(heard, receiptName(receipt), receipt);
}

function keep<K, V>(kept: Map<K, V>, key: K, value: V): void {
  kept.delete(key);
  kept.set(key, value);
  if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
}

/** `undefined`: nothing is recorded of what its call touched. */
export function proofIn({ outcome, details, touched }: EventOf<"result">): Proof | undefined {
  if (!touched) return undefined;
  const { exitCode, ended, running, isError } = fieldsOf(details);
  if (outcome === "idle") return { verdict: "unknown", why: "it was stopped", touched };
  if (outcome === "interrupted") return { verdict: "unknown", why: "it was interrupted", touched };
  if (typeof ended === "string") return { verdict: "failed", why: `it was ended: ${ended}`, touched };
  if (typeof exitCode === "number" && exitCode !== 0)
    return { verdict: "failed", why: `exit code ${exitCode}`, touched };
  if (outcome === "error" || isError === true || exitCode === null)
    return { verdict: "failed", why: "it ended in an error", touched };
  if (running === true) return { verdict: "unknown", why: "it was still running", touched };
  return { verdict: "proven", touched };
}
