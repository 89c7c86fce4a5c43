// Runs an agent again from its own log: the real actor, view, prompt, protocol and modules of today, over a log that is the
// tape. At each start the agent is made anew from what was passed, with the real recovery. Nothing is written, asked, run
// or sent.

import { runActor } from "../../agent/actor.ts";
import { CLOSED_BACKGROUND } from "../../agent/parts/background/background.ts";
import { NO_SECRETS, type Redactor } from "../../base/redaction/redactor.ts";
import type { Workplace } from "../../agent/parts/workplace.ts";
import type { Inbox } from "../../mail/bus.ts";
import { createClock, type Clock } from "../../base/clock.ts";
import type { Difference } from "./difference.ts";
import { LegionError, messageOf } from "../../base/errors.ts";
import { sendsOf, type Event } from "../../domain/event/event.ts";
import {
  closeAgent,
  openAgent,
  type AgentPlan,
  type AgentStore,
  type AgentPlace,
} from "../hosting/agent-plan.ts";
import type { EventLog } from "../../past/log/event-log.ts";
import { CONTROL, displayName, parseMessageId } from "../../domain/message/message.ts";
import { createWrites } from "../../past/receipts/writes.ts";
import { openMemory } from "../../past/past.ts";
import { CLOSED_RULEBOOK } from "../rulebook.ts";
import { NO_MEMORIES, reachedMemories } from "../hosting/reached-memories.ts";
import { closedWorkplace } from "../hosting/shared-host.ts";
import { createPlayhead, type Playhead } from "./playhead.ts";
import { byId, type Reader } from "../../storage/contract/reader.ts";
import { aborted, SHUTDOWN } from "../../base/process/signals.ts";
import { evidenceOn, type Player } from "./stand-ins.ts";
import { onTape } from "./on-tape.ts";
import type { Tape } from "./recording.ts";
import { createTenure } from "../../domain/lease.ts";
import { createTokenCounter, type TokenCounter } from "../../model/tokens/tokens.ts";
import { UNHOSTED } from "../../storage/contract/store.ts";

export interface ReplayOptions {
  readonly reader: Reader;
  /** What its agents look at as their workspace. */
  readonly project: string;
  /** Absolute real path of its home; that of the project's own legion if absent. */
  readonly home?: string;
  readonly tape: Tape;
  /** The agent as it would be made today for the model of that name, or for the newest one. */
  readonly planFor: (model: string | undefined) => Promise<AgentPlan>;
  readonly settings: Workplace["settings"];
  /** Of what is made today; what is on the tape stays as it is. Absent: nothing is hidden. */
  readonly redactor?: Redactor;
  /** Told after each decision how many there were. */
  readonly onDecision?: (decisions: number) => void;
  /** Ends it where it is when it aborts: rejects with the reason. */
  readonly signal?: AbortSignal;
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
      const why = head.edge ?? (await replayStart(options, head, tokens));
      options.signal?.throwIfAborted();
      if (why === "end") return { decisions: head.passed.decisions };
      if (why !== "start") return { decisions: head.passed.decisions, difference: why };
    }
  } finally {
    await tokens.close();
  }
}

type Leaving = "end" | "start" | Difference;

/** What the agent did from one of its starts to where the next one, or the tape, ends it. */
async function replayStart(options: ReplayOptions, head: Playhead, tokens: TokenCounter): Promise<Leaving> {
  const { tape, planFor } = options;
  const ending = new AbortController();
  let left: Leaving | undefined;
  const leave = (why: Leaving): void => {
    left ??= why;
    ending.abort(SHUTDOWN);
  };
  /** The agent does something, or nothing, where something else comes next on its tape. */
  const leaveAt = (today: string): void => {
    const next = head.next();
    if (!next) leave(head.edge ?? "end");
    else leave({ agent: tape.agent, seq: next.seq, part: `event ${next.seq}`, recorded: next.kind, today });
  };
  const player: Player = {
    agent: tape.agent,
    head,
    reader: options.reader,
    redactor: options.redactor ?? NO_SECRETS,
    asked: undefined,
    interruption: undefined,
    isResting: false,
    over: ending.signal,
    isGiven: () => true,
    leave,
    rest: () => leaveAt("it waits for mail"),
    // Its run is over anyway: a call that failed for good throws.
    beginAnew: nothing,
    catchUp: nothing,
    begin: nothing,
  };
  const plan = onTape(await planFor(head.model()), player);
  const agent = await openAgent(plan, await createPlace(options, head, tokens));
  options.signal?.addEventListener("abort", () => leave("end"), { signal: ending.signal });
  try {
    while (!left) {
      const before = head.passed.events;
      // What the supervisor would judge: what came of it is on the tape.
      const thrown = await runActor(agent, ending.signal, ending.signal).catch((error: unknown) => error);
      if (left) break;
      await player.begin();
      if (head.passed.events === before) leaveAt(`it is stopped: ${messageOf(thrown)}`);
    }
  } finally {
    await closeAgent(agent);
  }
  return left;
}

/** Where the agent is replayed: of everything there is what its tape knows of it. */
async function createPlace(
  options: ReplayOptions,
  head: Playhead,
  tokens: TokenCounter,
): Promise<AgentPlace> {
  const peers = await peersOf(options);
  const endLeft = (): Promise<boolean> => Promise.resolve(evidenceOn(head)?.stillRan ?? false);
  return {
    store: createTapeStore(options, head),
    traces: () => ({ begin: refuse, printed: () => Promise.resolve(evidenceOn(head)?.printed) }),
    background: () => CLOSED_BACKGROUND,
    lookout: () => refuse,
    admit: refuse,
    clear: undefined,
    perform: refuse,
    rulebook: () => CLOSED_RULEBOOK,
    delayMs: 0,
    premises: {
      open({ identity, workspace: own, memories }) {
        const reached = reachedMemories(memories, NO_MEMORIES);
        const whose = { agent: identity.id, workspace: own, peers, memories: reached };
        const { workspace, ...workplace } = closedWorkplace({ ...options, ...whose }, refuse);
        return Promise.resolve({
          ...workplace,
          workspace: { ...workspace, endLeft },
          writes: createWrites(workspace.root, 0),
          environment: {
            kind: "local",
            isSandbox: false,
            description: "nowhere: nothing is run",
            variables: () => ({}),
          },
          close: () => Promise.resolve(),
        });
      },
    },
    budget: { admit: refuse, fits: refuse },
    limiter: { run: refuse },
    tokens,
    shared: {
      clock: createTapeClock(head),
      inspect: () => undefined,
      redactor: options.redactor ?? NO_SECRETS,
      known: async () => (await peers()).map(({ id }) => id),
      unread: () => Promise.resolve(0),
      tellControl: () => undefined,
      isNews: () => false,
      announceHops: nothing,
    },
  };
}

function createTapeStore({ reader, tape, onDecision }: ReplayOptions, head: Playhead): AgentStore {
  return {
    tenure: (agent) => createTenure({ agent, epoch: 0, token: "", past: "whole" }),
    projector: () => UNHOSTED.projector,
    blobs: (agent) => reader.blobs(agent),
    openAgent: (agent, options) =>
      openMemory(
        {
          ...options,
          agent,
          inspect(seen) {
            if (seen.kind === "event" && seen.event.kind === "decision") onDecision?.(head.passed.decisions);
          },
        },
        (each) => {
          head.past().forEach(each);
          return Promise.resolve({ log: createTapeLog(tape, head), findings: [] });
        },
      ),
    bus: {
      open: () => Promise.resolve(createTapeInbox(head)),
      send: () => Promise.resolve({ status: "accepted" }),
    },
  };
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

/** Gives everything out as it was: what is added to it is, in the same order, what is on the tape. */
function createTapeLog({ events }: Tape, { passed: { log, events: first } }: Playhead): EventLog {
  let length = first;
  const add = (): Event => events[length++]!.event;
  return {
    id: log,
    get last() {
      return events[length - 1]?.event.seq ?? 0;
    },
    append: (added) => Promise.resolve(added.map(add)),
    keep: (added) => Promise.resolve(added.map(add)),
    settle: nothing,
    note: add,
    async *read(from = 1) {
      for (const { event } of events.slice(0, length)) if (event.seq >= from) yield event;
    },
    close: nothing,
  };
}

/** Holds the mail that the next decision was shown. */
function createTapeInbox(head: Playhead): Inbox {
  const mail: Inbox["peek"] = () =>
    head.mail().map(({ mail: position, from, message }) => ({ position, from, message }));
  return {
    get unread() {
      return head.mail().length;
    },
    peek: mail,
    taken: () => undefined,
    // Whoever rests is left.
    wait: nothing,
    interrupt: () => new AbortController().signal,
    ahead: () => [],
    heard: aborted,
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
