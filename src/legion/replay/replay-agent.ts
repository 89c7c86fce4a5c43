// Runs an agent again from its own log: the real actor, view, prompt, protocol and modules of today, over a memory that
// gets its events from the tape. Each start of the recorded process is a start of the agent, with the real recovery.
// Nothing is written, asked, run or sent.

import { runActor } from "../../agent/actor.ts";
import type { Agent, Shared } from "../../agent/parts/agent.ts";
import { RESTING, createPresence } from "../../agent/parts/presence.ts";
import type { Inbox } from "../../mail/bus.ts";
import { createClock, type Clock } from "../../base/clock.ts";
import type { Difference } from "./difference.ts";
import { LegionError, messageOf } from "../../base/errors.ts";
import { sendsOf, type Event } from "../../domain/event.ts";
import { meterModel } from "../../agent/parts/metered-model.ts";
import { openModules } from "../../agent/act/module-host.ts";
import type { AgentState } from "../../domain/inspection.ts";
import type { AgentPlan } from "../agent-plan.ts";
import type { EventLog } from "../../past/event-log.ts";
import { CONTROL, displayName, parseMessageId } from "../../domain/message.ts";
import { openMemory } from "../../past/past.ts";
import type { Workplace } from "../../agent/parts/workplace.ts";
import { closedWorkplace } from "../shared-host.ts";
import { createPlayhead, type Playhead } from "./playhead.ts";
import { byId, type Reader } from "../../storage/contract/reader.ts";
import { SHUTDOWN } from "../../base/signals.ts";
import { createSpeech } from "../../agent/parts/speech.ts";
import {
  createStandInBudget,
  createStandInLimiter,
  createStandInModel,
  interruptAgain,
  passEvent,
  performAgain,
  wasNews,
  type Player,
} from "./stand-ins.ts";
import { isOwn, type Tape } from "./recording.ts";
import { createTenure } from "../../domain/lease.ts";
import { createTokenCounter, type TokenCounter } from "../../model/tokens.ts";
import type { Evidence } from "../../agent/parts/command-trace.ts";

export interface ReplayOptions {
  /** Of the recorded legion. */
  readonly reader: Reader;
  /** What its agents look at as their workspace. */
  readonly project: string;
  readonly tape: Tape;
  /** The agent as it would be made today for the model of that name, or for the newest one. */
  readonly planFor: (model: string | undefined) => Promise<AgentPlan>;
  readonly settings: Workplace["settings"];
  /** Told after each decision how many there were. */
  readonly onDecision?: (decisions: number) => void;
}

export interface Replayed {
  /** How many were the same. */
  readonly decisions: number;
  /** Absent: everything is as it was recorded. */
  readonly difference?: Difference;
}

/** Replays `tape` to its end, or to the first difference. */
export async function replayAgent(options: ReplayOptions): Promise<Replayed> {
  const head = createPlayhead(options.tape);
  const tokens = createTokenCounter();
  try {
    for (;;) {
      head.begin();
      const why = head.edge ?? (await replayProcess(options, head, tokens));
      if (why === "end") return { decisions: head.passed.decisions };
      if (why !== "start") return { decisions: head.passed.decisions, difference: why };
    }
  } finally {
    await tokens.close();
  }
}

/** What one process did with the agent, from its start to where it ended. */
async function replayProcess(
  options: ReplayOptions,
  head: Playhead,
  tokens: TokenCounter,
): Promise<"end" | "start" | Difference> {
  const ending = new AbortController();
  let left: "end" | "start" | Difference | undefined;
  const player: Player = {
    agent: options.tape.agent,
    head,
    reader: options.reader,
    asked: undefined,
    interruption: undefined,
    over: ending.signal,
    leave(why) {
      left ??= why;
      ending.abort(SHUTDOWN);
    },
  };
  const agent = await openAgent(options, player, tokens);
  try {
    while (!left) {
      const before = head.passed.events;
      // What the supervisor would judge: what came of it is on the tape.
      const thrown = await runActor(agent, ending.signal, ending.signal).catch((error: unknown) => error);
      if (left) break;
      await agent.memory.commit();
      if (head.passed.events === before) leaveAt(player, `it is stopped: ${messageOf(thrown)}`);
    }
  } finally {
    await agent.modules.close();
  }
  return left;
}

/** The agent does something, or nothing, where something else comes next on its tape. */
function leaveAt({ agent, head, leave }: Player, today: string): void {
  const next = head.next();
  if (next) leave({ agent, seq: next.seq, part: `event ${next.seq}`, recorded: next.kind, today });
  else leave(head.edge ?? "end");
}

async function openAgent(options: ReplayOptions, player: Player, tokens: TokenCounter): Promise<Agent> {
  const { reader, planFor, onDecision } = options;
  const { head } = player;
  const plan = await planFor(head.model());
  const { identity } = plan;
  const model = createStandInModel(plan.model, player, () => agent);
  const speech = createSpeech(plan, model);
  const shared = await shareTape(options, player);
  const presence = createPresence(identity.id, shared);
  const tenure = createTenure({ agent: identity.id, epoch: 0, token: "", past: "whole" });
  const memory = await openMemory(
    {
      agent: identity.id,
      view: speech,
      inspect: ({ kind, ...seen }) => {
        if (kind === "event" && "event" in seen && seen.event.kind === "decision")
          onDecision?.(head.passed.decisions);
      },
      projector: { write: nothing, reconcile: () => Promise.resolve([]) },
    },
    (each) => {
      head.past().forEach(each);
      return Promise.resolve({ log: createTapeLog(player), findings: [] });
    },
  );
  const blobs = reader.blobs(identity.id);
  const meter = { budget: createStandInBudget(player), limiter: createStandInLimiter(), tokens };
  const metered = meterModel(model, { ...meter, memory, blobs, tenure, limits: {}, presence });
  const workplace = closedWorkplace({ ...options, peers: await peersOf(options) }, refuse);
  const agent: Agent = {
    presence,
    tenure,
    model: metered,
    speech,
    settings: plan.memory,
    tickMs: 0,
    delayMs: 0,
    memory,
    inbox: createTapeInbox(player),
    perform: (call) => performAgain(player, agent, call),
    outbox: { deliver: nothing, offerAgain: nothing, undelivered: () => [], close: nothing },
    modules: openModules(speech, { identity, memory, model: metered, blobs, workplace }),
    evidence: () => Promise.resolve(recordedEvidence(head)),
    shared,
  };
  return agent;
}

/** What the agent shares with others, as far as its tape knows of it. */
async function shareTape(options: ReplayOptions, player: Player): Promise<Shared> {
  const { head } = player;
  return {
    clock: createTapeClock(head),
    inspect(seen) {
      if (seen.kind === "live:state" && RESTS.has(seen.state)) leaveAt(player, "it waits for mail");
    },
    peers: await peersOf(options),
    unread: () => Promise.resolve(0),
    tellControl: () => undefined,
    isNews: () => wasNews(player),
    announceHops: nothing,
  };
}

const RESTS: ReadonlySet<AgentState> = new Set<AgentState>(["idle", ...Object.values(RESTING)]);

/** What was found of the call that a crash had cut off, if a recovery comes next. */
function recordedEvidence(head: Playhead): Evidence | undefined {
  const next = head.next();
  if (next?.kind !== "result" || next.outcome !== "interrupted") return undefined;
  return (next.details as { readonly evidence?: Evidence } | undefined)?.evidence;
}

const nothing = (): Promise<void> => Promise.resolve();

function refuse(): Promise<never> {
  return Promise.reject(new LegionError("REFUSED", "This agent is only replayed."));
}

/** Nobody waits for anything; it is as late as it was. */
function createTapeClock(head: Playhead): Clock {
  const { beat } = createClock();
  return { now: () => Date.parse(head.next()?.at ?? new Date().toISOString()), beat, sleep: nothing };
}

/** A log that takes only what was recorded, and gives it out as it was, with what came from outside around it. */
function createTapeLog(player: Player): EventLog {
  const { head } = player;
  return {
    id: head.passed.log,
    get last() {
      return head.passed.last?.seq ?? 0;
    },
    async append(events) {
      const passed: Event[] = [];
      // What else it would tell of stands on the tape as well, and is put in from there.
      for (const event of events.filter(isOwn)) passed.push(...head.passOutside(), passEvent(player, event));
      return [...passed, ...head.passOutside()];
    },
    note(event) {
      if (isOwn(event)) return passEvent(player, event);
      const { seq = 0, epoch = 0, at = "" } = head.passed.last ?? {};
      return { ...event, seq, epoch, at };
    },
    async *read(from = 1) {
      for (const event of head.past()) if (event.seq >= from) yield event;
    },
    close: nothing,
  };
}

/** Holds the mail that the next decision was shown. */
function createTapeInbox(player: Player): Inbox {
  const { head } = player;
  return {
    get unread() {
      return head.mail().length;
    },
    peek: () => head.mail().map(({ mail, from, message }) => ({ position: mail, from, message })),
    taken: () => undefined,
    // Whoever rests is left.
    wait: nothing,
    interrupt: () => interruptAgain(player),
    close: nothing,
  };
}

/** Whoever is known today, and whoever was written to. */
async function peersOf({ reader, tape }: ReplayOptions): Promise<Workplace["peers"]> {
  const ids = new Set([tape.agent, ...(await reader.known())]);
  for (const { event } of tape.events) for (const { id } of sendsOf(event)) ids.add(parseMessageId(id).to);
  ids.delete(CONTROL);
  const peers = await Promise.all(
    [...ids].sort(byId).map(async (id) => {
      const { description = "" } = await reader.record(id);
      return { id, name: displayName(id), description, running: true };
    }),
  );
  return () => Promise.resolve(peers);
}
