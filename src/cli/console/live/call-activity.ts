// What is to be said of an agent's calls while they run: the newest of them, or what it tells, and what came of the last.

import type { Call, Outcome } from "../../../domain/event/event.ts";
import type { Inspection } from "../../../domain/inspection.ts";
import type { AgentId } from "../../../domain/message/message.ts";
import { callRemark } from "../narration/narration.ts";

export interface CallDoing {
  /** One character that tells what `text` is. */
  readonly mark: string;
  /** Untrusted. */
  readonly text: string;
  /** Since when it runs, in milliseconds since 1970; absent: it is over, or has not begun. */
  readonly since?: number;
}

export interface CallActivities {
  /** `undefined`: that changes nothing. */
  see(inspection: Inspection): CallDoing | undefined;
}

interface RunningCall {
  readonly call: string;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

const MARKS: Readonly<Record<Outcome, string>> = { ok: "✓", error: "✗", idle: "·", interrupted: "·" };
/** More than any row shows. */
const MAX_TOLD = 2_000;

export function createCallActivities(now: () => number): CallActivities {
  const calls = new Map<AgentId, readonly Call[]>();
  const running = new Map<AgentId, readonly RunningCall[]>();
  const follow = (seen: Extract<Inspection, { readonly kind: "live:call" }>): CallDoing | undefined => {
    const { agent, call, action } = seen;
    if (seen.phase === "written") return { mark: "▸", text: `${action} …` };
    const known = calls.get(agent)?.find(({ id }) => id === call);
    const text = callRemark(known ?? { action, parameters: undefined })?.text;
    if (text === undefined) return undefined;
    const others = (running.get(agent) ?? []).filter((other) => other.call !== call);
    const all = seen.phase === "running" ? [...others, { call, text, since: now() }] : others;
    running.set(agent, all);
    const newest = all.at(-1);
    if (newest) return { mark: "▸", text: newest.text, since: newest.since };
    return seen.phase === "ended" ? { mark: MARKS[seen.outcome], text } : undefined;
  };
  return {
    see(inspection) {
      const { agent, kind } = inspection;
      if (kind === "live:call") return follow(inspection);
      if (kind === "live:progress") {
        const line = inspection.text
          .trimEnd()
          .split(/[\r\n]/)
          .at(-1)!;
        const since = running.get(agent)?.find(({ call }) => call === inspection.call)?.since;
        return since === undefined || line === ""
          ? undefined
          : { mark: "│", text: line.slice(0, MAX_TOLD), since };
      }
      if (kind === "event" && inspection.event.kind === "decision") {
        calls.set(agent, inspection.event.calls);
        running.delete(agent);
      }
      return undefined;
    },
  };
}
