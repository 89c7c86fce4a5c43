// What the runtime itself says to agents, as spontaneous messages of log 0.

import type { Shared } from "../agent/parts/agent.ts";
import type { Clock } from "../base/clock.ts";
import type { Control } from "../mail/control.ts";
import { CONTROL, HOP_LIMIT, displayName, type AgentId, type Draft } from "../domain/message.ts";
import { pastHopLimit } from "../mail/compose.ts";
import type { Hosted } from "./quiescence.ts";

export const HEARTBEAT =
  "This is your regular heartbeat. Is there anything that you should do now? If not, wait for mail.";

/** Tells both sides and Control, once for each chain between them, in messages of that chain: answering them goes no further. */
export function createHopNotice(control: Control): Shared["announceHops"] {
  const told = new Set<string>();
  const tell = async (from: AgentId, to: AgentId, { root = "", hops }: Draft): Promise<void> => {
    const pair = `${root} ${[from, to].sort().join()}`;
    if (told.has(pair)) return;
    told.add(pair);
    const content =
      `The conversation between ${displayName(from)} and ${displayName(to)} that began with message ${root} was ` +
      `stopped after ${HOP_LIMIT} messages between agents without a person.`;
    // Where this cannot be written, the next refusal tells of it.
    await control.announce([from, to, CONTROL], content, { root, hops }).catch(() => told.delete(pair));
  };
  return async (from, refused) => {
    for (const { message } of refused.map(({ details }) => details))
      for (const to of pastHopLimit(message)) await tell(from, to, message);
  };
}

/** Asks idle agents every `everyMs` whether there is anything to do. Abort what it returns to end it. */
export function startHeartbeat(
  everyMs: number | "off",
  { clock, agents, control }: Hosted & { clock: Clock },
): AbortController {
  const heart = new AbortController();
  const beat = async (ms: number): Promise<void> => {
    for (;;) {
      await clock.sleep(ms, heart.signal);
      if (heart.signal.aborted) return;
      const idle = [...agents]
        .filter(([, supervised]) => supervised.standing.state === "idle")
        .map(([id]) => id);
      // Where this cannot be written, the next one asks again.
      if (idle.length > 0) await control.announce(idle, HEARTBEAT).catch(() => undefined);
    }
  };
  if (everyMs !== "off") void beat(everyMs);
  return heart;
}
