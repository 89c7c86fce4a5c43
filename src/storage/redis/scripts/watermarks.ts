import type { AgentId, LogId } from "../../../domain/message/message.ts";
import { agentKeys } from "./keys.ts";
import type { LegionPlace } from "./scope.ts";

/** The highest number of a sender's log that its recipient has, or has had; 0 if none. */
export type ReadWatermark = (to: AgentId, from: LogId) => Promise<number>;

/** Each is asked for once: what is delivered meanwhile is not seen. */
export function createWatermarks({ link, legion }: LegionPlace): ReadWatermark {
  const asked = new Map<string, Promise<number>>();
  return (to, from) => {
    const key = `${to} ${from}`;
    const known = asked.get(key);
    if (known) return known;
    const asking = link.command("HGET", agentKeys(legion, to).seen, from).then(Number);
    asked.set(key, asking);
    return asking;
  };
}
