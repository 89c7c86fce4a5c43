// What an agent is at between two events: words as they come, calls that run and what they print.

import type { Event } from "../../src/domain/event/event.ts";
import type { AgentState, Inspection } from "../../src/domain/inspection.ts";

export type Live =
  | Extract<Inspection, { readonly kind: `live:${string}` }>
  /** Nothing is told at the moment, and why. */
  | { readonly kind: "live:away"; readonly reason: string };

export interface LiveWork {
  readonly state?: AgentState;
  readonly text?: string;
  readonly thoughts?: string;
  readonly calls?: readonly LiveRun[];
}

interface LiveRun {
  readonly call: string;
  readonly action: string;
  readonly phase: "written" | "running" | "ended";
  /** The end of what it printed. */
  readonly output: string;
}

const MOST_CHARS = 6_000;

export function createLive() {
  let state: AgentState | undefined;
  let [text, thoughts] = ["", ""];
  const calls = new Map<string, LiveRun>();
  const forget = (): void => {
    [text, thoughts] = ["", ""];
  };
  return {
    now: (): LiveWork => ({ state, text, thoughts, calls: [...calls.values()] }),
    tell(one: Live): void {
      switch (one.kind) {
        case "live:state":
          if (one.state === "thinking" && state !== "thinking") forget();
          state = one.state;
          if (state === "idle" || state === "stopped") calls.clear();
          return;
        case "live:delta":
          if (one.delta.kind === "text") text = tail(text + one.delta.text);
          else thoughts = tail(thoughts + one.delta.text);
          return;
        case "live:call": {
          const { call, action, phase } = one;
          if (phase === "ended") calls.delete(call);
          else calls.set(call, { call, action, phase, output: calls.get(call)?.output ?? "" });
          return;
        }
        case "live:progress": {
          const before = calls.get(one.call) ?? { call: one.call, action: "", phase: "running", output: "" };
          calls.set(one.call, { ...before, output: tail(before.output + one.text) });
          return;
        }
        default:
      }
    },
    /** An event says for good what was only told before. */
    settle(event: Event): void {
      if (event.kind === "decision") forget();
      if (event.kind === "result" && event.call !== null) calls.delete(event.call);
    },
  };
}

function tail(text: string): string {
  return text.length > MOST_CHARS ? text.slice(-MOST_CHARS) : text;
}
