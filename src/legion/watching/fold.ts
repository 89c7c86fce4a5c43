// Inspections of one agent as the events that programs know: a pure fold. What is committed tells everything in the end, so that
// whoever misses what is live, or never sees any, still gets each text, each call and its result.

import { addUsage, NO_USAGE, type Event, type EventOf, type Usage } from "../../domain/event/event.ts";
import type { AgentState, Inspection } from "../../domain/inspection.ts";
import { laneOf, type AgentId } from "../../domain/message/message.ts";
import { endingBy, type AgentEnd, type AgentEvent } from "./agent-event.ts";

/** An agent as far as it was seen, and what the newest inspection tells of it. */
interface SeenCourse {
  readonly tell: (event: WithoutAgent<AgentEvent>) => void;
  turn: OpenTurn | undefined;
  /** What was used since it began to work; `undefined`: it rests. */
  spent: Usage | undefined;
  /** Since its newest decision, or by it. */
  isAborted: boolean;
}

type WithoutAgent<T> = T extends unknown ? Omit<T, "agent"> : never;

interface OpenTurn {
  readonly said: Record<"text" | "thoughts", string>;
  readonly calls: Map<string, ToldCall>;
  /** Calls of its decision that have no result yet; `null`: what is to be said of an answer that held none. */
  readonly open: Set<string | null>;
  /** The model was asked and has answered, seen or not. */
  isAnswered: boolean;
  decision: EventOf<"decision"> | undefined;
  usage: Usage;
}

interface ToldCall {
  readonly action: string;
  readonly parameters: unknown;
  readonly isOver: boolean;
}

/** Takes inspections in their order; gives the events that each one makes. Those of other agents make none. */
export function createAgentEventFold(agent: AgentId): (seen: Inspection) => readonly AgentEvent[] {
  let told: AgentEvent[] = [];
  const course: SeenCourse = {
    tell: (event) => told.push({ agent, ...event }),
    turn: undefined,
    spent: undefined,
    isAborted: false,
  };
  return (seen) => {
    told = [];
    if (seen.agent === agent) see(course, seen);
    return told;
  };
}

function see(course: SeenCourse, seen: Inspection): void {
  switch (seen.kind) {
    case "event":
      return seeEvent(course, seen.event);
    case "live:state":
      return seeState(course, seen.state, seen.reason);
    case "live:delta":
      answering(course);
      return say(course, seen.delta.kind, seen.delta.text);
    case "live:call":
      return seeCall(course, seen);
    case "live:progress":
      return course.tell({ kind: "call:progress", call: seen.call, text: seen.text });
    case "live:unasked":
      return course.tell({ kind: "notice", reason: "unasked", content: seen.asked.action });
    case "question": {
      const content = `${seen.question.id}: ${seen.question.action}`;
      return course.tell({ kind: "notice", reason: seen.ended ? "settled" : "question", content });
    }
  }
}

function seeEvent(course: SeenCourse, event: Event): void {
  if (event.kind === "decision") decide(course, event);
  else if (event.kind === "result") settle(course, event);
  else if (event.kind === "summary") compacted(course, event);
  else if (event.kind === "notice") notice(course, event);
  else if (event.kind === "message") course.isAborted ||= laneOf(event.message) === "abort";
}

function seeState(course: SeenCourse, state: AgentState, reason = ""): void {
  const { turn, spent, tell } = course;
  if (state === "thinking") answering(course);
  // Before it asks the model it may have to close what a crash left open.
  else if (state === "acting" && !spent) openTurn(course).isAnswered = true;
  else if (state === "idle") end(course, course.isAborted ? "aborted" : "completed");
  else if (state === "paused" || state === "stopped") end(course, "aborted");
  else if (state === "parked") end(course, "error");
  else if (state === "halted" && spent) {
    tell({ kind: "error", message: reason });
    end(course, "error");
  } else if (state === "retrying") {
    if (turn && !turn.isAnswered) turn.said.text = turn.said.thoughts = "";
    tell({ kind: "notice", reason: "retrying", content: reason });
  }
}

/** The turn that is open, or a new one. */
function openTurn(course: SeenCourse): OpenTurn {
  if (course.turn) return course.turn;
  if (!course.spent) course.tell({ kind: "agent:start" });
  course.spent ??= NO_USAGE;
  course.tell({ kind: "turn:start" });
  const said = { text: "", thoughts: "" };
  const [calls, open] = [new Map<string, ToldCall>(), new Set<string | null>()];
  return (course.turn = { said, calls, open, isAnswered: false, decision: undefined, usage: NO_USAGE });
}

/** The turn in which the model is asked. */
function answering(course: SeenCourse): OpenTurn {
  if (course.turn?.isAnswered) endTurn(course);
  return openTurn(course);
}

function endTurn(course: SeenCourse): void {
  const { turn, tell } = course;
  if (!turn) return;
  const { decision, said, usage } = turn;
  course.turn = undefined;
  course.spent = addUsage(course.spent ?? NO_USAGE, usage);
  tell({ kind: "turn:end", text: decision?.text || said.text, usage, stop: decision?.stop });
}

function end(course: SeenCourse, reason: AgentEnd): void {
  endTurn(course);
  if (course.spent) course.tell({ kind: "agent:end", reason, usage: course.spent });
  course.spent = undefined;
  course.isAborted = false;
}

function say(course: SeenCourse, kind: "text" | "thoughts", text: string): void {
  if (text === "") return;
  openTurn(course).said[kind] += text;
  course.tell({ kind: `${kind}:delta`, text });
}

function write(course: SeenCourse, call: string, action: string, parameters?: unknown): ToldCall {
  const { calls } = openTurn(course);
  const before = calls.get(call);
  if (!before) course.tell({ kind: "call:start", call, action });
  const written = { isOver: false, ...before, action, parameters: parameters ?? before?.parameters };
  calls.set(call, written);
  return written;
}

function seeCall(course: SeenCourse, seen: Extract<Inspection, { readonly kind: "live:call" }>): void {
  const { call, action } = seen;
  if (seen.phase === "written") {
    answering(course);
    write(course, call, action);
    return;
  }
  openTurn(course).isAnswered = true;
  const { parameters } = write(course, call, action);
  const { touches } = seen;
  if (seen.phase === "running") course.tell({ kind: "call:running", call, action, parameters, touches });
  else endCall(course, call, seen.outcome);
}

function endCall({ turn, tell }: SeenCourse, call: string, outcome: EventOf<"result">["outcome"]): void {
  const known = turn?.calls.get(call);
  if (!turn || !known || known.isOver) return;
  turn.calls.set(call, { ...known, isOver: true });
  tell({ kind: "call:end", call, action: known.action, outcome });
}

function decide(course: SeenCourse, decision: EventOf<"decision">): void {
  const turn = answering(course);
  const { calls, stop, usage, cost } = decision;
  turn.isAnswered = true;
  turn.decision = decision;
  turn.usage = addUsage(turn.usage, { ...usage, cost });
  course.isAborted = stop === "aborted";
  for (const kind of ["thoughts", "text"] as const) sayRest(course, kind, decision[kind] ?? "");
  for (const { id, action, parameters } of calls) {
    write(course, id, action, parameters);
    turn.open.add(id);
  }
  if (stop === "unparsed") turn.open.add(null);
  // One that was cut off may still be told to go on.
  if (turn.open.size === 0 && stop !== "length") endTurn(course);
}

/** What did not stream of it, or was missed. */
function sayRest(course: SeenCourse, kind: "text" | "thoughts", whole: string): void {
  const said = course.turn?.said[kind] ?? "";
  if (whole.startsWith(said)) return say(course, kind, whole.slice(said.length));
  // Another try began it anew. Thoughts that came in several pieces are put together in another way than they stream.
  if (kind === "thoughts" || whole === "") return;
  course.tell({ kind: "notice", reason: "retrying", content: "The answer began anew." });
  say(course, kind, whole);
}

function settle(course: SeenCourse, result: EventOf<"result">): void {
  const { call, outcome, content, details, usage, seq } = result;
  const { turn, tell } = course;
  if (call !== null) endCall(course, call, outcome);
  tell({ kind: "result", seq, call, outcome, content, details });
  if (!turn) return;
  if (usage) turn.usage = addUsage(turn.usage, usage);
  const isItsOwn = turn.open.delete(call) || call === null;
  if (isItsOwn && turn.open.size === 0) endTurn(course);
}

function compacted(course: SeenCourse, event: EventOf<"summary">): void {
  const { kind: _, epoch: __, at: ___, ...summary } = event;
  if (course.spent) course.spent = addUsage(course.spent, event.usage);
  // One that was not kept is in the log for what it cost.
  if (event.content !== "") course.tell({ kind: "compaction", ...summary });
}

function notice(course: SeenCourse, event: EventOf<"notice">): void {
  const { reason, content } = event;
  const ending = endingBy(event);
  if (ending === "error") course.tell({ kind: "error", message: content });
  else course.tell({ kind: "notice", reason, content });
  if (ending) end(course, ending);
}
