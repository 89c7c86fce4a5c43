// The branches of a log, and how people read them: each under the one that it left.

import { forkIn, type Fork } from "../../../past/branch.ts";
import type { Event, EventOf } from "../../../domain/event/event.ts";
import { displayName, type AgentId } from "../../../domain/message/message.ts";
import { count } from "../../../base/text/wording.ts";
import { oneLine } from "../../kit/output.ts";
import { clip } from "../../kit/terminal.ts";
import { dayOf, timeOf } from "../../kit/times.ts";

/** The events from one fork to the next; every event of a log belongs to one branch. */
interface BranchFacts {
  /** 1, 2, 3... in the order of the log. */
  readonly branch: number;
  /** The event that it goes on from, and the branch of that one; `null` for the first. */
  readonly from: number | null;
  readonly parent: number | null;
  /** Whose past stands before it, if it is another agent's. */
  readonly origin?: AgentId;
  readonly first: number;
  last: number;
  /** ISO 8601: times of its first and last event. */
  readonly since: string;
  until: string;
  decisions: number;
  /** The beginning of what was first decided on it; may be empty. */
  text: string;
  /** Is it the one that goes on? */
  active: boolean;
}

const MAX_CHARS = 200;
const MAX_DEPTH = 8;
const SECONDS = 3;

/** Every branch, in the order of the log: the last one is active. Empty for an empty log. */
export async function branchesIn(events: AsyncIterable<Event>): Promise<readonly BranchFacts[]> {
  const branches: BranchFacts[] = [];
  for await (const event of events) {
    const fork = forkIn(event);
    if (fork || branches.length === 0) branches.push(begin(event, fork, branches));
    const branch = branches.at(-1)!;
    branch.last = event.seq;
    branch.until = event.at;
    if (event.kind !== "decision") continue;
    branch.decisions++;
    branch.text ||= firstWords(event);
  }
  for (const branch of branches) branch.active = branch === branches.at(-1);
  return branches;
}

function begin(event: Event, fork: Fork | undefined, branches: readonly BranchFacts[]): BranchFacts {
  const { seq, at } = event;
  const parent = fork && branches.findLast(({ first }) => first <= fork.to);
  return {
    branch: branches.length + 1,
    from: fork?.to ?? null,
    parent: parent?.branch ?? null,
    ...(event.kind === "branch" && event.origin !== undefined && { origin: event.origin }),
    first: seq,
    last: seq,
    since: at,
    until: at,
    decisions: 0,
    text: "",
    active: false,
  };
}

function firstWords({ text, calls }: EventOf<"decision">): string {
  return (text || calls.map(({ action }) => action).join("; "))
    .slice(0, MAX_CHARS)
    .replace(/\s+/g, " ")
    .trim();
}

/** One line for each branch, before those that left it; `*` marks the one that goes on. */
export function branchLines(
  branches: readonly BranchFacts[],
  columns: number,
  below: { readonly parent: number | null; readonly depth: number } = { parent: null, depth: 0 },
): readonly string[] {
  const indent = "  ".repeat(Math.min(below.depth, MAX_DEPTH));
  return branches
    .filter(({ parent }) => parent === below.parent)
    .flatMap((facts) => [
      clip(`${indent}${facts.active ? "*" : "-"} ${describe(facts)}`, columns),
      ...branchLines(branches, columns, { parent: facts.branch, depth: below.depth + 1 }),
    ]);
}

function describe({ from, origin, first, last, since, decisions, text }: BranchFacts): string {
  const whose = origin === undefined ? "" : ` of ${displayName(origin)}`;
  const start = from === null ? "" : `from ${from}${whose}: `;
  const when = `${dayOf(since)} ${timeOf(since).slice(0, -SECONDS)}`;
  const made = count(decisions, "decision");
  return `${start}${first}-${last}  ${when}  ${made}  ${oneLine(text)}`.trimEnd();
}
