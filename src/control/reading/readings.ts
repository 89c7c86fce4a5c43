// What is read of a legion for whoever watches it: over the place where it is kept, so with a node and without one.

import { goals } from "../../../modules/goals.ts";
import { notes } from "../../../modules/notes.ts";
import { LegionError } from "../../base/errors.ts";
import { fieldsOf } from "../../base/text/json.ts";
import { quote } from "../../base/text/wording.ts";
import type { Event } from "../../domain/event/event.ts";
import {
  CONTROL,
  displayName,
  type AgentId,
  type LogId,
  type Message,
} from "../../domain/message/message.ts";
import { openQuestionsOf } from "../../legion/questions.ts";
import type { UndoReport } from "../../domain/undo/report.ts";
import { MOST_LINES } from "../../legion/report/report.ts";
import { forkIn, pathTo } from "../../past/branch.ts";
import { deadLettersIn, resentIn, type DeadLetter } from "../../past/mail/dead-letters.ts";
import { keysOf, valueOf } from "../../past/state.ts";
import type { PersonFolder } from "../../storage/folder/person/folder.ts";
import type { Memories } from "../../storage/contract/memory/memories.ts";
import { createReceiptsToday } from "../../legion/receipts/today.ts";
import { withToday } from "../../legion/receipts/told.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { ReadingAnswers, ReadingAnswer, ReadingQuestion, Readings } from "../api/readings.ts";
import type { AgentStatus } from "../../legion/status.ts";
import { readChain } from "./chain.ts";
import { readChanges } from "./changes.ts";
import { readConversation } from "./conversation.ts";
import { readCosts } from "./costs.ts";
import { readDifferences, readRuns } from "./differences.ts";
import { known } from "./known.ts";
import { createMoments, type Moments } from "./moments.ts";
import { readMemories } from "./memories.ts";
import { readPurse } from "./purse.ts";
import type { Replaying } from "./replaying.ts";
import type { WatchedLegion } from "./watched.ts";

/** How many messages to the person are told at once. */
const NEWEST_MAIL = 500;

/** What is read, as it is now or as it was. */
interface ReadLegion {
  readonly reader: Reader;
  /** How every agent stands. */
  statuses(): Promise<readonly AgentStatus[]>;
  /** What the agent would be shown; absent: that is known only of what it was shown. */
  readonly next?: WatchedLegion["nextPrompt"];
  /** Absent: nobody can tell what they held. */
  readonly stores?: Memories;
  /** Whose purse is told; absent: nobody's. */
  readonly person?: PersonFolder;
  /** Absent: nobody can tell what stood in its files. */
  readonly previewUndo?: (what: string) => Promise<UndoReport>;
}

/** What does not depend on the time that is looked at, which is from here. */
interface LookedAtFrom {
  readonly moments: Moments;
  readonly expireMs: number;
  readonly replay: Replaying;
  readonly project: string;
}

const UNDONE_THEN = "what can be taken back is known as it is now alone";
const NOT_THEN = "what is in a memory is shown as it is now alone";

/** Rejects with USAGE for an agent that nobody knows, or knew then, naming those that there are. */
export function createReadings(watched: WatchedLegion): ReadingAnswers {
  const { backend, expireMs } = watched;
  const moments = createMoments(backend.reader);
  const statuses = async (): Promise<readonly AgentStatus[]> => (await watched.status()).agents;
  const { nextPrompt: next, person, replay, project } = watched;
  const preview = async (what: string): Promise<UndoReport> => {
    const { previewUndo } = await import("../../legion/undo/undo.ts");
    const { siteOf } = await import("../api/undo-here.ts");
    return previewUndo(what, await siteOf(watched));
  };
  const place: LookedAtFrom = { moments, expireMs, replay, project };
  const here: ReadLegion = {
    reader: backend.reader,
    statuses,
    next,
    stores: backend.memories,
    person,
    previewUndo: preview,
  };
  const now = readingsOf(here, place);
  return async (name, question, signal = new AbortController().signal) => {
    const { moment } = question;
    const there = moment === undefined ? now : readingsOf(await moments.legionAt(moment), place);
    return there[name](question, signal);
  };
}

function readingsOf(
  { reader, statuses, next, stores, person, previewUndo }: ReadLegion,
  { moments, expireMs, replay, project }: LookedAtFrom,
): Readings {
  return {
    moment: ({ moment }) => moments.show(moment),
    agent: async ({ agent }) => readAgent(reader, await known(reader, agent)),
    async note({ agent, title }) {
      const state = await reader.state(await known(reader, agent), [notes]);
      if (!keysOf(state, notes.name).includes(title))
        throw new LegionError("USAGE", `${displayName(agent)} has no note ${quote(title)}`);
      return { title, content: String(valueOf(state, notes.name, title)) };
    },
    async memory({ agent, find }) {
      const { memories } = await reader.record(await known(reader, agent));
      if (!stores) throw new LegionError("REFUSED", NOT_THEN);
      return readMemories(stores, memories, find);
    },
    log: async (question) => readLog(reader, { ...question, agent: await known(reader, question.agent) }),
    async prompt({ agent, at }) {
      const { readPrompt } = await import("./prompt.ts");
      await known(reader, agent);
      return readPrompt(reader, agent, at ?? (next ? () => next(agent) : await reader.last(agent)));
    },
    differences: (question) => readDifferences(reader, project, question),
    runs: () => readRuns(project),
    async replay({ agent, to, moment }, signal) {
      await known(reader, agent);
      return replay({
        agent,
        to: to ?? (moment === undefined ? undefined : await reader.last(agent)),
        signal,
      });
    },
    changes: () => readChanges(reader),
    async undoing({ what }) {
      if (!previewUndo) throw new LegionError("REFUSED", UNDONE_THEN);
      return previewUndo(what);
    },
    async report({ since, moment }) {
      const { makeReport } = await import("../../legion/report/make.ts");
      const nowMs = moment === undefined ? Date.now() : Date.parse(moment);
      const sinceMs = since === undefined ? undefined : Date.parse(since);
      const legion = { reader, statuses: await statuses(), expireMs };
      return makeReport(legion, { sinceMs, nowMs, most: MOST_LINES });
    },
    purse: () => readPurse(person, Date.now()),
    costs: () => readCosts(reader),
    conversation: ({ of }) => readConversation(reader, of),
    chain: ({ message }) => readChain(reader, message),
    inbox: async () => ({ messages: await newestMail(reader) }),
    dead: async () => ({ letters: await openDeadLetters(reader) }),
    async questions() {
      const asking = (await statuses()).filter(({ state }) => state === "asking").map(({ id }) => id);
      const questions = await openQuestionsOf(asking, reader, expireMs);
      return { questions: questions.map((question) => ({ ...question })) };
    },
  };
}

async function readAgent(reader: Reader, agent: AgentId): Promise<ReadingAnswer<"agent">> {
  const record = await reader.record(agent);
  const { description = "", definition = null, model = null, modules = [], memories = [] } = record;
  const state = await reader.state(agent, [goals, notes]);
  const list = keysOf(state, goals.name).flatMap((key) => valueOf(state, goals.name, key));
  const branches: { readonly seq: number; readonly to: number }[] = [];
  let log: LogId | null = null;
  let last = 0;
  for await (const event of reader.events(agent)) {
    if (event.kind === "opened") log ??= event.log;
    const fork = forkIn(event);
    if (fork) branches.push({ seq: event.seq, to: fork.to });
    last = event.seq;
  }
  const path = pathTo(branches, last);
  return {
    ...{ id: agent, name: displayName(agent), log, last, description, definition, model, modules },
    goals: list.map(toGoal),
    notes: keysOf(state, notes.name),
    memories,
    branches,
    path: path.map(([first, end]): [number, number] => [first, end]),
  };
}

/** People edit the file: what is no goal is told as it is. */
function toGoal(goal: unknown): { readonly text: string; readonly complete: boolean } {
  const { text, complete } = fieldsOf(goal);
  return { text: typeof text === "string" ? text : JSON.stringify(goal), complete: complete === true };
}

async function readLog(
  reader: Reader,
  { agent, from, before, limit }: ReadingQuestion<"log">,
): Promise<ReadingAnswer<"log">> {
  const log = await logOf(reader, agent);
  const last = await reader.last(agent);
  const end = Math.min(before ?? Infinity, last + 1);
  const start = from ?? Math.max(1, end - limit);
  const events: Event[] = [];
  for await (const event of reader.events(agent, start)) {
    if (event.seq >= end || events.length === limit) break;
    events.push(event);
  }
  return { log, last, events: events.map((event) => ({ ...event })) };
}

/** By what a log is known, however long it grows; null: nothing is recorded. */
export async function logOf(reader: Pick<Reader, "events">, agent: AgentId): Promise<LogId | null> {
  for await (const event of reader.events(agent)) if (event.kind === "opened") return event.log;
  return null;
}

async function newestMail(reader: Reader): Promise<readonly (Message & Record<string, unknown>)[]> {
  const newest: Message[] = [];
  for await (const message of reader.inbox()) {
    newest.push(message);
    if (newest.length > NEWEST_MAIL) newest.shift();
  }
  const receiptsOf = createReceiptsToday(reader);
  const told = newest.map(async (message) => ({ ...withToday(message, await receiptsOf(message)) }));
  return Promise.all(told);
}

/** Oldest first. */
async function openDeadLetters(reader: Reader): Promise<ReadingAnswer<"dead">["letters"]> {
  const resent = await resentIn(reader.events(CONTROL));
  const letters: DeadLetter[] = [];
  for (const agent of [CONTROL, ...(await reader.known())])
    letters.push(...(await deadLettersIn(agent, reader.events(agent))));
  return letters
    .filter(({ id, isResent }) => !isResent && !resent.has(id))
    .sort((a, b) => Date.parse(a.since) - Date.parse(b.since))
    .map(({ id, to, since, why, message }) => ({ id, to, since, why, content: message.content }));
}
