// Adding to the log of agent 0 in Redis: events go there without the numbers of their sends, and come back with them.

import { randomUUID } from "node:crypto";
import { LOG_FORMAT, sendsOf, type NewEvent, type OpenedEvent } from "../../../domain/event.ts";
import { longStrings, outline } from "../../../past/blobs.ts";
import { createRedisBlobs } from "../log/blobs.ts";
import { numbered } from "../log/entry.ts";
import { CONTROL, parseMessageId, type LogId, type Message } from "../../../domain/message.ts";
import type { LegionPlace } from "../cluster/members.ts";
import { gather, say, settle, type Beginning, type Saying } from "../scripts/person.ts";

export interface Spoken {
  readonly seq: number;
  readonly epoch: number;
  readonly at: string;
  /** What numbered the sends. */
  readonly log: LogId;
  readonly sends: readonly Message[];
}

export interface Speech {
  /**
   * Adds `events`; of their sends ids, and roots that are their own ids, are given anew. `undefined`, and nothing is done,
   * unless `last` is the newest event; without it any may be.
   */
  speak(events: readonly NewEvent[], last?: number): Promise<readonly Spoken[] | undefined>;
  /**
   * Remembers that none of the sends of event `seq` is under way any more, and adds `events`, which have no sends; whoever
   * comes second adds nothing. Resolves with the number of events that have sends under way.
   */
  settle(seq: number, events?: readonly NewEvent[]): Promise<number>;
  /** Takes in everything that was said to agent 0. */
  takeIn(): Promise<void>;
}

/** So many messages are taken in at one blow. */
const GATHERED_AT_ONCE = 100;

export function createSpeech(place: LegionPlace, now: () => number): Speech {
  const blobs = createRedisBlobs({ ...place, agent: CONTROL });
  const stamp = (): string => new Date(now()).toISOString();
  const beginning = (at: string): Beginning => {
    const log = randomUUID();
    const opened: OpenedEvent = { kind: "opened", format: LOG_FORMAT, log, seals: {} };
    return { log, opened: JSON.stringify({ at, ...opened }) };
  };
  const textOf = async (event: NewEvent, at: string): Promise<string> => {
    const draft = withoutNumbers(event);
    return JSON.stringify({ at, ...(await outline(draft, longStrings(draft), blobs)) });
  };
  return {
    async speak(events, last) {
      const at = stamp();
      const sayings: Saying[] = [];
      for (const event of events) {
        const to = sendsOf(event).map(({ id }) => parseMessageId(id).to);
        sayings.push({ event: await textOf(event, at), to });
      }
      const said = await say(place, beginning(at), sayings, last);
      if (said.status === "moved") return undefined;
      const { first, epoch, log, numbers } = said;
      return events.map((event, index) => {
        const drafts = sendsOf(event).map(asDraft);
        const sends = drafts.length > 0 ? numbered(drafts, numbers[index]!) : [];
        return { seq: first + index, epoch, at, log, sends };
      });
    },
    async settle(seq, events = []) {
      const at = stamp();
      const texts = await Promise.all(events.map((event) => textOf(event, at)));
      return settle(place, beginning(at), { seq, sent: JSON.stringify({ at, kind: "sent" }), events: texts });
    },
    async takeIn() {
      let left: number;
      do {
        const at = stamp();
        left = await gather(place, beginning(at), JSON.stringify({ at, kind: "message" }), GATHERED_AT_ONCE);
      } while (left > 0);
    },
  };
}

function withoutNumbers(event: NewEvent): object {
  return sendsOf(event).length > 0 ? { ...event, sends: sendsOf(event).map(asDraft) } : event;
}

/** A message without what its number decides. */
function asDraft({ id, root, ...rest }: Message): Omit<Message, "id" | "root"> & { readonly root?: string } {
  return root === id ? rest : { ...rest, root };
}
