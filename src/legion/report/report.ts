// What a person is told of a time in which they did not look: what was asked and what came of it, what waits for them, what was odd
// and what changed. Nothing that no log has; no text of results.

import { z } from "zod";

/** A part of the report has so many lines; of the others only their number is told. */
export const MOST_LINES = 20;

const time = z.string().describe("ISO 8601.");
const timeOrNot = z.string().nullable().describe("ISO 8601; null if nobody knows.");

const spent = z.object({
  steps: z.number(),
  tokens: z.number(),
  cost: z.number().describe("US dollars, of what has a known price."),
  unpriced: z.number().describe("Tokens of unknown price: they stand beside the cost."),
  timeMs: z.number().describe("In model calls and actions."),
});

export type ReportSpent = z.output<typeof spent>;

export const WAITING_KINDS = ["question", "halted", "parked", "paused", "start", "dead"] as const;

const waiting = z.object({
  kind: z.enum(WAITING_KINDS),
  id: z.string().describe("As the command takes it: a question, a dead letter, an agent; empty: the legion."),
  agent: z.string(),
  text: z.string().describe("What is asked, or why it stands still."),
  since: timeOrNot,
  way: z.string().describe("The command that goes on."),
});

export type ReportWaiting = z.output<typeof waiting>;

/** What matters most is first. */
export const ASKED_STATES = [
  ...["asks", "parked", "refused", "unanswered", "waiting", "working", "answered", "told"],
] as const;

export type AskedState = (typeof ASKED_STATES)[number];

const asked = z.object({
  root: z.string().describe("The id of the first message."),
  from: z.enum(["person", "program", "runtime", "agent"]).describe("Who began it."),
  agent: z.string().describe("To whom it was said."),
  times: z.number().describe("How often the runtime said the same."),
  text: z.string().nullable().describe("How it begins; null if no log has it."),
  at: timeOrNot,
  state: z
    .enum(ASKED_STATES)
    .describe(
      "asks: an agent waits for the person's answer. parked: one stands still. refused: it could not be delivered. unanswered: nobody " +
        "works on it, and none said anything to the person; what the runtime said is told. waiting: for what `why` says. working: it goes on.",
    ),
  why: z.string().describe("A sentence; may be empty."),
  answer: z
    .object({
      ...{ agent: z.string(), at: time, text: z.string(), isCut: z.boolean() },
      receipts: z
        .array(z.string())
        .readonly()
        .describe("What it cites, a line each: what is recorded of it, when it was sent and today."),
    })
    .nullable()
    .describe("The newest that an agent said to the person of it, in its words."),
  answers: z.number().describe("How many there were."),
  agents: z.array(z.string()).readonly().describe("Who worked on it."),
  spent: spent.describe("Since it was asked."),
  files: z.number().describe("Changed for it, as far as that is known, each for each agent."),
  moreFiles: z.number().describe("So many changes of commands more are counted, and not listed in any log."),
  commands: z.number().describe("That ran for it; `legion undo <root>` says what of it can be taken back."),
});

export type ReportAsked = z.output<typeof asked>;

/** In the order in which they are told. */
export const ODD_KINDS = [
  ...["damage", "gap", "clock", "outage", "start", "restart", "park", "loop", "knot", "failed", "untaken"],
] as const;

export type OddKind = (typeof ODD_KINDS)[number];

const odd = z.object({
  kind: z.enum(ODD_KINDS),
  text: z.string(),
  count: z.number(),
  isMore: z.boolean().describe("There were more than logs' digests keep."),
  agents: z.array(z.string()).readonly(),
  at: timeOrNot,
  until: timeOrNot,
  way: z.string().describe("The command that shows it; may be empty."),
});

export type ReportOdd = z.output<typeof odd>;

const forWhat = {
  agent: z.string(),
  cause: z.string().nullable().describe("The first message that it was done for; null: before any."),
  asked: z.string().nullable().describe("How that begins; null if no log has it."),
  times: z.number(),
  seq: z.number().describe("The newest event of the agent's log that tells of it."),
  at: time,
};

/** A file that was changed. */
export const changedSchema = z.object({
  path: z.string().describe("As the call named it; of a command relative to the agent's workspace."),
  from: z.string().optional().describe("Where it was moved from."),
  besides: z
    .number()
    .describe(
      "So many more files that the same command alone changed: they have no lines of their own, unless all are told.",
    ),
  does: z.enum(["created", "changed", "moved", "deleted"]).describe("In all of it."),
  ...forWhat,
  added: z.number().describe("Lines."),
  removed: z.number().describe("Lines."),
  diff: z.string().describe("Oldest first; empty where none was recorded."),
  isCut: z.boolean().describe("There is more of it."),
  commands: z
    .number()
    .describe("How many of the times it was a command: of those no difference is recorded."),
  command: z.string().nullable().describe("How the newest of these begins; null: there is none."),
  commandSeq: z.number().nullable().describe("The event that tells of that one."),
  isShared: z
    .boolean()
    .describe("Other commands ran beside one of these: nobody knows which of them it was."),
  takenBack: z.number().describe("How many of the times were taken back, as far as that is known."),
});

export type ReportChanged = z.output<typeof changedSchema>;

/** Runs of a command that came to the same. */
export const commandSchema = z.object({
  command: z.string().describe("How it begins."),
  outcome: z.enum(["ok", "error", "interrupted"]).describe("interrupted: nobody knows what came of it."),
  exit: z.number().nullable().describe("Its exit code; null: none is recorded."),
  files: z.number().nullable().describe("How many files it changed, each time; null: nobody knows."),
  isShared: z.boolean().describe("Other commands ran meanwhile: nobody knows which of them changed these."),
  unknown: z
    .string()
    .nullable()
    .describe("Why it is not known what it changed, or what besides these; null: nobody looked, or all is."),
  ...forWhat,
});

export type ReportCommand = z.output<typeof commandSchema>;

export const groupOf = <T extends z.ZodType>(item: T) =>
  z.object({
    ...{ items: z.array(item).readonly(), total: z.number() },
    isMore: z.boolean().describe("There were more than `total`: of each log the newest are known."),
  });

export interface ReportGroup<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly isMore: boolean;
}

export const reportSchema = z.object({
  since: z.string().nullable().describe("ISO 8601; null: all that is recorded."),
  until: time,
  agents: z.number().describe("How many there are."),
  worked: z.number().describe("How many of them made a step."),
  spent: spent.describe(
    "By when model calls began, to the minute, or to the hour or day where that is long ago.",
  ),
  states: z.partialRecord(z.enum(ASKED_STATES), z.number()).describe("Of all that was asked."),
  waiting: groupOf(waiting),
  asked: groupOf(asked),
  odd: groupOf(odd),
  changed: groupOf(changedSchema),
  commands: groupOf(commandSchema).describe("With what is known of the files that they changed."),
});

export type Report = z.output<typeof reportSchema>;
