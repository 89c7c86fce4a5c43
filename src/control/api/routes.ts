// Everything that a running node can be asked, in one table. The control socket and Redis serve it, the commands' client is
// made from it, and /v1/openapi.json describes it.

import { z } from "zod";
import { MAX_CONTENT_BYTES } from "../../domain/message/message.ts";
import { MODES } from "../../domain/supervision.ts";
import { limitsChoiceSchema, limitsSchema } from "../../domain/limits-schema.ts";
import { agentStatusSchema } from "../../legion/status.ts";
import { serverStatusSchema } from "../../domain/authoring/server-status.ts";
import { undoOrderSchema, undoReportSchema } from "../../domain/undo/report.ts";
import { forkOrderSchema, forkedSchema } from "../../legion/fork.ts";

export interface Route {
  /** On the socket it stands under `/v1`; over Redis it is as it is. */
  readonly path: `/${string}`;
  /** `get`: it changes nothing, and its question is empty. */
  readonly method: "get" | "post";
  readonly summary: string;
  /** A strict object. The description of each field says what is expected there, as a refusal says it. */
  readonly question: z.ZodType;
  readonly answer: z.ZodType<object>;
}

const MAX_LISTED = 10_000;

const nothing = z.strictObject({}).prefault({});
const ids = z.array(z.string()).min(1).max(MAX_LISTED).readonly();
const targets = z.union([z.literal("all"), ids]).describe("all, or a list of agent ids");
const soon = z.literal("soon").describe("It happens once the step that the agent is at is finished.");

const text = z.string().regex(/\S/).max(MAX_CONTENT_BYTES).describe("a text of at most 1 MiB");
const request = z
  .string()
  .regex(/^[\w.:-]{1,128}$/)
  .describe("the program's own name for this call: up to 128 letters, digits and . : _ -");
const relayed = z.object({
  ids: z.array(z.string()).readonly().describe("Of the messages."),
  to: z.array(z.string()).readonly().describe("Whom they are to, in the same order."),
  seq: z.number().describe("The event of log 0 that says it."),
  isRepeated: z.boolean(),
});

const obeyed = z
  .object({
    id: z.string(),
    outcome: z.union([z.literal("done"), soon, z.literal("already").describe("It changed nothing.")]),
  })
  .readonly();

const limited = z
  .object({
    id: z.string(),
    outcome: z.union([z.literal("done"), soon]),
    limits: limitsSchema.describe("What it may spend then."),
  })
  .readonly();

const resent = z.discriminatedUnion("outcome", [
  z.object({
    id: z.string(),
    outcome: z.literal("done"),
    sends: z.array(z.string()).readonly().describe("Ids of the new messages."),
  }),
  z.object({ id: z.string(), outcome: soon }),
  z.object({ id: z.string(), outcome: z.literal("refused"), reason: z.string() }),
]);

export const nodeServer = serverStatusSchema
  .unwrap()
  .extend({ node: z.string().describe("The process that speaks with it, <pid>@<host>.") })
  .readonly();

const goesOnFrom = z
  .number()
  .describe(
    "The event that it goes on from: of a decision, the last result; before one that was not finished.",
  );

export const ROUTES = {
  status: {
    path: "/status",
    method: "get",
    summary: "What every agent does that this node runs, and how the servers are that they use.",
    question: nothing,
    answer: z.object({
      agents: z.array(agentStatusSchema).readonly(),
      // Nodes of the version before tell of none.
      servers: z.array(nodeServer).readonly().default([]),
      limits: limitsSchema
        .nullable()
        .default(null)
        .describe("What all agents of the legion may spend together; null: nobody says."),
    }),
  },
  say: {
    path: "/say",
    method: "post",
    summary:
      "Says something to agents, as the person. An abort, which interrupts what runs, is for those alone that are busy; a steer " +
      "lets what runs finish and begins nothing further; a follow-up waits until they are done.",
    question: z.strictObject({
      targets,
      content: z.string().regex(/\S/).describe("a text"),
      delivery: z
        .enum(["normal", "abort", "steer", "follow-up"])
        .optional()
        .describe("normal, abort, steer or follow-up"),
    }),
    answer: z.object({ ids: z.array(z.string()).readonly().describe("Of the messages.") }),
  },
  relay: {
    path: "/relay",
    method: "post",
    summary:
      "Says something to agents for another program: as the person, marked as from outside. The same request again says nothing " +
      "again; its answer is that of the first time.",
    question: z.strictObject({
      targets: ids.describe("a list of agent ids"),
      content: text,
      request,
    }),
    answer: relayed,
  },
  spawn: {
    path: "/spawn",
    method: "post",
    summary:
      "Hosts a new agent for another program, and relays its task to it. The same request again is the same agent, and the same " +
      "message.",
    question: z.strictObject({
      agent: z
        .string()
        .regex(/^[\p{L}\p{N}][\p{L}\p{N}._ -]{0,63}$/u)
        .regex(/(?<!\.md)$/)
        .optional()
        .describe("the name of a definition, such as assistant"),
      task: text,
      request,
    }),
    answer: relayed.extend({ agent: z.string().describe("The id of the agent.") }),
  },
  wake: {
    path: "/wake",
    method: "post",
    summary: "Hosts known agents for another program, those that nobody runs, each as it was last started.",
    question: z.strictObject({ targets: ids.describe("a list of agent ids") }),
    answer: z.object({
      remarks: z.array(z.string()).readonly().describe("Of each that does not run, why."),
    }),
  },
  answer: {
    path: "/answer",
    method: "post",
    summary: "Answers the question of an agent whether a call may run, as the person.",
    question: z.strictObject({
      question: z.string().describe("such as 2.417"),
      verdict: z.enum(["approved", "denied"]).describe("approved or denied"),
      reason: z.string().optional().describe("why not, for the agent"),
    }),
    answer: z.object({ id: z.string().describe("Of the message.") }),
  },
  mode: {
    path: "/mode",
    method: "post",
    summary:
      "Has agents go on in another mode, as the person: confirm asks for each call with effects, yolo for none, in human the " +
      "person says the calls, usual is as the policy says.",
    question: z.strictObject({
      targets,
      mode: z.enum(MODES).describe("confirm, yolo, human, held or usual"),
    }),
    answer: z.object({ ids: z.array(z.string()).readonly().describe("Of the messages.") }),
  },
  order: {
    path: "/order",
    method: "post",
    summary: "Pauses, resumes or stops agents; says of each what came of it.",
    question: z.strictObject({
      targets,
      order: z.enum(["pause", "resume", "stop"]).describe("pause, resume, stop"),
    }),
    answer: z.object({ agents: z.array(obeyed).readonly() }),
  },
  limits: {
    path: "/limits",
    method: "post",
    summary:
      "Says what agents may spend from now on, as the person, or the legion as a whole; what is not named stays. Whoever stands still " +
      "at a limit looks again whether its next call fits.",
    question: z.strictObject({
      targets: targets.optional().describe("all, or a list of agent ids; absent: the legion as a whole"),
      limits: limitsChoiceSchema,
    }),
    answer: z.object({
      agents: z.array(limited).readonly(),
      legion: limitsSchema.nullable().describe("What all agents may spend together; null: nobody says."),
    }),
  },
  resend: {
    path: "/resend",
    method: "post",
    summary: "Sends dead letters again; says of each what came of it.",
    question: z.strictObject({ dead: ids.describe("a list of ids of dead letters") }),
    answer: z.object({ letters: z.array(resent).readonly() }),
  },
  fork: {
    path: "/fork",
    method: "post",
    summary: "Has an agent go on from an earlier moment of its past.",
    question: forkOrderSchema,
    answer: z.discriminatedUnion("outcome", [
      z.object({ to: goesOnFrom, outcome: z.literal("done"), ...forkedSchema.unwrap().shape }),
      z.object({ to: goesOnFrom, outcome: soon }),
    ]),
  },
  undo: {
    path: "/undo",
    method: "post",
    summary:
      "Takes back what agents did to files for a message, or in one event, each where it is as they left it.",
    question: undoOrderSchema,
    answer: z.discriminatedUnion("outcome", [
      undoReportSchema.extend({ outcome: z.literal("done") }),
      z.object({
        outcome: z.literal("soon").describe("It happens once the calls that run have ended."),
        waitsFor: z
          .array(z.string())
          .readonly()
          .describe("Whose calls run; the log of 0 tells then what it came to."),
      }),
    ]),
  },
  stop: {
    path: "/stop",
    method: "post",
    summary: "Asks the node to end; it answers before it does.",
    question: nothing,
    answer: z.object({ node: z.string().describe("<pid>@<host>") }),
  },
} as const satisfies Readonly<Record<string, Route>>;

export type RouteName = keyof typeof ROUTES;
export const ROUTE_NAMES = Object.keys(ROUTES) as readonly RouteName[];

export type QuestionOf<K extends RouteName> = z.output<(typeof ROUTES)[K]["question"]>;
export type AnswerOf<K extends RouteName> = z.output<(typeof ROUTES)[K]["answer"]>;

/** A running node. Every method rejects with its refusal, or with what kept it from being heard. */
export type NodeApi = { readonly [K in RouteName]: (question: QuestionOf<K>) => Promise<AnswerOf<K>> };

/** A server that the modules of a node speak with. */
export type NodeServer = z.output<typeof nodeServer>;
export type Targets = z.output<typeof targets>;
/** Something that the person says. */
export type PersonMessage = QuestionOf<"say">;
/** Something that another program says. */
export type ProgramMessage = QuestionOf<"relay">;
export type RelayAnswer = AnswerOf<"relay">;
/** An agent that another program wants. */
export type SpawnQuestion = QuestionOf<"spawn">;
export type SpawnAnswer = AnswerOf<"spawn">;
/** The person's answer to a question. */
export type AnsweredQuestion = QuestionOf<"answer">;
/** How the person wants to watch over agents. */
export type ModeOrder = QuestionOf<"mode">;
/** What agents, or all of them together, may spend from now on. */
export type LimitsOrder = QuestionOf<"limits">;
export type LimitsAnswer = AnswerOf<"limits">;
/** What came of it, for one agent. */
export type Limited = z.output<typeof limited>;
/** What the person wants of agents beside words. */
export type Order = QuestionOf<"order">;
/** What came of an order, for one agent. */
export type Obeyed = z.output<typeof obeyed>;
/** What came of sending a dead letter again. */
export type Resent = z.output<typeof resent>;
export type UndoOrder = QuestionOf<"undo">;
export type UndoAnswer = AnswerOf<"undo">;
export type ForkAnswer = AnswerOf<"fork">;
