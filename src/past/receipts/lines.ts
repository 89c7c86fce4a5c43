import { isFromControl, type Message } from "../../domain/message/message.ts";
import { receiptName, receiptsOf } from "../../domain/message/receipt.ts";

/** What an agent is shown of the receipts of a message, below its header; mostly nothing. No words of its sender stand in it. */
export function citedLines(message: Message): readonly string[] {
  const receipts = receiptsOf(message);
  if (!receipts || receipts.length === 0 || isFromControl(message)) return [];
  return [`Receipts: ${receipts.map((receipt) => `${receiptName(receipt)} ${receipt.verdict}`).join(", ")}`];
}
