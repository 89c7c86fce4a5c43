// What a call touched outside its agent, for its result: whoever cites that can be told later whether it still holds.

import { isAbsolute, relative, sep } from "node:path";
import type { Outcome } from "../../domain/event/event.ts";
import type { Touched } from "../../domain/event/touched.ts";
import { clause } from "../../domain/message/receipt.ts";
import type { Touch } from "../../domain/policy/rule.ts";
import type { RunningWriter } from "../../past/receipts/beside.ts";
import { mayHaveWritten } from "../../past/receipts/stale.ts";
import { fewOf } from "../../past/receipts/writes.ts";
import type { Performer, ReadyCall } from "../parts/agent.ts";
import type { Work } from "./unit-of-work.ts";

/** Each of its actions tells of a change before it makes it. */
const TELLS = "system";

/** Before the call runs. What it returns is to be called once when it has ended, with its outcome: from then on its writes are known. */
export function beginTouching(
  { workplace: { writes }, identity }: Performer,
  { action, module, touched }: ReadyCall,
): (outcome: Outcome, told: Work["told"]) => Touched | undefined {
  const from = writes.n;
  return (outcome, { isReplacing }) => {
    const outside = touched.filter(({ kind }) => kind !== "send" && kind !== "action");
    // It changed nothing but its agent's own state and messages.
    if (action.effects === "none" || outside.length === 0) return undefined;
    const files = filesIn(outside, writes.root);
    const told = files.ran !== undefined && action.effects === "reads" ? { ...files, wrote: [] } : files;
    // What failed may have written all the same, unless it failed before it began to.
    const isRefused = outcome === "error" && told.ran === undefined && module === TELLS && !isReplacing;
    const isKnown = mayHaveWritten(told) && !isRefused;
    const n = isKnown ? { n: writes.add({ agent: identity.id, ...told }) } : {};
    return { count: writes.count, root: writes.root, from, ...n, ...told };
  };
}

/** Before the call runs, for all that run beside it in its workspace; `undefined` if it writes nothing there. */
export function beginWriting(
  { workplace: { writes }, identity }: Performer,
  { action, touched }: ReadyCall,
): RunningWriter | undefined {
  const files = filesIn(touched, writes.root);
  const isReader = action.effects === "none" || action.effects === "reads";
  return isReader || !mayHaveWritten(files) ? undefined : writes.begin({ agent: identity.id, ...files });
}

function filesIn(touches: readonly Touch[], root: string): Pick<Touched, "read" | "wrote" | "ran"> {
  const [read, wrote] = (["read", "write"] as const).map((kind) =>
    touches.flatMap((touch) => (touch.kind === kind && "real" in touch ? [placeIn(root, touch.real)] : [])),
  );
  const ran = touches.flatMap((touch) =>
    touch.kind === "run" ? [touch.command] : touch.kind === "anything" ? [touch.call] : [],
  );
  return {
    ...(read!.length > 0 && { read: fewOf(read!) }),
    ...(wrote!.length > 0 && { wrote: fewOf(wrote!) }),
    ...(ran.length > 0 && { ran: clause(ran.join("; ")) }),
  };
}

function placeIn(root: string, real: string): string {
  const way = relative(root, real);
  return way.split(sep)[0] === ".." || isAbsolute(way) ? real : way;
}
