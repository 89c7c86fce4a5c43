// What a letter cites, and whether it may go out without a proof.

import type { Answering } from "../../domain/message/answering.ts";
import { CONTROL, type AgentId } from "../../domain/message/message.ts";
import { hasProof, type Receipt } from "../../domain/message/receipt.ts";
import { UNPROVEN } from "../../past/receipts/proofs.ts";
import type { Thinker } from "../parts/agent.ts";
import type { Speech } from "../parts/speech.ts";

/** Whoever writes letters that cite. */
export interface Citing extends Pick<Thinker, "memory" | "judge"> {
  readonly speech: Pick<Speech, "ways">;
}

export interface CitingLetter extends Pick<Answering, "needsAnswer"> {
  readonly to: readonly AgentId[] | "all";
  readonly content: string;
  readonly cited: readonly string[];
  /** It may not be written anew. */
  readonly isFinal?: boolean;
}

/** `receipts`: as the message has them; `unproven`: it is not sent this time, and why, to the model. */
export type Cited =
  | { readonly receipts: readonly Receipt[] | undefined; readonly unproven?: undefined }
  | { readonly unproven: string };

/** Never rejects. A report to a person that has to be proven and is not is refused once for what it answers. */
export async function reportOf({ memory, judge, speech }: Citing, letter: CitingLetter): Promise<Cited> {
  const { to, cited, isFinal = false } = letter;
  const receipts = cited.length > 0 ? await judge(cited) : undefined;
  const isOwed = speech.ways.receipts === "required" && to.includes(CONTROL) && !isQuestion(letter);
  if (!isOwed || hasProof(receipts ?? [])) return { receipts };
  const { proofs, newest } = memory.conversation;
  if (!isFinal && !proofs.refused.has(newest?.root ?? "")) return { unproven: refusal(receipts ?? []) };
  return { receipts: receipts ?? [] };
}

function isQuestion({ content, needsAnswer }: CitingLetter): boolean {
  return needsAnswer === true || content.trimEnd().endsWith("?");
}

function refusal(receipts: readonly Receipt[]): string {
  const each = receipts.map(({ seq, verdict, why }) => `#${seq} is ${verdict}${why ? ` (${why})` : ""}`);
  return [UNPROVEN, ...(each.length > 0 ? [`${each.join("; ")}.`] : []), WAY_ON].join(" ");
}

const WAY_ON =
  "Do what proves it, such as running the check once more, and report again with its number; or report again as it is: then it is sent, " +
  "marked as unproven.";
