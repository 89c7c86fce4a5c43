// What the runtime itself says, as spontaneous messages of log 0: of troubles, of chains of messages that were stopped, and
// whether there is anything to do. Of troubles the first of a kind is told at once, and all others of that kind together, a
// while later: a thousand agents that stop for one reason are no thousand messages.

import type { Supervised } from "./supervision/supervisor.ts";
import type { Shared } from "../agent/parts/agent.ts";
import type { Clock } from "../base/clock.ts";
import { CONTROL, HOP_LIMIT, displayName, type AgentId, type Draft } from "../domain/message/message.ts";
import { pastHopLimit } from "../mail/compose.ts";
import type { Control } from "../mail/control.ts";
import type { Hosted } from "./quiescence.ts";

export type Alarms = ReturnType<typeof createAlarms>;

/** Agents with the same trouble are told of together after this time. */
const TOGETHER_MS = 60_000;
/** A provider that comes and goes is told of once in this time. */
const OUTAGE_EVERY_MS = 600_000;
const MAX_NAMED = 20;

export function createAlarms(control: Pick<Control, "announce">, clock: Clock) {
  const closing = new AbortController();
  const others = new Map<string, Set<AgentId>>();
  const outages = new Map<string, { readonly sinceMs: number; isOver: boolean }>();
  const telling = new Set<Promise<void>>();
  const say = (content: string): Promise<void> =>
    // Where this cannot be written, neither can anything else: every agent shows it by itself. And what became of it may not
    // be known: once more could be told twice.
    control.announce([CONTROL], content).catch(() => undefined);
  const track = (work: Promise<void>): void => {
    telling.add(work);
    void work.finally(() => telling.delete(work));
  };
  const gather = async (trouble: string): Promise<void> => {
    await clock.sleep(TOGETHER_MS, closing.signal);
    const agents = [...(others.get(trouble) ?? [])];
    others.delete(trouble);
    if (agents.length > 0) await say(`${listOf(agents)} stopped for the same reason: ${trouble}`);
  };
  /** Should `agent` tell Control of its trouble? Otherwise it is counted, and told of with others. */
  const isNews = (agent: AgentId, trouble: string): boolean => {
    const known = others.get(trouble);
    known?.add(agent);
    if (known) return false;
    others.set(trouble, new Set());
    track(gather(trouble));
    return true;
  };
  return {
    isNews,
    /** Tells of `agent`'s trouble with `content`, or counts it. */
    tellControl(agent: AgentId, trouble: string, content: string): void {
      if (isNews(agent, trouble)) track(say(content));
    },
    /** A provider seems to be down, for `reason`; without one: it answers again. */
    outage(provider: string, reason?: string): void {
      const told = outages.get(provider);
      if (reason === undefined) {
        if (!told || told.isOver) return;
        told.isOver = true;
        return track(say(`${provider} answers again.`));
      }
      const nowMs = clock.now();
      if (told && nowMs - told.sinceMs < OUTAGE_EVERY_MS) return;
      outages.set(provider, { sinceMs: nowMs, isOver: false });
      const advice = "Its agents wait, and try again from time to time.";
      track(say(`${provider} does not answer: ${sentence(reason)} ${advice}`));
    },
    /** Tells what is still to be told. */
    async close(): Promise<void> {
      closing.abort();
      await Promise.all(telling);
    },
  };
}

/** What a server says of itself often ends without a stop. */
function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function listOf(agents: readonly AgentId[]): string {
  const named = agents.slice(0, MAX_NAMED).map(displayName).join(", ");
  const more = agents.length - MAX_NAMED;
  const who = more > 0 ? `${named} and ${more} more` : named;
  return agents.length === 1 ? `${who} was` : `${who} were`;
}

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
      const idle = [...agents].filter(([, agent]) => isAskable(agent)).map(([id]) => id);
      // Where this cannot be written, the next one asks again.
      if (idle.length > 0) await control.announce(idle, HEARTBEAT).catch(() => undefined);
    }
  };
  if (everyMs !== "off") void beat(everyMs);
  return heart;
}

/** Whoever has a director is told by that what there is to do. */
function isAskable({ standing, agent }: Pick<Supervised, "standing" | "agent">): boolean {
  return standing.state === "idle" && agent?.speech.ways.director === undefined;
}
