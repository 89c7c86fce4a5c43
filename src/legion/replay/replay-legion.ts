// Runs a whole legion again from the logs of an earlier one: the real actors, logs, mailboxes and bus, but models, calls
// and limits of the tapes. Each decision gets the mail that it had when it was recorded, as soon as all of that has
// arrived, so the order in which agents happen to run does not matter.

import { RESTING } from "../../agent/parts/presence.ts";
import { compareLogs, type Difference } from "./difference.ts";
import type { Event } from "../../domain/event.ts";
import { LegionError } from "../../base/errors.ts";
import type { AgentState } from "../../domain/inspection.ts";
import type { AgentPlan } from "../agent-plan.ts";
import type { Legion } from "../legion.ts";
import { CONTROL, parseMessageId, type AgentId } from "../../domain/message.ts";
import { createPlayhead } from "./playhead.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { SHUTDOWN, linkSignals } from "../../base/signals.ts";
import { dress, type Part } from "./replay-part.ts";
import { readTape, type Tape } from "./recording.ts";

export interface Recording {
  /** Of the recorded legion. */
  readonly reader: Reader;
  readonly tapes: ReadonlyMap<AgentId, Tape>;
  /** The model that answered an agent first; `undefined` where none did. */
  modelOf(agent: AgentId): string | undefined;
}

export interface LegionReplay {
  /** `plan` for an agent that follows its tape. */
  follow(plan: AgentPlan): AgentPlan;
  /** Says what Control said. Call it once the legion has started. */
  begin(legion: Legion): Promise<void>;
  /** Resolves when every tape is at its end, when nobody can go on, at the first difference, or when `signal` aborts. */
  ended(signal: AbortSignal): Promise<void>;
  /** The first difference in what the agents did and in their logs, read through `reader`. */
  verdict(reader: Reader): Promise<Difference | undefined>;
  /** How many decisions were the same. */
  readonly decisions: number;
}

/** Throws REFUSED if the log of an agent cannot be replayed. */
export async function openRecording(reader: Reader): Promise<Recording> {
  const tapes = new Map<AgentId, Tape>();
  for (const id of await reader.known()) tapes.set(id, await readTape(reader, id));
  return {
    reader,
    tapes,
    modelOf: (agent) => createPlayhead(tapes.get(agent) ?? NOTHING).model(),
  };
}

const nothing = (): Promise<void> => Promise.resolve();
const NOTHING: Tape = { agent: CONTROL, events: [], decisions: 0 };

/** Throws CONFIG, with the ids that were recorded, unless `agents` are exactly these. */
export function checkCast({ tapes }: Recording, agents: readonly AgentId[]): void {
  const strangers = agents.filter((id) => !tapes.has(id));
  const missing = [...tapes.keys()].filter((id) => !agents.includes(id));
  const known = [...tapes.keys()].join(", ") || "none";
  if (strangers.length > 0) {
    throw new LegionError("CONFIG", `the recording has no agent ${strangers.join(", ")}; it has: ${known}`);
  }
  if (missing.length > 0) {
    throw new LegionError(
      "CONFIG",
      `the recording also has agent ${missing.join(", ")}; start all of: ${known}`,
    );
  }
}

export function createLegionReplay({ reader, tapes }: Recording): LegionReplay {
  const parts = new Map<AgentId, Part>();
  const ending = new AbortController();
  let difference: Difference | undefined;
  let legion: Legion | undefined;
  const createPart = (agent: AgentId): Part => ({
    agent,
    reader,
    // A start of the recorded process is none of this one: the agent just goes on.
    head: createPlayhead(withoutStarts(tapes.get(agent)!)),
    asked: undefined,
    interruption: undefined,
    isResting: false,
    over: ending.signal,
    leave(why) {
      if (typeof why === "string") return;
      difference ??= why;
      ending.abort(SHUTDOWN);
    },
  });
  const isOver = (): boolean => {
    if (ending.signal.aborted || !legion) return ending.signal.aborted;
    const outboxes = [...legion.agents.values()].flatMap(({ agent }) => agent?.outbox ?? []);
    if ([...outboxes, legion.control].some((outbox) => outbox.undelivered().length > 0)) return false;
    return [...parts.values()].every(
      ({ agent, isResting }) => isResting || HALTED.has(legion!.agents.get(agent)!.standing.state),
    );
  };
  return {
    follow(plan) {
      const part = createPart(plan.identity.id);
      parts.set(part.agent, part);
      const again = (): void => {
        // One that is being stopped need not begin anew.
        legion?.agents.get(part.agent)?.alone(nothing).catch(nothing);
      };
      return {
        ...plan,
        tickMs: 0,
        replay: (agent, metering) => dress(agent, { part, plan, metering, again }),
      };
    },
    async begin(started) {
      legion = started;
      for await (const event of reader.events(CONTROL)) await sayAgain(event, started);
    },
    async ended(signal) {
      const { signal: either, unlink } = linkSignals(signal, ending.signal);
      await untilOver(legion!, either, isOver);
      unlink();
    },
    verdict: async (today) => difference ?? (await compareAll(tapes.values(), today)),
    get decisions() {
      return [...parts.values()].reduce((sum, { head }) => sum + head.passed.decisions, 0);
    },
  };
}

/** Looks again after whatever happens in the legion. */
async function untilOver({ inspector }: Legion, signal: AbortSignal, isOver: () => boolean): Promise<void> {
  await new Promise<void>((resolve) => {
    let checking = false;
    const check = (): void => {
      checking = false;
      if (!signal.aborted && !isOver()) return;
      unwatch();
      resolve();
    };
    const later = (): void => {
      if (!checking) setImmediate(check);
      checking = true;
    };
    const unwatch = inspector.watch(later);
    signal.addEventListener("abort", later, { once: true });
    later();
  });
}

async function compareAll(tapes: Iterable<Tape>, today: Reader): Promise<Difference | undefined> {
  for (const { agent, events } of tapes) {
    const log: Event[] = [];
    for await (const event of today.events(agent)) log.push(event);
    const recorded = events.map(({ event }) => event);
    const difference = compareLogs(agent, recorded, log);
    if (difference) return difference;
  }
  return undefined;
}

const HALTED: ReadonlySet<AgentState> = new Set(Object.values(RESTING));

function withoutStarts(tape: Tape): Tape {
  const events = tape.events.map((recorded) =>
    recorded.by === "start" ? { ...recorded, by: "outside" as const } : recorded,
  );
  return { ...tape, events };
}

async function sayAgain(event: Event, { control }: Legion): Promise<void> {
  const [first] = event.kind === "notice" ? (event.sends ?? []) : [];
  if (event.kind !== "notice" || !first) return;
  const to = event.sends!.map(({ id }) => parseMessageId(id).to);
  const { root, hops, delivery } = first;
  if (event.reason === "said")
    await control.say(to, event.content, delivery === "abort" ? delivery : undefined);
  else if (event.reason === "announced") {
    await control.announce(to, event.content, root === first.id ? undefined : { root, hops });
  }
}
