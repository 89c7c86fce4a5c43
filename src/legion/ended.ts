// How it came to an end what an agent was told to do, as its log tells.

import type { EndStatus } from "../domain/event/ending.ts";
import type { Event } from "../domain/event/event.ts";
import { isPersons, laneOf, type AgentId, type Message } from "../domain/message/message.ts";
import { isAtRest, type Conversation } from "../past/conversation.ts";
import { createBranch, type Branch } from "../past/fold.ts";
import type { Reader } from "../storage/contract/reader.ts";
import { GO_ON } from "./run/task.ts";
import { storedStanding, type AgentStatus } from "./status.ts";

export interface StoredEnd {
  /** As of an agent that nobody runs. */
  readonly status: AgentStatus;
  /**
   * What its log says of its end, such as `Submitted`; of an agent whose log says none `done`, `aborted`, `unfinished`, `unused` where
   * nothing was begun, or why it stands still: `parked`, `paused`, `halted`.
   */
  readonly state: string;
  /** The same in the words of all ends; null: it is none, and there is something left to do, or nothing was begun. */
  readonly end: EndStatus | null;
  /** The first line of the newest task that a person gave; empty: none did. */
  readonly task: string;
  /** When its newest event was written, ISO 8601; null if there is none that can be read. */
  readonly at: string | null;
  /** Time in model calls and actions, in milliseconds. */
  readonly workingMs: number;
}

/** Reads its log once, and writes nothing. */
export async function storedEnd(id: AgentId, reader: Reader): Promise<StoredEnd> {
  const { status, past } = await storedStanding(id, reader, createTasked);
  if (!past) return { status, state: status.state, end: null, task: "", at: null, workingMs: 0 };
  const { branch, ledger } = past;
  const { conversation } = branch;
  const state = stateOf(status, conversation, ledger.last);
  // Mail that waits is something to do again.
  const { run, halt } = conversation;
  const said = status.unread > 0 ? undefined : (run.end?.status ?? halt?.end);
  const end = said ?? ENDS.get(state) ?? null;
  return {
    status,
    state,
    end,
    task: branch.task(),
    at: ledger.at || null,
    workingMs: ledger.spent.workingMs,
  };
}

const ENDS: ReadonlyMap<string, EndStatus> = new Map([
  ["done", "Submitted"],
  ["aborted", "UserInterruption"],
]);

/** @param last the number of its newest event */
function stateOf({ state, unread }: AgentStatus, conversation: Conversation, last: number): string {
  const { run } = conversation;
  if (unread === 0 && run.end) return run.end.status;
  if (state !== "stopped") return state;
  if (unread > 0 || !isAtRest(conversation)) return "unfinished";
  if (last === 0) return "unused";
  return conversation.aborted ? "aborted" : "done";
}

interface Tasked extends Branch {
  readonly task: () => string;
}

const MAX_TASK = 200;

function createTasked(): Tasked {
  const branch = createBranch();
  let task = "";
  const see = (event: Event): void => {
    branch.see(event);
    if (event.kind === "message" && isTask(event.message))
      task = event.message.content.trimStart().slice(0, MAX_TASK).split("\n", 1)[0]!.trimEnd();
  };
  return {
    conversation: branch.conversation,
    state: branch.state,
    get offers() {
      return branch.offers;
    },
    task: () => task,
    see,
  };
}

/** What has an agent go on tells nothing new. */
function isTask(message: Message): boolean {
  return isPersons(message) && laneOf(message) === "normal" && message.content !== GO_ON;
}
