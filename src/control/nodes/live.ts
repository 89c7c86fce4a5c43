// What an agent does before it is an event, from the node that runs it to whoever watches it, over the place where nodes meet. While
// nobody watches, nothing is said, and nothing is looked at for it.

import { setTimeout as delay } from "node:timers/promises";
import { fieldsOf, readJson } from "../../base/text/json.ts";
import type { Inspection, Inspector } from "../../domain/inspection.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { Nodes } from "../../storage/contract/nodes.ts";

/** For so long somebody watches who said so. */
const WATCHED_MS = 10_000;
const RENEW_MS = 4_000;
/** Longer, nothing that a node says is. */
const MAX_TEXT = 1_048_576;

export interface LiveTelling {
  readonly nodes: Nodes;
  readonly inspector: Pick<Inspector, "watch">;
  /** Does it run here? */
  readonly runs: (agent: AgentId) => boolean;
}

/** From when this resolves; returns how to stop. Rejects with STORAGE if that place does not answer. */
export async function tellLive({ nodes, inspector, runs }: LiveTelling): Promise<() => void> {
  const until = new Map<AgentId, number>();
  let unwatch: (() => void) | undefined;
  const stop = (): void => {
    unwatch?.();
    unwatch = undefined;
  };
  const tell = (inspection: Inspection): void => {
    const end = until.get(inspection.agent);
    if (end === undefined || !inspection.kind.startsWith("live:")) return;
    if (end > performance.now()) nodes.channel("viewers", inspection.agent).hint(JSON.stringify(inspection));
    else if (until.delete(inspection.agent) && until.size === 0) stop();
  };
  const leave = await nodes.watched.listen((agent) => {
    if (!runs(agent)) return;
    until.set(agent, performance.now() + WATCHED_MS);
    unwatch ??= inspector.watch(tell);
  });
  return () => {
    leave();
    stop();
  };
}

/** Tells what a node says of `agent`, as JSON, until `signal` aborts. What makes no sense is not told. Rejects as `tellLive`. */
export async function overhear(
  nodes: Nodes,
  agent: AgentId,
  tell: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const leave = await nodes.channel("viewers", agent).listen((text) => {
    if (text.length > MAX_TEXT) return;
    const said = fieldsOf(readJson(text));
    if (String(said["kind"]).startsWith("live:") && said["agent"] === agent) tell(JSON.stringify(said));
  });
  while (!signal.aborted) {
    nodes.watched.hint(agent);
    await delay(RENEW_MS, undefined, { signal }).catch(() => undefined);
  }
  leave();
}
