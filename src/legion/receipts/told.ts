// Receipts for people and programs: beside the words that they stand with, and no judgement on these.

import { hasProof, receiptName, type Weighed } from "../../domain/message/receipt.ts";
import { showUnseen } from "../../base/text/unseen.ts";
import type { Message } from "../../domain/message/message.ts";
import type { ReceiptToday } from "./today.ts";

/** What a message that carries receipts is to programs. */
export interface ToldReceipt extends Weighed {
  readonly agent: string;
  readonly seq: number;
  readonly today: Weighed;
}

/** One line for each, and one where none is proven; empty for a message without. */
export function receiptLines(receipts: readonly ReceiptToday[] | undefined): readonly string[] {
  if (!receipts) return [];
  const lines = receipts.map(({ receipt, today }) => {
    const isSame = receipt.verdict === today.verdict;
    const now = isSame ? "" : `; today ${wordFor(today)}`;
    return `(${receipt.seq === 0 ? "no receipt" : receiptName(receipt)}: ${wordFor(isSame ? today : receipt)}${now})`;
  });
  const isProven = hasProof(receipts.map(({ receipt }) => receipt));
  return isProven ? lines : [...lines, "(unproven: no result that it cites was proven when it was sent)"];
}

function wordFor({ verdict, why }: Weighed): string {
  return why ? `${verdict}, ${showUnseen(why)}` : verdict;
}

/** `message`, and beside its receipts what each is today. */
export function withToday(
  message: Message,
  receipts: readonly ReceiptToday[] | undefined,
): Message & { readonly receiptsToday?: readonly ToldReceipt[] } {
  if (!receipts) return message;
  return {
    ...message,
    receiptsToday: receipts.map(({ receipt: { agent, seq, verdict, why }, today }) => ({
      ...{ agent, seq, verdict, why },
      today,
    })),
  };
}
