// The events of several agents as one course of events.

import { setTimeout as delay } from "node:timers/promises";
import type { Event } from "../../../domain/event/event.ts";
import type { AgentId } from "../../../domain/message/message.ts";
import type { Targets } from "../../../control/api/routes.ts";
import type { Io } from "../../kit/command.ts";
import { followEvents, type ListeningIo } from "../../kit/follow.ts";
import type { Site } from "../../kit/target.ts";

export interface OwnedEvent {
  readonly agent: AgentId;
  readonly event: Event;
}

/** What is told at nearly the same moment is put in order before it is shown. */
const SETTLE_MS = 150;
/** How often is looked for agents that are new. */
const LOOK_MS = 2_000;

/** What is there now of the logs of `agents`, in the order of time; each log keeps its own. */
export async function* mergedEvents(site: Site, agents: readonly AgentId[]): AsyncGenerator<OwnedEvent> {
  const heads: { readonly agent: AgentId; readonly rest: AsyncIterator<Event>; event: Event }[] = [];
  for (const agent of agents) {
    const rest = site.reader.events(agent)[Symbol.asyncIterator]();
    const { value, done } = await rest.next();
    if (!done) heads.push({ agent, rest, event: value });
  }
  while (heads.length > 0) {
    const first = heads.reduce((a, b) => (b.event.at < a.event.at ? b : a));
    yield { agent: first.agent, event: first.event };
    const { value, done } = await first.rest.next();
    if (done) heads.splice(heads.indexOf(first), 1);
    else first.event = value;
  }
}

/** The same, and what happens from then on, until its signal aborts; with `all` also to agents that are new. */
export async function* followAll(
  site: Site,
  targets: Targets,
  io: ListeningIo,
): AsyncGenerator<OwnedEvent, undefined> {
  const wanted = async (): Promise<readonly AgentId[]> => (targets === "all" ? site.reader.known() : targets);
  const from = new Map<AgentId, number>();
  for await (const one of mergedEvents(site, await wanted())) {
    from.set(one.agent, one.event.seq + 1);
    yield one;
  }
  let arrived: OwnedEvent[] = [];
  let failure: { readonly error: unknown } | undefined;
  const followed = new Set<AgentId>();
  const { signal } = io;
  const onceTold = { signal, stderr: tellOnce(io.stderr) };
  const follow = async (agent: AgentId): Promise<void> => {
    for await (const event of followEvents(site, agent, from.get(agent) ?? 1, onceTold))
      arrived.push({ agent, event });
  };
  let lookedMs = -Infinity;
  while (!signal.aborted) {
    if (performance.now() - lookedMs > LOOK_MS) {
      // A Redis that is away is told of by those that follow.
      for (const agent of await wanted().catch(() => [...followed])) {
        if (followed.has(agent)) continue;
        followed.add(agent);
        void follow(agent).catch((error: unknown) => (failure = { error }));
      }
      lookedMs = performance.now();
    }
    await delay(SETTLE_MS, undefined, { signal }).catch(() => undefined);
    if (failure) throw failure.error;
    const told = arrived.toSorted((a, b) => (a.event.at < b.event.at ? -1 : a.event.at > b.event.at ? 1 : 0));
    arrived = [];
    yield* told;
  }
  return undefined;
}

/** Many wait for the same, and one says so. */
function tellOnce(stderr: Io["stderr"]): Io["stderr"] {
  let last = "";
  const write = (text: string): boolean => {
    if (text === last) return true;
    last = text;
    return stderr.write(text);
  };
  return Object.create(stderr, { write: { value: write } }) as Io["stderr"];
}
