// One line of `legion ps`: of an agent that a node runs, and of one that only its files tell about.

import { RESTING, type Agent } from "./agent.ts";
import { openCalls, totalUsage, type Ledger, type Send } from "./ledger.ts";
import type { AgentState } from "./inspection.ts";
import { displayName, type AgentId } from "./message.ts";
import type { Reader } from "./reader.ts";

export interface AgentStatus {
  readonly id: AgentId;
  readonly name: string;
  readonly state: AgentState;
  /** Why, where that is not plain; may be empty. */
  readonly reason: string;
  /** What has to happen before it goes on. */
  readonly waitingFor: string;
  /** ISO 8601: since when it is in this state; `null` if nobody knows. */
  readonly since: string | null;
  /** Messages that it has not taken in. */
  readonly unread: number;
  readonly steps: number;
  readonly tokens: number;
  /** US dollars; 0 is free, `null` is unknown. */
  readonly cost: number | null;
  readonly model: string | null;
  /** The process that runs it, `<pid>@<host>`; `null` if none does. */
  readonly node: string | null;
}

/** The status of an agent that the process `node` runs. */
export function liveStatus(agent: Agent, node: string): AgentStatus {
  const { identity, memory, model, inbox, outbox, standing } = agent;
  const { ledger } = memory;
  const undelivered = outbox.undelivered();
  const facts = { id: identity.id, unread: inbox.unread, model: model.name, undelivered };
  const { state, reason, since } = standing;
  if (state === "stopped") return toStatus(ledger, facts, resting(ledger, since));
  const waitingFor = state === "acting" ? currentAction(ledger) : awaited(state, ledger);
  return toStatus(ledger, facts, { state, reason, waitingFor, since, node });
}

/** The status of an agent that no process runs. */
export async function storedStatus(id: AgentId, reader: Reader): Promise<AgentStatus> {
  const ledger = await reader.ledger(id);
  const unread = (await reader.unread(id, ledger)).length;
  const { model = null } = await reader.record(id);
  return toStatus(
    ledger,
    { id, unread, model, undelivered: ledger.undelivered },
    resting(ledger, ledger.at || null),
  );
}

interface Facts extends Pick<AgentStatus, "id" | "unread" | "model"> {
  /** What the agent sent that is not in its recipient's mailbox yet. */
  readonly undelivered: readonly Send[];
}
type Posture = Pick<AgentStatus, "state" | "reason" | "waitingFor" | "since" | "node">;

function resting(ledger: Ledger, since: string | null): Posture {
  const { halt } = ledger;
  const state = halt ? RESTING[halt.reason] : "stopped";
  const waitingFor = awaited(state, ledger);
  return { state, reason: halt?.content ?? "", waitingFor, since: halt?.since ?? since, node: null };
}

function toStatus(ledger: Ledger, { id, unread, model, undelivered }: Facts, posture: Posture): AgentStatus {
  const { state, reason, waitingFor, since, node } = posture;
  const { steps } = ledger.spent;
  const { input, output, cost = steps === 0 ? 0 : null } = totalUsage(ledger);
  const tokens = input + output;
  const name = displayName(id);
  const why = reason || undeliveredReason(undelivered);
  return { id, name, state, reason: why, waitingFor, since, unread, steps, tokens, cost, model, node };
}

/** Empty if everything is delivered. */
function undeliveredReason(undelivered: readonly Send[]): string {
  if (undelivered.length === 0) return "";
  const to = [...new Set(undelivered.map((send) => displayName(send.to)))].join(", ");
  return `${undelivered.length} undelivered to ${to}`;
}

const AWAITED: Readonly<Record<AgentState, string>> = {
  idle: "mail",
  waiting: "its tick",
  thinking: "the model",
  acting: "its action",
  retrying: "another try",
  paused: "resume",
  parked: "resume",
  halted: "a restart",
  stopped: "start",
};

function awaited(state: AgentState, { halt }: Ledger): string {
  if (state === "parked" && halt?.reason === "parked-mail") return "mail, resume";
  if (state === "parked" && halt?.reason === "parked-limit") return "limit, resume";
  return AWAITED[state];
}

function currentAction(ledger: Ledger): string {
  return openCalls(ledger)[0]?.action ?? AWAITED.acting;
}
