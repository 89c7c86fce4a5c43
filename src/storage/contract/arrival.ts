// Agents that come from outside into the place in which a legion is kept: all of them, or none.

import { LegionError } from "../../base/errors.ts";
import type { Disk } from "../../base/files/disk.ts";
import type { Event } from "../../domain/event/event.ts";
import { CONTROL, displayName, type AgentId, type LogId } from "../../domain/message/message.ts";
import type { Mail, Watermarks } from "../../mail/bus.ts";
import type { Outlined } from "../../past/log/blobs.ts";

export interface Arrival {
  /** Puts `<id>/…` of each agent into `folder`, durable. Resolves with the highest epoch of their logs. */
  fill(folder: string, disk: Disk): Promise<number>;
  readonly agents: readonly AgentId[];
}

/** What `unfold` makes of an arrival: checked, and mended as the next start would. For a place that is no files. */
export interface Unfolded {
  /** In the order of the arrival. */
  readonly agents: readonly UnfoldedAgent[];
  close(): Promise<void>;
}

export interface UnfoldedAgent extends Luggage {
  readonly agent: AgentId;
  /** What a start made of it, as JSON; empty where nothing did. */
  readonly record: string;
  /** Long texts and what is none, as bytes. */
  readonly texts: AsyncIterable<Uint8Array>;
  /** Paths of what else is in its folder: only files can keep it. */
  readonly rest: readonly string[];
}

/** What an agent brings along. */
export interface Luggage {
  /** Oldest first. */
  readonly events: AsyncIterable<Event & Outlined>;
  /** What it has not taken in, where its log has come to `marks`; absent: nothing. */
  readonly mail?: (marks: Watermarks) => Promise<UnreadMail>;
}

export interface UnreadMail {
  /** Oldest first. */
  readonly unread: readonly Mail[];
  /** Per sender log, the highest number taken in or waiting. */
  readonly seen: ReadonlyMap<LogId, number>;
}

/** Says that `known` of the `agents` that arrive are in `place` already; `way` leads elsewhere. */
export function alreadyThere(
  known: readonly AgentId[],
  agents: readonly AgentId[],
  { place, way }: { readonly place: string; readonly way: string },
): LegionError {
  const names = known.map(displayName).join(", ");
  const advice =
    agents.length === 1 && agents[0] !== CONTROL ? "`--as <id>` takes it in under another name" : way;
  return new LegionError("REFUSED", `already in ${place}: ${names}; ${advice}`);
}
