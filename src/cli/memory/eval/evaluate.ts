// A sample becomes a memory, by a scribe, and is asked: which entries are found, and are they those that answer?

import type { RememberedEntry } from "../../../domain/authoring/memories.ts";
import type { MemoryId } from "../../../domain/memory/memory-id.ts";
import type { EntryEvent } from "../../../domain/memory/record.ts";
import type { AgentId } from "../../../domain/message/message.ts";
import type { AgentPlan } from "../../../legion/hosting/agent-plan.ts";
import type { Legion } from "../../../legion/legion.ts";
import { invoke } from "../../../legion/observing/invoke.ts";
import { entriesFrom, newestEntries } from "../../../past/memory/recall.ts";
import type { Memories } from "../../../storage/contract/memory/memories.ts";
import type { RecallQuestion, RecallSample, RecallSession } from "./recall-set.ts";
import type { RecallResult } from "./results.ts";

/** Where samples become memories. */
export interface Evaluation {
  readonly legion: Legion;
  readonly memories: Memories;
  /** A scribe of that id, which writes to that memory. */
  scribe(id: AgentId, memory: MemoryId): Promise<AgentPlan>;
  /** Told how many messages of the sample are kept. */
  onProgress(kept: number): void;
}

/** So many entries are looked at. */
const FOUND = 10;

/** Goes on where it was left. Rejects as `invoke` does. `number`: of the sample, from 1. */
export async function evaluate(
  evaluation: Evaluation,
  sample: RecallSample,
  number: number,
): Promise<readonly RecallResult[]> {
  const { memories } = evaluation;
  const [kept, raw] = [`recall/s${number}`, `recall/raw${number}`];
  await feed(evaluation, sample, { id: `s${number}`, memory: kept });
  await keepRaw(memories, sample, raw);
  const messages = await messagesIn(memories, kept, sample);
  const rawMessages = await messagesIn(memories, raw, sample);
  const newest = (await newestEntries(memories.read(kept), FOUND)).toReversed();
  const results: RecallResult[] = [];
  for (const question of sample.questions) {
    const { id, text, kind, evidence } = question;
    const query = { text, limit: FOUND };
    const ranks = {
      scribe: rankOf(await memories.search(kept, query), question, messages),
      raw: rankOf(await memories.search(raw, query), question, rawMessages),
      newest: rankOf(newest, question, messages),
    };
    results.push({ sample: sample.id, question: id, kind, ranks, isUnanswerable: evidence.size === 0 });
  }
  return results;
}

interface SampleScribe {
  readonly id: AgentId;
  readonly memory: MemoryId;
}

/** Has a scribe keep what was said, one session after the other. */
async function feed(evaluation: Evaluation, sample: RecallSample, scribe: SampleScribe): Promise<void> {
  const { legion, memories } = evaluation;
  const { id, memory } = scribe;
  const supervised = await legion.host(await evaluation.scribe(id, memory));
  try {
    // What was said before it was left is kept first.
    await legion.untilIdle(new AbortController().signal);
    const known = await countByThread(memories, memory);
    const observer = { id, legion, find: () => legion.agents.get(id) };
    const open = supervised.agent?.memory.conversation.invocations.sessions ?? new Map<string, unknown>();
    let kept = [...known.values()].reduce((sum, count) => sum + count, 0);
    evaluation.onProgress(kept);
    for (const [index, session] of sample.sessions.entries()) {
      const thread = threadOf(index);
      const before = known.get(thread) ?? 0;
      if (session.messages.length === 0 || (before >= session.messages.length && !open.has(thread))) continue;
      const asked =
        before === 0 && !open.has(thread) ? [invoke(observer, { control: "start_session", thread })] : [];
      for (const { order, content } of ordersOf(session, { thread, before }))
        asked.push(invoke(observer, order, content).then(() => evaluation.onProgress(++kept)));
      asked.push(invoke(observer, { control: "end_session", thread }));
      const ends = await Promise.allSettled(asked);
      for (const end of ends) if (end.status === "rejected") throw end.reason;
    }
  } finally {
    await legion.retire(id);
  }
}

function threadOf(index: number): string {
  return `session-${index + 1}`;
}

function ordersOf(
  { messages, said }: RecallSession,
  { thread, before }: { readonly thread: string; readonly before: number },
) {
  return messages.slice(before).map(({ role, speaker, content }, index) => ({
    content,
    order: {
      control: "process_message" as const,
      thread,
      role,
      speaker,
      said: momentOf(said, before + index),
    },
  }));
}

const SECOND_MS = 1_000;

/** A second after the message before it. */
function momentOf(said: string | undefined, index: number): string | undefined {
  return said === undefined ? undefined : new Date(Date.parse(said) + index * SECOND_MS).toISOString();
}

async function countByThread(memories: Memories, memory: MemoryId): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { thread } of await entriesFrom(memories.read(memory), 1))
    counts.set(thread, (counts.get(thread) ?? 0) + 1);
  return counts;
}

/** The same without a scribe: what was said, and no word of what it comes to. */
async function keepRaw(memories: Memories, { sessions }: RecallSample, memory: MemoryId): Promise<void> {
  const by = "raw";
  const entries = sessions.flatMap((session, index) =>
    ordersOf(session, { thread: threadOf(index), before: 0 }).map(({ order, content }) => ({
      ...{ role: order.role, speaker: order.speaker ?? order.role, thread: order.thread, tags: {} },
      said: order.said ?? new Date(0).toISOString(),
      raw: content,
    })),
  );
  await memories.change(memory, ({ entries: known }) =>
    Promise.resolve(
      entries.slice(known).map((entry, index): EntryEvent => ({
        ...{ kind: "entry", mail: known + index + 1, from: by, by, summary: "", summarised: "rules" },
        ...entry,
      })),
    ),
  );
}

/** By number of an entry, the message that it is. */
async function messagesIn(
  memories: Memories,
  memory: MemoryId,
  { sessions }: RecallSample,
): Promise<ReadonlyMap<number, string>> {
  const messages = new Map<number, string>();
  const rest = new Map(sessions.map((session, index) => [threadOf(index), session.messages.values()]));
  for (const { seq, thread } of await entriesFrom(memories.read(memory), 1)) {
    const message = rest.get(thread)?.next().value;
    if (message) messages.set(seq, message.id);
  }
  return messages;
}

/** Best first. */
function rankOf(
  entries: readonly RememberedEntry[],
  { evidence }: RecallQuestion,
  messages: ReadonlyMap<number, string>,
): number | null {
  const index = entries.findIndex(({ seq }) => evidence.has(messages.get(seq) ?? ""));
  return index === -1 ? null : index + 1;
}
