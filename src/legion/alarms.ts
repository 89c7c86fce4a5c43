// What Control is told of troubles: the first of a kind at once, and all others of that kind together, a while later. A
// thousand agents that stop for one reason are no thousand messages.

import type { Clock } from "../base/clock.ts";
import type { Control } from "../mail/control.ts";
import { CONTROL, displayName, type AgentId } from "../domain/message.ts";

export interface Alarms {
  /** Should `agent` tell Control of its trouble? Otherwise it is counted, and told of with others. */
  isNews(agent: AgentId, trouble: string): boolean;
  /** Tells of `agent`'s trouble with `content`, or counts it. */
  tellControl(agent: AgentId, trouble: string, content: string): void;
  /** A provider seems to be down, for `reason`; without one: it answers again. */
  outage(provider: string, reason?: string): void;
  /** Tells what is still to be told. */
  close(): Promise<void>;
}

/** Agents with the same trouble are told of together after this time. */
const TOGETHER_MS = 60_000;
/** A provider that comes and goes is told of once in this time. */
const OUTAGE_EVERY_MS = 600_000;
const MAX_NAMED = 20;

export function createAlarms(control: Pick<Control, "announce">, clock: Clock): Alarms {
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
    tellControl(agent, trouble, content) {
      if (isNews(agent, trouble)) track(say(content));
    },
    outage(provider, reason) {
      const told = outages.get(provider);
      if (reason === undefined) {
        if (!told || told.isOver) return;
        told.isOver = true;
        return track(say(`${provider} answers again.`));
      }
      const nowMs = clock.now();
      if (told && nowMs - told.sinceMs < OUTAGE_EVERY_MS) return;
      outages.set(provider, { sinceMs: nowMs, isOver: false });
      track(
        say(
          `${provider} does not answer: ${sentence(reason)} Its agents wait, and try again from time to time.`,
        ),
      );
    },
    async close() {
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
