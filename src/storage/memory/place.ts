// What a legion in the memory of a process comes to. All of it is gone with the process.

import { EventEmitter } from "node:events";
import { LegionError } from "../../base/errors.ts";
import { CONTROL, type AgentId } from "../../domain/message/message.ts";
import { createUnread, type Unread } from "../../mail/unread.ts";
import { blobsIn, type Blobs } from "../../past/log/blobs.ts";
import type { LastStart } from "../contract/last-start.ts";

/** One agent's log, mailbox and long texts. */
export interface KeptAgent {
  /** What the last start made of it, as JSON; absent: the legion does not know it. */
  record?: string;
  /** Oldest first, as JSON: whoever reads one cannot change it. Long texts are outlined. */
  readonly lines: { readonly seq: number; readonly json: string }[];
  /** Mail that the log has not taken in. */
  readonly unread: Unread;
  /** The newest position that mail was given. */
  position: number;
  readonly blobs: Blobs;
  /** Emits `grown` whenever the log has. */
  readonly growth: EventEmitter;
}

export interface MemoryPlace {
  /** Of one that nobody knows, nothing is kept yet. */
  of(agent: AgentId): KeptAgent;
  /** Control not. */
  known(): readonly AgentId[];
  lastStart?: LastStart;
  /** How often it was opened for writing. Throws LOCKED while somebody has it open. */
  open(): number;
  readonly isOpen: boolean;
  close(): void;
}

export function createMemoryPlace(): MemoryPlace {
  const agents = new Map<AgentId, KeptAgent>();
  let openings = 0;
  let isOpen = false;
  return {
    of(agent) {
      const kept = agents.get(agent) ?? createKept();
      agents.set(agent, kept);
      return kept;
    },
    known: () => [...agents.keys()].filter((id) => id !== CONTROL && agents.get(id)?.record !== undefined),
    open() {
      if (isOpen) throw new LegionError("LOCKED", "This legion runs in this process already.");
      isOpen = true;
      return ++openings;
    },
    get isOpen() {
      return isOpen;
    },
    close: () => void (isOpen = false),
  };
}

function createKept(): KeptAgent {
  const kept = new Map<string, Buffer>();
  const blobs = blobsIn({
    read: (hash) => Promise.resolve(kept.get(hash)?.toString("utf8")),
    place: (hash, content) => Promise.resolve(void kept.set(hash, Buffer.from(content))),
  });
  const growth = new EventEmitter().setMaxListeners(0);
  return { lines: [], unread: createUnread([]), position: 0, blobs, growth };
}
