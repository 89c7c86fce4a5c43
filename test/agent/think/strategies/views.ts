// Views for the tests of strategies, written as letters.

import type { NewEvent } from "../../../../src/domain/event/event.ts";
import type { View } from "../../../../src/past/view.ts";
import { KEEP, decision, folded, message, result } from "../../../domain/event/event-lines.ts";

/** In tokens, what one of these weighs in a view of letters. */
export const WEIGHT = 300;

/** Each letter is an item: m mail of Control, p mail of agent 2, e a decision with one result, a a plain answer, n a notice. */
export function viewOf(shape: string, weights: Readonly<Record<string, number>> = {}): View {
  const events = [...shape].flatMap((letter, at): readonly NewEvent[] => {
    const id = `c${at}`;
    if (letter === "m") return [message(`instruction ${at}`)];
    if (letter === "p") return [message(`report ${at}`, "2")];
    if (letter === "n") return [{ kind: "notice", reason: "gap", content: `gap ${at}` }];
    if (letter === "a") return [decision(`answer ${at}`)];
    return [decision(`step ${at}`, id), result(id, "ok", `outcome ${at}`)];
  });
  const { view } = folded(KEEP, events);
  for (const [at, item] of view.items.entries()) view.setTokens(item, weights[shape[at]!] ?? WEIGHT);
  return view;
}

/** A summary as the runtime commits it, of the plan's events; numbered far behind them. */
export function summarise(
  view: View,
  covers: readonly [number, number],
  strategy: string,
  content = "short",
): void {
  const usage = { input: 1, output: 1 };
  view.see({ kind: "summary", covers, content, strategy, usage, seq: 10_000, epoch: 1, at: "" });
}

export function kinds({ items }: View): string {
  const letters = { message: "m", exchange: "e", summary: "s", notice: "n" } as const;
  return items.map(({ kind }) => letters[kind]).join("");
}
