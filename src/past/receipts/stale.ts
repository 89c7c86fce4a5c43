// What was written to a workspace since a call began: known writes, and commands of which nobody knows what they wrote.

import type { Touched } from "../../domain/event/touched.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";

/** A call that wrote, or may have. */
export interface Write extends Pick<Touched, "wrote" | "ran"> {
  readonly n: number;
  readonly agent: AgentId;
  /** Of its result, where that has a number. */
  readonly seq?: number;
}

/** Did it write something, or does nobody know? */
export function mayHaveWritten({ wrote, ran }: Pick<Touched, "wrote" | "ran">): boolean {
  return wrote === undefined ? ran !== undefined : wrote.length > 0;
}

/** In one clause, why what a call came to may not hold any more; `undefined`: nothing is known against it. */
export function staleBy(touched: Touched, later: Iterable<Write>): string | undefined {
  const { read = [], wrote = [], ran, n } = touched;
  const paths = [...read, ...wrote];
  if (ran === undefined && paths.length === 0) return undefined;
  let unsure: string | undefined;
  for (const write of later) {
    if (write.n <= touched.from || write.n === n) continue;
    const by = `${displayName(write.agent)}${write.seq === undefined ? "" : ` (#${write.agent}.${write.seq})`}`;
    const path = write.wrote?.find((one) => ran !== undefined || paths.some((other) => meet(one, other)));
    if (path !== undefined) return `${path || "the workspace"} was written since, by ${by}`;
    if (write.wrote === undefined)
      unsure ??= `what a later command of ${by} wrote is not known: ${write.ran}`;
  }
  return unsure;
}

/** Is one of them the other, or in it? */
function meet(one: string, other: string): boolean {
  return one === other || isIn(one, other) || isIn(other, one);
}

function isIn(folder: string, path: string): boolean {
  return folder === "" ? !path.startsWith("/") : path.startsWith(`${folder}/`);
}
