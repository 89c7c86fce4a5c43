// An agent's events as they come, across the end of a node and the next start.

import type { Event } from "../../domain/event/event.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { Following } from "../../storage/contract/backend.ts";
import { legionPaths } from "../../storage/folder/paths.ts";
import type { Io } from "./command.ts";
import { oneLine } from "./output.ts";
import type { Site } from "./target.ts";

/** On its standard error stands, once each time, why nothing comes for a while. */
export type ListeningIo = Pick<Io, "signal" | "stderr">;

/** Every event from number `from` on, each once, in order. Ends when `signal` aborts. */
export function followEvents(
  { backend, project, home }: Pick<Site, "backend" | "project" | "home">,
  agent: AgentId,
  from: number,
  io: ListeningIo,
): AsyncIterable<Event> {
  const live: Following["live"] = (signal) => listen(legionPaths(project, home).socket, agent, signal);
  return backend.follow(agent, { signal: io.signal, onAway: teller(io), from, live });
}

/** What `read` gives, which is called again whenever the legion was out of reach. */
export function readThrough<T>(
  { backend }: Pick<Site, "backend">,
  read: () => AsyncIterable<T>,
  io: ListeningIo,
): AsyncIterable<T> {
  return backend.patiently(read, { signal: io.signal, onAway: teller(io) });
}

function teller({ stderr }: ListeningIo): Following["onAway"] {
  return (reason) => void stderr.write(`legion: ${oneLine(reason)}\n`);
}

/** What the running node tells; nothing while there is none, or it is about to end. */
async function listen(socket: string, agent: AgentId, signal: AbortSignal) {
  try {
    const { findNode } = await import("../../control/socket/client.ts");
    const node = await findNode(socket);
    return (await node?.follow(agent, signal)) ?? [];
  } catch {
    return [];
  }
}
