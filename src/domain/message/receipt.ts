// What a message cites as its evidence: results, by the numbers of their events. A receipt says what is recorded of a result, and
// nothing of the words that it stands beside.

import { fieldsOf } from "../../base/text/json.ts";

/**
 * `proven`: it came to what it was to come to, and nothing that is known of touched it since. `failed`: it did not. `stale`: it did,
 * but something has been written since. `unknown`: the log does not say.
 */
export const RECEIPT_VERDICTS = ["proven", "failed", "stale", "unknown"] as const;

export type ReceiptVerdict = (typeof RECEIPT_VERDICTS)[number];

export interface Weighed {
  readonly verdict: ReceiptVerdict;
  /** One clause, for people; absent: there is nothing to add. */
  readonly why?: string;
}

export interface Receipt extends Weighed {
  /** Whose log it is in. */
  readonly agent: string;
  /** Empty: none that is known. */
  readonly log: string;
  /** Of the result; 0: what was cited is no event. */
  readonly seq: number;
}

/** What a receipt is about. Without an agent it is the sender's own. */
export interface Citation {
  readonly agent?: string;
  readonly seq: number;
}

/** Whether an agent is told of receipts, and whether it reports to a person without a proven one. */
export type ReceiptUse = "on" | "required";

/** The most that one message keeps. */
export const MAX_RECEIPTS = 32;
const MAX_WHY = 200;
const MAX_SEQ = 1_000_000_000_000;
const AGENT = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const CITATION = /^#?(?:([a-z0-9][a-z0-9._-]{0,63})\.)?([1-9]\d{0,11})$/;

/** `#417` or `#2.417`; `undefined` for anything else. */
export function readCitation(text: string): Citation | undefined {
  const match = CITATION.exec(text.trim());
  if (!match) return undefined;
  const [, agent, digits] = match;
  return { agent, seq: Number(digits) };
}

/** As it is cited by others: `#2.417`. */
export function receiptName({ agent, seq }: Pick<Receipt, "agent" | "seq">): string {
  return `#${agent}.${seq}`;
}

/** What `message` carries, whoever wrote it there; what is none is left out. `undefined`: it carries none. */
export function receiptsOf({ receipts }: { readonly receipts?: unknown }): readonly Receipt[] | undefined {
  return Array.isArray(receipts) ? receipts.slice(0, MAX_RECEIPTS).flatMap(readReceipt) : undefined;
}

function readReceipt(claimed: unknown): readonly Receipt[] {
  const { agent, log, seq, verdict: said, why } = fieldsOf(claimed);
  const verdict = RECEIPT_VERDICTS.find((one) => one === said);
  if (typeof agent !== "string" || !AGENT.test(agent) || typeof log !== "string" || !verdict) return [];
  if (typeof seq !== "number" || !Number.isSafeInteger(seq) || seq < 0 || seq > MAX_SEQ) return [];
  const told = typeof why === "string" ? { why: clause(why) } : {};
  return [{ agent, log: log.slice(0, MAX_WHY), seq, verdict, ...told }];
}

/** On one line, and short. */
export function clause(text: string): string {
  const line = text
    .slice(0, MAX_WHY * 4)
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, " ")
    .trim();
  return line.length > MAX_WHY ? `${line.slice(0, MAX_WHY - 1).replace(/[\uD800-\uDBFF]$/, "")}…` : line;
}

/** Is one of them proven? */
export function hasProof(receipts: readonly Weighed[]): boolean {
  return receipts.some(({ verdict }) => verdict === "proven");
}

const LAST_LINE = /^[ \t*_]*receipts?:(.*)$/i;

/** Takes the last line `Receipts: #417, #2.418` off an answer; without one nothing is cited. */
export function withoutReceipts(answer: string): {
  readonly text: string;
  readonly cited: readonly string[];
} {
  const whole = answer.trimEnd();
  const from = whole.lastIndexOf("\n") + 1;
  const cited = citedIn(LAST_LINE.exec(whole.slice(from))?.[1] ?? "");
  // Other words of that kind are the answer's own.
  if (cited.length === 0 || !cited.every((one) => one.startsWith("#"))) return { text: answer, cited: [] };
  return { text: whole.slice(0, from).trimEnd(), cited };
}

/** Shows an answer as it streams; what may be that last line, only once it is known to be none. */
export function holdingReceipts(show: (text: string) => void) {
  let held = "";
  let isLineShown = false;
  let isShown = false;
  const release = (text: string): void => {
    if (text !== "") show(text);
    isShown ||= text.trim() !== "";
    held = "";
  };
  return {
    add(text: string): void {
      const all = held + text;
      const words = all.trimEnd();
      const from = words.lastIndexOf("\n") + 1;
      const isBegun = from === 0 && isLineShown;
      const shown = !isBegun && mayCite(words.slice(from)) ? all.slice(0, from) : all;
      release(shown);
      held = all.slice(shown.length);
      isLineShown = held === "" && !all.endsWith("\n");
    },
    /** It goes on with a call: it is no answer. */
    release: () => release(held),
    /** It is over: one that is nothing but that line is shown as it is. */
    end: () => release(isShown ? withoutReceipts(held).text : held),
  };
}

const BEGINNING = "receipts:";

function mayCite(line: string): boolean {
  const words = line.replace(/^[ \t*_]+/, "").toLowerCase();
  return BEGINNING.startsWith(words) || LAST_LINE.test(line);
}

/** `#417, #2.418` one by one, as they are written. */
export function citedIn(list: string): readonly string[] {
  return list
    .replace(/[`*"'[\]]/g, " ")
    .split(/[\s,;]+/)
    .map((one) => one.replace(/\.$/, ""))
    .filter(Boolean);
}
