// One line of `legion ps`: of an agent that a node runs, and of one that only its files tell about.

import type { Agent } from "../agent/parts/agent.ts";
import { modeAfter } from "../agent/act/mode.ts";
import { RESTING, YOUR_ACTION, type Standing } from "../agent/parts/presence.ts";
import { createConversation, openCalls } from "../past/conversation.ts";
import type { ConversationAtRest, RestingConversation } from "../past/digest/at-rest.ts";
import type { StandingAtRest } from "../past/digest/standing.ts";
import { createLedger, ownCall, totalUsage } from "../past/ledger.ts";
import { z } from "zod";
import { dayOf } from "../base/calendar.ts";
import { isLegionError } from "../base/errors.ts";
import { AGENT_STATES, type AgentState } from "../domain/inspection.ts";
import { displayName, type AgentId } from "../domain/message/message.ts";
import { limitsHeld } from "../past/limits/held-limits.ts";
import { limitsSchema } from "../domain/limits-schema.ts";
import type { Limits } from "../domain/limits.ts";
import { MODES } from "../domain/supervision.ts";
import { isResting } from "../past/waiting/resting.ts";
import { openQuestion } from "../past/questions.ts";
import { questionId } from "../domain/policy/verdict.ts";
import type { Branch } from "../past/fold.ts";
import { foreign } from "../storage/contract/foreign.ts";
import type { AgentAtRest, Followed, Reader } from "../storage/contract/reader.ts";
import { waitSchema, waitsOf, type WaitingAgent } from "./waits.ts";

/** As it also travels from a node to whoever asks. */
export const agentStatusSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    state: z.enum(AGENT_STATES),
    reason: z.string().describe("Why, where that is not plain; may be empty."),
    waitingFor: z.string().describe("What has to happen before it goes on."),
    since: z.string().nullable().describe("ISO 8601: since when it is in this state; null if nobody knows."),
    unread: z.number().describe("Messages that it has not taken in."),
    held: z.number().describe("Messages that it has taken in and reads later, such as follow-ups."),
    steps: z.number(),
    tokens: z.number(),
    cost: z.number().nullable().describe("US dollars; 0 is free, null is unknown."),
    limits: limitsSchema.optional().describe("What it may spend; absent: nobody knows, or has said."),
    workedMs: z.number().optional().describe("Its working time; absent: that is not limited."),
    model: z.string().nullable(),
    node: z.string().nullable().describe("The process that runs it, <pid>@<host>; null if none does."),
    // Nodes of the version before say nothing of these.
    waits: z
      .array(waitSchema)
      .readonly()
      .default([])
      .describe("What it waits for while it does nothing, what matters most first."),
    mode: z.enum(MODES).default("usual").describe("How a person watches over it."),
    workspace: z
      .literal("worktree")
      .optional()
      .describe("It works in a git worktree of its own; absent: in the project's folder."),
  })
  .readonly();

export type AgentStatus = z.infer<typeof agentStatusSchema>;

/** Is it at something, or about to be? */
export function canBeAborted({ state, unread, node }: AgentStatus): boolean {
  return node !== null && state !== "stopped" && (state !== "idle" || unread > 0);
}

/** The status of an agent that the process `node` runs; of one that could not be opened little is known. */
export function liveStatus(
  id: AgentId,
  { agent, standing }: { readonly agent: Agent | undefined; readonly standing: Standing },
  node: string,
): AgentStatus {
  const { state, since } = standing;
  // What it waits for names the question.
  const reason = state === "asking" ? "" : standing.reason;
  if (!agent) return unopened(id, { state, reason, waitingFor: AWAITED[state], since, node });
  const { memory, model, inbox, sources, outbox, allowance } = agent;
  const { ledger, conversation } = memory;
  const workspace = agent.workplace.workspace.branch === undefined ? undefined : "worktree";
  const mode = modeAfter(inbox.ahead(), conversation.run);
  const unread = inbox.unread + (sources?.waiting ?? 0);
  const mail = { unread, undelivered: outbox.undelivered(), peers: memory.peers() };
  const rests = isResting(conversation) && !agent.sources && !agent.background.isRunning();
  const facts = { id, ...mail, rests, model: model.name, mode, workspace, limits: allowance.held() } as const;
  if (state === "stopped")
    return toStatus(ledger, { ...facts, conversation }, resting(id, conversation, since));
  const waitingFor =
    state === "acting"
      ? (openCalls(conversation)[0]?.action ?? AWAITED.acting)
      : awaited(state, conversation, id);
  return toStatus(ledger, { ...facts, conversation }, { state, reason, waitingFor, since, node });
}

/** The status of an agent that `node` runs and that has never done anything. */
export function restingStatus(
  known: Pick<StatusFacts, "id" | "model" | "limits" | "workspace">,
  { since, node }: RestMoment,
): AgentStatus {
  return toStatus(createLedger(), { ...nothingDone(), ...known, mode: "usual" }, idle({ since, node }));
}

/** The status of an agent that `node` runs and has closed, since it has nothing to do. */
export async function closedStatus(id: AgentId, reader: Reader, moment: RestMoment): Promise<AgentStatus> {
  const told = async () => ({ status: statusAtRest(id, await reader.atRest(id), idle(moment)) });
  return (await unlessUnreadable(id, told)).status;
}

type RestMoment = Pick<Posture, "since" | "node">;

function idle(moment: RestMoment): Posture {
  return { state: "idle", reason: "", waitingFor: AWAITED.idle, ...moment };
}

/** The status of an agent that no process runs; of one whose files cannot be read, why. */
export async function storedStatus(id: AgentId, reader: Reader): Promise<AgentStatus> {
  const told = async () => ({ status: statusAtRest(id, await reader.atRest(id)) });
  return (await unlessUnreadable(id, told)).status;
}

/** So many are read at once: most of the time the disk is waited for, or Redis, which is asked for all of them in one turn. */
const AT_ONCE = 32;

/** The same of each of them. */
export async function storedStatuses(
  ids: readonly AgentId[],
  reader: Reader,
): Promise<ReadonlyMap<AgentId, AgentStatus>> {
  const statuses = new Map<AgentId, AgentStatus>();
  const left = ids.values();
  const readOn = async (): Promise<void> => {
    for (const id of left) statuses.set(id, await storedStatus(id, reader));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readOn));
  return statuses;
}

/** How an agent stood at an earlier moment. Whether a process ran it then, its log does not tell. */
export function statusThen(
  id: AgentId,
  { ledger, conversation, peers }: StandingAtRest,
  { unread, model = null }: { readonly unread: number; readonly model?: string | null },
): AgentStatus {
  const rests = conversation.isResting;
  const facts = { id, conversation, peers, undelivered: ledger.undelivered, rests, unread, model };
  const { halt, questions, run } = conversation;
  const state = halt ? RESTING[halt.reason] : doingThen(ledger, openQuestion(questions), unread);
  const posture = {
    state,
    reason: halt?.content ?? "",
    since: halt?.since ?? (ledger.at || null),
    node: null,
  };
  const waitingFor = awaited(state, conversation, id);
  return toStatus(ledger, { ...facts, mode: run.mode, workspace: undefined }, { ...posture, waitingFor });
}

function doingThen(
  ledger: StandingAtRest["ledger"],
  question: object | undefined,
  unread: number,
): AgentState {
  if (question) return "asking";
  if (ownCall(ledger)) return "thinking";
  if (ledger.refusedMs > 0) return "retrying";
  if (ledger.pending > 0) return "acting";
  return unread > 0 ? "waiting" : "idle";
}

export interface StoredStanding<B extends Branch> {
  readonly status: AgentStatus;
  /** What `create` made of its log, and what that adds up to; absent: it cannot be read, or somebody else wrote it. */
  readonly past?: Pick<Followed<B>, "branch" | "ledger">;
}

/** The same with what its log comes to, which is read once. */
export async function storedStanding<B extends Branch>(
  id: AgentId,
  reader: Reader,
  create: () => B,
): Promise<StoredStanding<B>> {
  return unlessUnreadable(id, async () => {
    const { ledger, branch, peers } = await reader.follow(id, create);
    const conversation = { ...branch.conversation, isResting: isResting(branch.conversation) };
    const [record, isForeign] = await Promise.all([reader.record(id), reader.isForeign(id)]);
    const unread = await reader.unread(id, ledger);
    const standing = { ledger, conversation, peers };
    const status = statusAtRest(id, { standing, record, isForeign, unread });
    return isForeign ? { status } : { status, past: { branch, ledger } };
  });
}

async function unlessUnreadable<S>(
  id: AgentId,
  read: () => Promise<S>,
): Promise<S | { readonly status: AgentStatus }> {
  try {
    return await read();
  } catch (error) {
    if (!isLegionError(error)) throw error;
    return { status: unopened(id, { ...HALTED, reason: error.message, waitingFor: AWAITED.halted }) };
  }
}

const HALTED = { state: "halted", since: null, node: null } as const;

function nothingDone() {
  const conversation = createConversation();
  return { unread: 0, undelivered: [], rests: false, peers: new Map(), conversation };
}

function unopened(id: AgentId, posture: Posture): AgentStatus {
  return toStatus(createLedger(), { id, ...nothingDone(), model: null, mode: "usual" }, posture);
}

/** @param run how it stands in the process that runs it; absent: none does */
function statusAtRest(id: AgentId, told: ToldAtRest, run?: Posture): AgentStatus {
  const { standing: stood, record, isForeign, unread: mail } = told;
  const { ledger, conversation, peers } = stood;
  const { model = null, workspace, limits, observe } = record;
  const mode = modeAfter(mail, conversation.run);
  const standing = { conversation, peers, undelivered: ledger.undelivered };
  const held = { limits: limitsHeld(limits ?? {}, ledger.limits) };
  const rests = conversation.isResting && observe === undefined;
  const facts = { id, ...standing, rests, unread: mail.length, model, mode, workspace, ...held };
  const waiting = { ...HALTED, reason: foreign(id).message, waitingFor: "your word" };
  const posture = isForeign ? waiting : (run ?? resting(id, conversation, ledger.at || null));
  return toStatus(ledger, facts, posture);
}

interface ToldAtRest extends Omit<AgentAtRest, "standing"> {
  readonly standing: StatusAtRest;
}

interface StatusAtRest extends Omit<StandingAtRest, "conversation"> {
  readonly conversation: ConversationAtRest & Pick<RestingConversation, "isResting">;
}

interface StatusFacts
  extends
    Pick<AgentStatus, "id" | "unread" | "model" | "mode" | "workspace" | "limits">,
    Pick<WaitingAgent, "undelivered" | "peers" | "conversation" | "rests"> {}
type Posture = Pick<AgentStatus, "state" | "reason" | "waitingFor" | "since" | "node">;

function resting(id: AgentId, conversation: ConversationAtRest, since: string | null): Posture {
  const { halt } = conversation;
  const state = halt ? RESTING[halt.reason] : "stopped";
  const waitingFor = awaited(state, conversation, id);
  return { state, reason: halt?.content ?? "", waitingFor, since: halt?.since ?? since, node: null };
}

function toStatus(ledger: StandingAtRest["ledger"], facts: StatusFacts, posture: Posture): AgentStatus {
  const { id, unread, model, mode, workspace, limits = {}, undelivered } = facts;
  const { state, reason, waitingFor, since, node } = posture;
  const { steps } = ledger.spent;
  const held = ledger.heldMail.now.size;
  const { input, output, cost = steps === 0 ? 0 : null } = totalUsage(ledger);
  const tokens = input + output;
  const name = displayName(id);
  const why = reason || undeliveredReason(undelivered);
  const spent = { steps, tokens, cost, ...limited(limits, ledger) };
  const waits = waitsOf({ ...facts, state, since });
  const standing = { id, name, state, reason: why, waitingFor, since, waits, unread, held, ...spent, model };
  return { ...standing, node, mode, ...(workspace && { workspace }) };
}

function limited(limits: Limits, { spent }: Pick<StandingAtRest["ledger"], "spent">) {
  if (Object.values(limits).every((limit) => limit === undefined)) return {};
  return { limits, ...(limits.timeMs !== undefined && { workedMs: spent.workingMs }) };
}

function undeliveredReason(undelivered: StatusFacts["undelivered"]): string {
  if (undelivered.length === 0) return "";
  const to = [...new Set(undelivered.map((send) => displayName(send.to)))].join(", ");
  return `${undelivered.length} undelivered to ${to}`;
}

const AWAITED: Readonly<Record<AgentState, string>> = {
  idle: "mail",
  waiting: "its tick",
  thinking: "the model",
  acting: "its action",
  asking: "your answer",
  retrying: "another try",
  paused: "resume",
  parked: "resume",
  halted: "its disk",
  stopped: "start",
};

function awaited(state: AgentState, { halt, questions }: ConversationAtRest, agent: AgentId): string {
  const question = halt ? undefined : openQuestion(questions);
  if (state === "asking" && !question) return YOUR_ACTION;
  const answer = question ? `approve ${questionId({ agent, seq: question.seq })}` : undefined;
  if (answer !== undefined && (state === "asking" || state === "stopped"))
    return state === "asking" ? answer : `start, ${answer}`;
  if (halt?.reason === "halted") return "resume";
  if (state === "parked" && halt?.reason === "parked-mail") return "mail, resume";
  if (state === "parked" && halt?.reason === "parked-limit")
    return halt.until === undefined ? "limit, resume" : `${dayOf(Date.parse(halt.until))}, limit, resume`;
  return AWAITED[state];
}
