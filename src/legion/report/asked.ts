// What was asked, and what came of it so far: of each first message who works on it, what it cost, and how it stands.

import {
  CONTROL,
  displayName,
  isMessageId,
  isPersons,
  laneOf,
  parseMessageId,
  type AgentId,
  type Message,
} from "../../domain/message/message.ts";
import { addCharge, fromRow, NO_CHARGE, type Charge } from "../../past/digest/charges/charge.ts";
import type { FirstMessage } from "../../past/shares/by-cause.ts";
import type { AgentStatus } from "../status.ts";
import type { ReportDeeds } from "./deeds.ts";
import type { DeadInLog, AgentPart } from "./part.ts";
import type { AskedState, ReportAsked, ReportSpent } from "./report.ts";

/** How it stands with an agent that a first message is the newest work of. */
interface AtWork {
  readonly status: AgentStatus;
  readonly isWorking: boolean;
}

/** What is known of one first message, over all logs. */
export interface KnownRoot {
  readonly id: string;
  first?: FirstMessage;
  readonly agents: AgentId[];
  charge: Charge;
  /** How many files were changed for it in the time that is told of, agent by agent. */
  files: number;
  /** How many more commands changed, of which no log has the paths. */
  moreFiles: number;
  /** How many commands ran for it in that time. */
  commands: number;
  readonly now: AtWork[];
  /** Who has mail of it that they did not take in. */
  readonly unread: AgentStatus[];
  /** Why nobody got it. */
  refused?: string;
  /** Something of it is of the time that is told of. */
  isTold: boolean;
}

export type Roots = ReturnType<typeof createRoots>;

const OPENING_CHARS = 500;

export function createRoots(sinceMs: number) {
  const roots = new Map<string, KnownRoot>();
  const known = (id: string): KnownRoot => {
    const root = roots.get(id) ?? unknownRoot(id);
    roots.set(id, root);
    return root;
  };
  const isSince = (at: string): boolean => !(Date.parse(at) < sinceMs);
  return {
    /** The first messages that anything is known of. */
    all: () => roots.values(),
    openingOf: (id: string): string | null => roots.get(id)?.first?.opening ?? null,
    tell: (id: string): void => void (known(id).isTold = true),
    addDeeds({ root: id, files, moreFiles, commands }: ReportDeeds["causes"][number]): void {
      const root = known(id);
      root.isTold = true;
      root.files += files;
      root.moreFiles += moreFiles;
      root.commands += commands;
    },
    addFirst(first: FirstMessage): void {
      const lane = laneOf(first);
      if (lane === "abort" || lane === "verdict") return;
      const root = known(first.id);
      root.first ??= first;
      root.isTold ||= isSince(first.sentAt);
    },
    /** What was sent and nobody took in so far. */
    addUnread(status: AgentStatus, mail: readonly Message[]): void {
      for (const message of mail) {
        if (message.id === message.root) this.addFirst({ ...message, opening: opening(message) });
        const lane = laneOf(message);
        if (lane === "verdict" || lane === "abort") continue;
        const root = known(message.root);
        if (!root.unread.includes(status)) root.unread.push(status);
      }
    },
    add(agent: AgentId, part: AgentPart, status: AgentStatus | undefined): void {
      const { firsts, causes, root, isDone } = part;
      for (const first of firsts) this.addFirst(first);
      for (const [id, charge] of causes) {
        const cause = known(id);
        cause.agents.push(agent);
        cause.charge = addCharge(cause.charge, fromRow(charge));
      }
      if (root === undefined || !status) return;
      const isWorking = !isDone;
      known(root).now.push({ status, isWorking });
      if (isWorking) known(root).isTold = true;
    },
    addDead({ mail, text, ms }: DeadInLog): void {
      if (mail.id !== mail.root) return;
      if (mail.first) this.addFirst(mail.first);
      const root = known(mail.root);
      root.refused = text;
      root.isTold ||= ms >= sinceMs;
    },
  };
}

function unknownRoot(id: string): KnownRoot {
  return {
    id,
    agents: [],
    charge: NO_CHARGE,
    files: 0,
    moreFiles: 0,
    commands: 0,
    now: [],
    unread: [],
    isTold: false,
  };
}

function opening({ content }: Message): string {
  return content.slice(0, OPENING_CHARS);
}

/** @param answered the place of what an agent said to the person of it, if any did */
export function describeRoot(
  root: KnownRoot,
  answered: object | undefined,
): Omit<ReportAsked, "answer" | "answers"> {
  const { id, first, agents, charge, files, moreFiles, commands } = root;
  return {
    ...{ root: id, from: speakerOf(root), agent: isMessageId(id) ? parseMessageId(id).to : "", times: 1 },
    ...{ text: first?.opening ?? null, at: first?.sentAt ?? null },
    ...quieter(standingOf(root, answered), speakerOf(root)),
    ...{ agents, spent: spentBy(charge), files, moreFiles, commands },
  };
}

/** What the runtime says wants no answer. */
function quieter(standing: ReturnType<typeof standingOf>, from: ReportAsked["from"]): typeof standing {
  return from === "runtime" && standing.state === "unanswered" ? { state: "told", why: "" } : standing;
}

export function spentBy({ steps, input, output, cost, unpriced, timeMs }: Charge): ReportSpent {
  return { steps, tokens: input + output, cost, unpriced, timeMs };
}

function speakerOf({ id, first }: KnownRoot): ReportAsked["from"] {
  if (first?.source.type === "user") return "runtime";
  if (first ? first.source.id !== CONTROL : !id.startsWith(`${CONTROL}>`)) return "agent";
  return !first || isPersons(first) ? "person" : "program";
}

const AT_IT: readonly AgentStatus["state"][] = ["thinking", "acting", "waiting", "retrying"];
const STILL: readonly AgentStatus["state"][] = ["parked", "paused", "halted"];

/** The first that fits. */
function standingOf(
  { now, unread, refused }: KnownRoot,
  answered: object | undefined,
): { readonly state: AskedState; readonly why: string } {
  const at = now.filter(({ isWorking }) => isWorking).map(({ status }) => status);
  const asking = at.find(({ waits }) => waits.some((wait) => wait.for === "answer"));
  if (asking) return { state: "asks", why: `${asking.name} waits for your answer.` };
  const still = [...at, ...unread, ...(answered ? [] : now.map(({ status }) => status))].find(({ state }) =>
    STILL.includes(state),
  );
  if (still)
    return { state: "parked", why: `${still.name} is ${still.state}: ${still.reason || "by your word"}` };
  const busy = at.find(({ state }) => AT_IT.includes(state));
  if (busy) return { state: "working", why: busy.state === "retrying" ? busy.reason : "" };
  if (unread.some(({ node }) => node !== null)) return { state: "working", why: "" };
  const [stopped] = [...at, ...unread];
  if (stopped) return { state: "waiting", why: `${stopped.name} does not run; a start lets it go on.` };
  if (answered) return { state: "answered", why: "" };
  if (refused !== undefined) return { state: "refused", why: refused };
  const asked = now.flatMap(({ status }) => askedBy(status));
  if (asked.length > 0) return { state: "waiting", why: asked[0]! };
  const silent = now.flatMap(({ status }) => silenceOf(status));
  return { state: "unanswered", why: silent[0] ?? "" };
}

/** Who owes an agent at rest the answer that it said it needs. */
function askedBy({ name, waits }: AgentStatus): readonly string[] {
  return waits.flatMap(({ messages, agents = [] }) =>
    messages ? [`${name} waits for the answer of ${agents.map(displayName).join(", ")}.`] : [],
  );
}

/** To whom an agent at rest wrote that said nothing since. */
function silenceOf({ name, waits }: AgentStatus): readonly string[] {
  return waits.flatMap(({ for: what, agents = [] }) =>
    what === "reply" ? [`${name} heard nothing from ${agents.map(displayName).join(", ")}.`] : [],
  );
}
