// Runs a whole legion again from the logs of an earlier one: the real actors, logs, mailboxes and bus, but models, calls
// and limits of the tapes. Each decision gets the mail that it had when it was recorded, as soon as all of that has
// arrived, so the order in which agents happen to run does not matter.

import { NO_SECRETS, type Redactor } from "../../base/redaction/redactor.ts";
import { compareLogs, type Difference } from "./difference.ts";
import type { Event, NewEvent } from "../../domain/event/event.ts";
import { LegionError } from "../../base/errors.ts";
import type { AgentPlan } from "../hosting/agent-plan.ts";
import type { Legion } from "../legion.ts";
import { requestOf } from "../../mail/relay.ts";
import { until, type Watching } from "../quiescence.ts";
import { CONTROL, parseMessageId, type AgentId } from "../../domain/message/message.ts";
import { verdictIn } from "../../domain/policy/verdict.ts";
import { actIn, modeIn } from "../../domain/supervision.ts";
import { createPlayhead } from "./playhead.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { SHUTDOWN, linkSignals } from "../../base/process/signals.ts";
import { onTape } from "./on-tape.ts";
import type { Player } from "./stand-ins.ts";
import { readTape, type Tape } from "./recording.ts";

export interface Recording {
  readonly reader: Reader;
  readonly tapes: ReadonlyMap<AgentId, Tape>;
  /** The model that answered an agent first; `undefined` where none did. */
  modelOf(agent: AgentId): string | undefined;
}

/** Throws REFUSED if the log of an agent cannot be replayed. */
export async function openRecording(reader: Reader): Promise<Recording> {
  const tapes = new Map<AgentId, Tape>();
  for (const id of await reader.known()) tapes.set(id, await readTape(reader, id));
  return {
    reader,
    tapes,
    modelOf(agent) {
      const tape = tapes.get(agent);
      return tape && createPlayhead(tape).model();
    },
  };
}

const nothing = (): Promise<void> => Promise.resolve();

/** Throws CONFIG, with the ids that were recorded, unless `agents` are exactly these. */
export function checkCast({ tapes }: Recording, agents: readonly AgentId[]): void {
  const strangers = agents.filter((id) => !tapes.has(id));
  const missing = [...tapes.keys()].filter((id) => !agents.includes(id));
  const known = [...tapes.keys()].join(", ") || "none";
  const refuse = (why: string): never => {
    throw new LegionError("CONFIG", `the recording ${why}: ${known}`);
  };
  if (strangers.length > 0) refuse(`has no agent ${strangers.join(", ")}; it has`);
  if (missing.length > 0) refuse(`also has agent ${missing.join(", ")}; start all of`);
}

/** @param redactor of what is made today; absent: nothing is hidden */
export function createLegionReplay(recording: Recording, redactor: Redactor = NO_SECRETS) {
  const players = new Map<AgentId, Player>();
  const ending = new AbortController();
  let difference: Difference | undefined;
  let begun: (legion: Legion) => void;
  const beginning = new Promise<Legion>((resolve) => (begun = resolve));
  let look = (): void => undefined;
  const course: Course = {
    beginning,
    over: ending.signal,
    redactor,
    leave(why) {
      difference ??= why;
      ending.abort(SHUTDOWN);
    },
    look: () => look(),
  };
  return {
    /** `plan` for an agent that follows its tape. */
    follow(plan: AgentPlan): AgentPlan {
      const player = createPlayer(recording, plan.identity.id, course);
      players.set(player.agent, player);
      return onTape(plan, player);
    },
    /** Says what Control said. Call it once the legion has started. */
    async begin(legion: Legion): Promise<void> {
      begun(legion);
      for await (const event of recording.reader.events(CONTROL)) await sayAgain(event, legion);
    },
    /** Resolves when every tape is at its end, when nobody can go on, at the first difference, or when `signal` aborts. */
    async ended(signal: AbortSignal): Promise<void> {
      const { signal: either, unlink } = linkSignals(signal, ending.signal);
      const legion = await beginning;
      const watch: Watching = (watcher) => {
        look = watcher;
        return legion.inspector.watch(watcher);
      };
      await until(() => isOver(legion, [...players.values()]), watch, either);
      unlink();
    },
    /** The first difference in what the agents did and in their logs, read through `today`. */
    verdict: async (today: Reader): Promise<Difference | undefined> =>
      difference ?? compareAll(recording.tapes.values(), today),
    /** How many decisions were the same. */
    get decisions() {
      return [...players.values()].reduce((sum, { head }) => sum + head.passed.decisions, 0);
    },
  };
}

/** What its agents share of a replay. */
interface Course extends Pick<Player, "over" | "leave" | "redactor"> {
  readonly beginning: Promise<Legion>;
  /** Has it come to its end? Asked when an agent rests. */
  look(): void;
}

function createPlayer({ reader, tapes }: Recording, agent: AgentId, course: Course): Player {
  const { beginning, look, over, leave, redactor } = course;
  const head = createPlayhead(withoutProcesses(tapes.get(agent)!));
  const player: Player = {
    agent,
    head,
    reader,
    redactor,
    asked: undefined,
    interruption: undefined,
    isResting: false,
    over,
    isGiven,
    leave,
    rest() {
      if (head.edge === "start") void player.beginAnew();
      else look();
    },
    async beginAnew() {
      const { agents } = await beginning;
      const begun = agents.get(agent)?.alone(() => player.begin());
      // One that is being stopped need not begin anew.
      begun?.catch(nothing);
    },
    catchUp: nothing,
    begin: nothing,
  };
  return player;
}

/** Is all mail delivered, and can nobody go on? */
function isOver({ agents, control }: Legion, players: readonly Player[]): boolean {
  const outboxes = [...agents.values()].flatMap(({ agent }) => agent?.outbox ?? []);
  if ([...outboxes, control].some((outbox) => outbox.undelivered().length > 0)) return false;
  return players.every(({ agent, head, isResting }) => {
    const { agent: opened, standing } = agents.get(agent)!;
    return opened ? isResting && head.edge !== "start" : standing.state === "halted";
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

/**
 * Does it shape what the agent is shown or does? A prompt was an action's own. Everything else is brought about by the
 * legion, or tells of it.
 */
function isGiven(event: NewEvent | Event): boolean {
  if (event.kind !== "notice")
    return ["approval", "offered", "recalled", "observed", "edited", "branch"].includes(event.kind);
  return ["paused", "resumed", "gap", "mode"].includes(event.reason) || event.reason.startsWith("parked");
}

/** A start of the recorded process is none of this one: the agent just goes on. */
function withoutProcesses(tape: Tape): Tape {
  const events = tape.events.map((recorded) =>
    recorded.by === "start" && recorded.event.kind === "opened"
      ? { ...recorded, by: "outside" as const }
      : recorded,
  );
  return { ...tape, events };
}

async function sayAgain(event: Event, { control }: Legion): Promise<void> {
  const [first] = event.kind === "notice" ? (event.sends ?? []) : [];
  if (event.kind !== "notice" || !first) return;
  const to = event.sends!.map(({ id }) => parseMessageId(id).to);
  const { root, hops, delivery } = first;
  const verdict = verdictIn(first);
  const mode = modeIn(first);
  const act = actIn(first);
  const request = requestOf(event);
  if (verdict) await control.answer(verdict);
  else if (mode) await control.switchMode(to, mode);
  else if (act) await control.act(to[0]!, act.text, act);
  else if (request !== undefined) await control.relay({ targets: to, content: event.content, request });
  else if (event.reason === "said")
    await control.say(to, event.content, delivery === "verdict" ? undefined : delivery);
  else if (event.reason === "announced") {
    await control.announce(to, event.content, root === first.id ? undefined : { root, hops });
  }
}
