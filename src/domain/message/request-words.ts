// For whom an agent waits, in words.

import { displayName, type AgentId } from "./message.ts";

const DAY_MS = 86_400_000;
const MOST_MESSAGES = 3;

/** A wait for a reply that messages need. */
interface Request {
  readonly agents?: readonly AgentId[] | undefined;
  /** Absent: none needs it. */
  readonly messages?: readonly string[] | undefined;
  readonly standing?: string | undefined;
  /** ISO 8601. */
  readonly since: string | null;
}

/** `waits for writer, who is parked, since 02:14 (2>writer#1)`, one for each whose answer is needed. Times are local. */
export function requestWords(waits: readonly Request[], nowMs: number): readonly string[] {
  return waits.flatMap(({ agents: [to] = [], messages, standing, since }) => {
    if (to === undefined || messages === undefined) return [];
    const who = standing === undefined ? displayName(to) : `${displayName(to)}, who is ${standing},`;
    const more = messages.length - MOST_MESSAGES;
    const named = [...messages.slice(0, MOST_MESSAGES), ...(more > 0 ? [`${more} more`] : [])].join(", ");
    return [`waits for ${who} since ${sinceWhen(since, nowMs)} (${named})`];
  });
}

function sinceWhen(at: string | null, nowMs: number): string {
  const date = new Date(at ?? "");
  const ms = date.getTime();
  if (Number.isNaN(ms)) return "?";
  const time = [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
  if (nowMs - ms < DAY_MS) return time;
  const day = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0"));
  return `${[date.getFullYear(), ...day].join("-")} ${time}`;
}
