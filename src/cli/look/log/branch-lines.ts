// The branches of a log as people read them: each under the one that it left.

import { displayName } from "../../../domain/message.ts";
import type { BranchFacts } from "./branch-tree.ts";
import { oneLine } from "../../kit/output.ts";
import { clip } from "../../kit/terminal.ts";
import { dayOf, timeOf } from "../../kit/times.ts";
import { count } from "../../../base/wording.ts";

const MAX_DEPTH = 8;
const SECONDS = 3;

/** One line for each branch; `*` marks the one that goes on. */
export function branchLines(branches: readonly BranchFacts[], columns: number): readonly string[] {
  const depths = new Map<number | null, number>([[null, -1]]);
  for (const { branch, parent } of branches) depths.set(branch, (depths.get(parent) ?? 0) + 1);
  return inTreeOrder(branches).map((facts) => {
    const depth = Math.min(depths.get(facts.branch)!, MAX_DEPTH);
    return clip(`${"  ".repeat(depth)}${facts.active ? "*" : "-"} ${describe(facts)}`, columns);
  });
}

/** Each branch before those that left it; those in the order of the log. */
function inTreeOrder(branches: readonly BranchFacts[], root: number | null = null): readonly BranchFacts[] {
  return branches
    .filter(({ parent }) => parent === root)
    .flatMap((facts) => [facts, ...inTreeOrder(branches, facts.branch)]);
}

function describe({ from, origin, first, last, since, decisions, text }: BranchFacts): string {
  const whose = origin === undefined ? "" : ` of ${displayName(origin)}`;
  const start = from === null ? "" : `from ${from}${whose}: `;
  const when = `${dayOf(since)} ${timeOf(since).slice(0, -SECONDS)}`;
  const made = count(decisions, "decision");
  return `${start}${first}-${last}  ${when}  ${made}  ${oneLine(text)}`.trimEnd();
}
