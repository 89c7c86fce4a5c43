// The branches of a log, for people. Pure.

import { forkIn, type Fork } from "../../../past/branch.ts";
import type { Event, EventOf } from "../../../domain/event.ts";
import type { AgentId } from "../../../domain/message.ts";

/** The events from one fork to the next; every event of a log belongs to one branch. */
export interface BranchFacts {
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
    branch.text ||= describe(event);
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

function describe({ text, calls }: EventOf<"decision">): string {
  return (text || calls.map(({ action }) => action).join("; "))
    .slice(0, MAX_CHARS)
    .replace(/\s+/g, " ")
    .trim();
}
