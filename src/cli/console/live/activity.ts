// What each agent is doing at this moment, as far as it was seen.

import type { Call } from "../../../domain/event/event.ts";
import type { AgentState, Inspection } from "../../../domain/inspection.ts";
import type { AgentId } from "../../../domain/message/message.ts";
import { callRemark, summaryRemark } from "../narration/narration.ts";

export interface AgentActivity {
  readonly state: AgentState;
  /** One character that tells what `text` is; empty if it is plain. */
  readonly mark: string;
  /** Untrusted; its end is what is newest where `grows`. */
  readonly text: string;
  readonly grows: boolean;
  /** Since when it waits for what may take long, in milliseconds since 1970. */
  readonly since?: number;
}

export interface AgentActivities {
  see(inspection: Inspection): void;
  of(agent: AgentId): AgentActivity;
}

const IDLE: AgentActivity = { state: "idle", mark: "", text: "waits for mail", grows: false };
/** More than any row shows. */
const MAX_SAID = 2_000;

/** What is said of an agent that rests, or that waits for something other than its turn. */
const RESTING: Readonly<Record<Exclude<AgentState, "thinking" | "acting" | "waiting">, string>> = {
  idle: IDLE.text,
  stopped: "stopped; the next start runs it again",
  paused: "paused",
  parked: "parked",
  halted: "halted",
  retrying: "tries again",
  asking: "waits for your answer",
};

/** The reason of a question is its id. */
function restingText(state: keyof typeof RESTING, reason = ""): string {
  return state === "asking" ? `${RESTING[state]} (${reason})` : reason || RESTING[state];
}

/** @param now milliseconds since 1970 */
export function createAgentActivities(now: () => number): AgentActivities {
  const seen = new Map<AgentId, AgentActivity>();
  const calls = new Map<AgentId, readonly Call[]>();
  const of = (agent: AgentId): AgentActivity => seen.get(agent) ?? IDLE;
  const change = (agent: AgentId, next: Partial<AgentActivity>): void => {
    seen.set(agent, { ...of(agent), grows: false, since: undefined, ...next });
  };
  const seeState = (agent: AgentId, state: AgentState, reason: string | undefined): void => {
    const before = of(agent);
    if (state === "acting") act(agent);
    else if (state === "waiting")
      change(agent, { state, ...(before.mark === "" && { text: "has something to do" }) });
    else if (state !== "thinking") change(agent, { state, mark: "", text: restingText(state, reason) });
    // What is said twice goes on since the first time.
    else if (before.state !== state)
      change(agent, { state, mark: "~", text: "waits for the first word", since: now() });
  };
  const act = (agent: AgentId): void => {
    const [call] = calls.get(agent) ?? [];
    const text = callRemark(call)?.text ?? "acts";
    const { state, text: before, since = now() } = of(agent);
    const isSame = state === "acting" && text === before;
    change(agent, { state: "acting", mark: "▸", text, since: isSame ? since : now() });
  };
  const hear = (agent: AgentId, mark: string, text: string): void => {
    const before = of(agent);
    const said = before.grows && before.mark === mark ? before.text : "";
    // Not the beginning of one: what is cut there may have begun as a sequence for the terminal.
    change(agent, { mark, text: (said + text).slice(-MAX_SAID), grows: true });
  };
  const settle = (agent: AgentId, outcome: string): void => {
    const [done, ...left] = calls.get(agent) ?? [];
    calls.set(agent, left);
    const text = callRemark(done)?.text;
    if (text !== undefined)
      change(agent, { mark: outcome === "ok" ? "✓" : outcome === "error" ? "✗" : "·", text });
    if (left.length > 0 && of(agent).state === "acting") act(agent);
  };
  return {
    of,
    see(inspection) {
      const { agent, kind } = inspection;
      if (kind === "live:state") seeState(agent, inspection.state, inspection.reason);
      else if (kind === "live:delta") {
        const { delta } = inspection;
        hear(agent, delta.kind === "text" ? "“" : "~", delta.text);
      } else if (kind === "live:call" && inspection.phase === "written")
        change(agent, { mark: "▸", text: `${inspection.action} …` });
      else if (kind === "event") {
        const { event } = inspection;
        if (event.kind === "decision") calls.set(agent, event.calls);
        else if (event.kind === "result" && event.call !== null) settle(agent, event.outcome);
        else if (event.kind === "summary") {
          const { mark, text } = summaryRemark(event);
          change(agent, { mark, text, since: now() });
        }
      }
    },
  };
}
