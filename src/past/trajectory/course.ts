// The course of an agent's work: a pure fold of its log, which gives what belongs into a trajectory as soon as it will not change
// any more. In its place stands what the agent was shown or did: held mail where it was released, a decision with all its
// results and no others. What was given and what is open are together what the log says so far. Costs are those of the whole
// log, whatever the branch.

import {
  NO_USAGE,
  addUsage,
  resultsFor,
  type Event,
  type EventOf,
  type SeqRange,
  type Usage,
} from "../../domain/event/event.ts";
import type { RunEnding } from "../../domain/event/ending.ts";
import { laneOf, type AgentId } from "../../domain/message/message.ts";
import { HUMAN, isOfModel } from "../../domain/supervision.ts";
import type { Protocol } from "../../model/protocol/protocol.ts";
import { fieldsOf, readJson } from "../../base/text/json.ts";
import { belongsTo } from "../branch.ts";
import { account, createLedger, type Ledger } from "../ledger.ts";
import { createHeldMail, foldHeld, type TakenMessage } from "../mail/held.ts";
import { beginAnew, createRunState, foldRun } from "../run-state.ts";
import { NO_QUOTES, headedText } from "../shown/summary-text.ts";
import { SUMMARY_OPENING, renderMessage } from "../view.ts";
import {
  measuredOf,
  type DecidedEntry,
  type PromptOpening,
  type ShownEntry,
  type TrajectoryEntry,
} from "./entry.ts";

/** What has to be known of a whole log before it is told. */
export interface CourseWay {
  /** The active branch. */
  readonly path: readonly SeqRange[];
  /** The events before which another agent's past stands, and whose; oldest first. */
  readonly origins: readonly { readonly seq: number; readonly agent: AgentId }[];
}

/** What a course adds up to so far. */
export interface CourseSum {
  /** Of the whole log. */
  readonly ledger: Ledger;
  /** Of the decisions of the branch whose cost is known each by itself. */
  readonly measured: Usage;
  /** Of the newest decision that a model made; absent: there is none. */
  readonly model?: string;
  readonly tools: PromptOpening["tools"];
  /** Absent while it goes on. */
  readonly end?: RunEnding & { readonly at: string; readonly content: string };
}

export interface TrajectoryCourse {
  readonly sum: CourseSum;
  /**
   * Takes the next event of the log, and gives what is settled by it.
   *
   * @param opening of a `prompted` event, if it is kept
   */
  see(event: Event, opening?: PromptOpening): readonly TrajectoryEntry[];
  /** What may still change, behind all that was given. */
  open(): readonly TrajectoryEntry[];
}

/** The module that says the system prompt of an agent that acts in bash alone. */
const BASH_MODULE = "bash";

export function createCourse({ path, origins }: CourseWay): TrajectoryCourse {
  const sum = { ledger: createLedger(), measured: NO_USAGE, tools: [] as PromptOpening["tools"] };
  const told: { model?: string; end?: CourseSum["end"] } = {};
  const held = createHeldMail();
  const run = createRunState();
  const system = createSystem();
  let decided: OpenDecided | undefined;
  /** What came since, or before the next decision. */
  let waiting: ShownEntry[] = [];
  const settle = (): readonly TrajectoryEntry[] => {
    const settled = decided ? [decided] : [];
    decided = undefined;
    return settled;
  };
  const decide = (decision: EventOf<"decision">): readonly TrajectoryEntry[] => {
    const before = [...settle(), ...system.say(decision, waiting[0]), ...waiting];
    waiting = [];
    const origin = origins.find(({ seq }) => seq > decision.seq)?.agent;
    decided = { kind: "decided", decision, results: new Map(), calls: system.formOf(decision), origin };
    sum.measured = addUsage(sum.measured, measuredOf(decided) ?? NO_USAGE);
    if (isOfModel(decision)) told.model = decision.model;
    sum.tools = system.opening?.tools ?? sum.tools;
    return isComplete(decided) ? [...before, ...settle()] : before;
  };
  const follow = (event: Event, opening: PromptOpening | undefined): readonly TrajectoryEntry[] => {
    foldRun(run, event);
    const mail = foldHeld(held, event).filter(({ message }) => laneOf(message) !== "verdict");
    for (const { message } of mail) if (laneOf(message) !== "abort") beginAnew(run, message);
    waiting.push(...mail.map((taken) => messageEntry(taken, event.at, system.history)));
    if (event.kind === "prompted" && event.call === undefined) system.prompted(event, opening);
    else if (event.kind === "offered" && event.module === BASH_MODULE) system.offered(event);
    else if (event.kind === "summary" && event.covers[1] !== 0) waiting.push(summaryEntry(event));
    else if (event.kind === "notice" && event.reason === "gap")
      waiting.push({ kind: "notice", at: event.at, text: event.content });
    else if (event.kind === "decision") return decide(event);
    else if (event.kind === "result" && decided && resultsFor(decided.decision).includes(event.call)) {
      decided.results.set(event.call, event);
      if (isComplete(decided)) return settle();
    }
    if (event.kind === "notice" && event.reason === "ended" && run.end)
      told.end = { ...run.end, at: event.at, content: event.content };
    return [];
  };
  return {
    get sum() {
      return { ...sum, model: told.model, end: run.end && told.end };
    },
    see(event, opening) {
      account(sum.ledger, event);
      return belongsTo(path, event) ? follow(event, opening) : [];
    },
    open: () => [...(decided ? [decided] : []), ...system.ahead(), ...waiting],
  };
}

/** One that may come to more results. */
type OpenDecided = DecidedEntry & { readonly results: Map<string | null, EventOf<"result">> };

function isComplete({ decision, results }: OpenDecided): boolean {
  return results.size >= new Set(resultsFor(decision)).size;
}

function messageEntry(
  { message, shown }: TakenMessage,
  at: string,
  history: Protocol["history"],
): ShownEntry {
  const text = shown ?? (history === "linear" ? message.content : renderMessage(message));
  return { kind: "message", at, message, text };
}

function summaryEntry(event: EventOf<"summary">): ShownEntry {
  const text = headedText(event, NO_QUOTES) ?? `${SUMMARY_OPENING}\n\n${event.content}`;
  return { kind: "summary", at: event.at, text };
}

/** Follows the system prompt: it is told before the first decision that was made by it. */
function createSystem() {
  let offered: { readonly at: string; readonly text: string } | undefined;
  let prompted: { readonly at: string; readonly opening: PromptOpening | undefined } | undefined;
  let opening: PromptOpening | undefined;
  let said: string | undefined;
  let history: Protocol["history"] = "told";
  const entry = (
    next: { readonly at: string; readonly text: string } | undefined,
  ): readonly TrajectoryEntry[] => {
    if (!next || next.text === "" || next.text === said) return [];
    return [{ kind: "system", ...next }];
  };
  return {
    get history() {
      return history;
    },
    get opening() {
      return opening;
    },
    offered({ at, offer }: EventOf<"offered">): void {
      const { system } = fieldsOf(readJson(offer));
      history = "linear";
      if (typeof system === "string") offered = { at, text: system };
    },
    prompted({ at }: EventOf<"prompted">, next: PromptOpening | undefined): void {
      prompted = { at, opening: next };
    },
    /** What is to be told before anything that waits, as far as it is known by now. */
    ahead: () => entry(offered),
    /** @param first what it stands before: its time is not a later one */
    say(
      { protocol, stop }: EventOf<"decision">,
      first?: { readonly at: string },
    ): readonly TrajectoryEntry[] {
      history = protocol === "bash" ? "linear" : "told";
      // What was asked before an abort may have been for a summary.
      const asked = stop === "aborted" ? undefined : prompted;
      prompted = undefined;
      opening = asked?.opening ?? opening;
      const next = offered ?? (asked?.opening && { at: first?.at ?? asked.at, text: asked.opening.system });
      const told = entry(next);
      said = next?.text ?? said;
      return told;
    },
    formOf({ protocol, model }: EventOf<"decision">): DecidedEntry["calls"] {
      if (model === HUMAN) return "typed";
      if (protocol !== "bash") return protocol === "tools" ? "native" : "written";
      return (opening?.tools.length ?? 0) > 0 ? "native" : "written";
    },
  };
}
