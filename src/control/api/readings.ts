// What can be read of a legion, wherever it is kept and whether or not anybody runs it, in one table beside that of the routes.
// The control socket and the page's server serve both.

import { z } from "zod";
import { limitsSchema } from "../../domain/limits-schema.ts";
import { RECEIPT_VERDICTS } from "../../domain/message/receipt.ts";
import { agentStatusSchema } from "../../legion/status.ts";
import { undoOrderSchema, undoReportSchema } from "../../domain/undo/report.ts";
import { costsAnswer } from "./answers/costs.ts";
import { memoryAnswer } from "./answers/memory.ts";
import { promptAnswer } from "./answers/prompt.ts";
import { COMPARISONS } from "./comparisons.ts";
import { MAIL_READINGS } from "./mail-readings.ts";
import { CHANGES_READING } from "./answers/changes.ts";
import { REPORT_READING } from "./answers/report.ts";
import { past } from "./past-question.ts";
import { purseAnswer } from "./answers/purse.ts";
import { nodeServer } from "./routes.ts";

export interface ReadingRoute {
  /** Under `/v1`; what stands in braces is a field of the question, the others are in the query. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** A strict object, made of strings. The description of each field says what is expected there. */
  readonly question: z.ZodType;
  /** Of a stream: each of its items. */
  readonly answer: z.ZodType<object>;
  /** Server-sent events: each item is one, as JSON; it goes on until somebody hangs up. */
  readonly streams?: true;
}

const MOST_EVENTS = 1_000;

const agent = z.string().min(1).max(64).describe("an agent id, or 0 for the person");
const seq = z.coerce.number().pipe(z.int().min(1)).describe("the number of an event, from 1");
const event = z
  .looseObject({ seq: z.number(), at: z.string(), kind: z.string() })
  .describe("An event of its log, as `legion log --json` prints it.");
const live = z
  .looseObject({ kind: z.string().regex(/^live:/) })
  .describe("What happens before it is an event; some of it may be left out.");
const weighed = { verdict: z.enum(RECEIPT_VERDICTS), why: z.string().optional() };
const message = z.looseObject({
  ...{ id: z.string(), content: z.string(), sentAt: z.string() },
  receiptsToday: z
    .array(
      z.object({
        agent: z.string(),
        seq: z.number(),
        ...weighed,
        today: z.object(weighed).describe("By all logs."),
      }),
    )
    .readonly()
    .optional()
    .describe("The results that it cites, as they were judged when it was sent; absent: none are."),
});

const knots = z
  .array(z.object({ agents: z.array(z.string()).readonly(), open: z.array(z.string()).readonly() }))
  .readonly()
  .describe(
    "Agents at rest that wait for each other's answers and for nobody else, with the ids of the messages that need them.",
  );

const overview = z.object({
  at: z.string().describe("ISO 8601."),
  whole: z.boolean().describe("These are all agents, and what was told before is over."),
  agents: z.array(agentStatusSchema).readonly().describe("Those that changed, or all."),
  gone: z.array(z.string()).readonly().describe("Ids of those that are no more."),
  nodes: z.array(z.string()).readonly().describe("Those that run now."),
  servers: z.array(nodeServer).readonly(),
  knots,
  limits: limitsSchema
    .nullable()
    .describe("What all agents may spend together, as a node says; null: none runs."),
  away: z.string().nullable().describe("Why nothing can be told at the moment; null if all is well."),
});

export const READINGS = {
  overview: {
    path: "/overview",
    summary:
      "What every agent does, as a state: all of it at first and after any gap, then what changed, at most four times a second.",
    question: z.strictObject({}),
    answer: overview,
    streams: true,
  },
  moment: {
    path: "/moment",
    summary:
      "How the legion stood at an earlier moment, in which no message is received before it is sent; and over which time something is recorded.",
    question: z.strictObject({ ...past }),
    answer: z.object({
      at: z
        .string()
        .describe("ISO 8601; without a moment the latest of all; empty where nothing is recorded."),
      began: z.string().describe("ISO 8601: when the record begins."),
      latest: z.string().describe("ISO 8601: the latest time of anything in it."),
      agents: z
        .array(agentStatusSchema)
        .readonly()
        .describe("Those that there were; no log tells whether a node ran them."),
      knots,
      ends: z
        .record(z.string(), z.number())
        .describe("The newest event of each log then, by agent id; 0 is the person's."),
    }),
  },
  agent: {
    path: "/agents/{agent}",
    summary: "What an agent is, what it wants and knows, and the branches of its log.",
    question: z.strictObject({ agent, ...past }),
    answer: z.object({
      id: z.string(),
      name: z.string(),
      log: z.string().nullable().describe("The id of its log; null if nothing is recorded."),
      last: z.number().describe("The number of its newest event; 0 if there is none."),
      description: z.string(),
      definition: z.string().nullable(),
      model: z.string().nullable(),
      modules: z.array(z.string()).readonly(),
      goals: z.array(z.object({ text: z.string(), complete: z.boolean() })).readonly(),
      notes: z.array(z.string()).readonly().describe("Titles."),
      memories: z.array(z.string()).readonly().describe("The long-term memories that it reaches."),
      branches: z
        .array(z.object({ seq: z.number(), to: z.number() }))
        .readonly()
        .describe("Where its log went on from an earlier event, oldest first."),
      path: z
        .array(z.tuple([z.number(), z.number()]))
        .readonly()
        .describe("What leads to the newest event, as ranges of numbers."),
    }),
  },
  note: {
    path: "/agents/{agent}/notes/{title}",
    summary: "One of its notes.",
    question: z.strictObject({ agent, title: z.string().describe("the title of a note"), ...past }),
    answer: z.object({ title: z.string(), content: z.string() }),
  },
  memory: {
    path: "/agents/{agent}/memory",
    summary:
      "What is in the long-term memories that it reaches: the context of each, and its newest entries, or those with some words.",
    question: z.strictObject({
      agent,
      find: z.string().min(1).max(1_000).optional().describe("words to look for"),
      ...past,
    }),
    answer: memoryAnswer,
  },
  log: {
    path: "/agents/{agent}/log",
    summary: "Events of its log, oldest first: those from a number on, or the newest before one.",
    question: z.strictObject({
      agent,
      from: seq.optional(),
      before: seq.optional(),
      limit: z.coerce
        .number()
        .pipe(z.int().min(1).max(MOST_EVENTS))
        .default(200)
        .describe(`how many, from 1 to ${MOST_EVENTS}`),
      ...past,
    }),
    answer: z.object({ log: z.string().nullable(), last: z.number(), events: z.array(event).readonly() }),
  },
  events: {
    path: "/agents/{agent}/events",
    summary:
      "Its log, every event once and in order, from a number on or behind the `Last-Event-ID`, <log>:<seq>, and what it does now.",
    question: z.strictObject({ agent, from: seq.optional() }),
    answer: z.union([event, live]),
    streams: true,
  },
  prompt: {
    path: "/agents/{agent}/prompt",
    summary:
      "What its model was shown newest by an event, or, without one, would be shown now: by part, against the prompt before it.",
    question: z.strictObject({ agent, at: seq.optional(), ...past }),
    answer: promptAnswer,
  },
  inbox: {
    path: "/inbox",
    summary: "What agents said to the person: the newest of it, oldest first.",
    question: z.strictObject({ ...past }),
    answer: z.object({ messages: z.array(message).readonly() }),
  },
  dead: {
    path: "/dead",
    summary:
      "Messages of all agents that could not be delivered and were not sent again, oldest first; every log is read.",
    question: z.strictObject({ ...past }),
    answer: z.object({
      letters: z
        .array(
          z.object({
            id: z.string().describe("As `resend` takes it."),
            to: z.array(z.string()).readonly(),
            since: z.string(),
            why: z.string(),
            content: z.string(),
          }),
        )
        .readonly(),
    }),
  },
  questions: {
    path: "/questions",
    summary: "What agents ask before they do it, oldest first.",
    question: z.strictObject({ ...past }),
    answer: z.object({
      questions: z
        .array(
          z.looseObject({
            id: z.string(),
            agent: z.string(),
            action: z.string(),
            since: z.string(),
            isAnswered: z.boolean(),
          }),
        )
        .readonly(),
    }),
  },
  undoing: {
    path: "/undoing",
    summary: "What an undo would come to, as it is now. Nothing is done: that is a question to POST /undo.",
    question: undoOrderSchema.extend(past),
    answer: undoReportSchema,
  },
  ...CHANGES_READING,
  purse: {
    path: "/purse",
    summary:
      "What the person lets the agents of all their projects spend in a day and a month, and what of it is gone.",
    question: z.strictObject({ ...past }),
    answer: purseAnswer,
  },
  costs: {
    path: "/costs",
    summary:
      "What the legion came to: by agent, by first message (those that cost most), by model and over time.",
    question: z.strictObject({ ...past }),
    answer: costsAnswer,
  },
  ...REPORT_READING,
  ...MAIL_READINGS,
  ...COMPARISONS,
} as const satisfies Readonly<Record<string, ReadingRoute>>;

export type ReadingName = keyof typeof READINGS;
export const READING_NAMES = Object.keys(READINGS) as readonly ReadingName[];
export type ReadingQuestion<K extends ReadingName> = z.output<(typeof READINGS)[K]["question"]>;
export type ReadingAnswer<K extends ReadingName> = z.output<(typeof READINGS)[K]["answer"]>;

type Streamed = {
  [K in ReadingName]: (typeof READINGS)[K] extends { streams: true } ? K : never;
}[ReadingName];
export type LookedUp = Exclude<ReadingName, Streamed>;
/** Answers to those that do not stream. Every method rejects with its refusal. */
export type Readings = {
  readonly [K in LookedUp]: (question: ReadingQuestion<K>, signal: AbortSignal) => Promise<ReadingAnswer<K>>;
};
/** Answers one of them, until `signal` aborts. Rejects with its refusal. */
export type ReadingAnswers = <K extends LookedUp>(
  name: K,
  question: ReadingQuestion<K>,
  signal?: AbortSignal,
) => Promise<ReadingAnswer<K>>;

/** The newest state of all agents, or what changed in it. */
export type OverviewFrame = ReadingAnswer<"overview">;
