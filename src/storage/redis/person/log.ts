// The log of agent 0 in Redis. Nobody owns it: whatever process a person speaks through adds to it at any time, which costs
// one trip however long the log is. So it is not written as other logs are: scripts count its events and number what is said.

import { randomUUID } from "node:crypto";
import { LegionError } from "../../../base/errors.ts";
import { LOG_FORMAT, sendsOf, type Event, type NewEvent, type OpenedEvent } from "../../../domain/event.ts";
import {
  CONTROL,
  isAgentId,
  parseMessageId,
  type AgentId,
  type Draft,
  type LogId,
  type Message,
} from "../../../domain/message.ts";
import { longStrings, outline } from "../../../past/log/blobs.ts";
import type { LegionPlace } from "../scripts/scope.ts";
import type { LuaScript } from "../connection/script.ts";
import { createRedisBlobs } from "../log/blobs.ts";
import { numbered } from "../log/entry.ts";
import { readRedisLog } from "../log/log.ts";
import { agentKeys } from "../scripts/keys.ts";
import { SAY, SETTLE, TAKE_IN } from "../scripts/person.ts";

/** An event as it stands in the log, and what numbered its sends. */
export interface NumberedEvent {
  readonly event: Event;
  readonly log: LogId;
}

export interface PersonLog {
  /**
   * Adds `events`; of their sends ids, and roots that are their own ids, are given anew. `undefined`, and nothing is done,
   * unless `last` is the newest event; without it any may be. Throws REFUSED for a recipient that cannot be an agent.
   */
  add(events: readonly NewEvent[], last?: number): Promise<readonly NumberedEvent[] | undefined>;
  /**
   * Remembers that none of the sends of event `seq` is under way any more, and adds `events`, which have no sends; whoever
   * comes second adds nothing.
   */
  settle(seq: number, events?: readonly NewEvent[]): Promise<void>;
  /** Takes in everything that was said to agent 0. */
  takeIn(): Promise<void>;
  read(from?: number): AsyncIterable<Event>;
}

/** So many messages are taken in at one blow. */
const TAKEN_AT_ONCE = 100;

export function createPersonLog({ link, legion }: LegionPlace, now: () => number): PersonLog {
  const place = { link, legion, agent: CONTROL };
  const { meta, log, epoch, numbers, out, mailbox } = agentKeys(legion, CONTROL);
  const blobs = createRedisBlobs(place);
  const timeNow = (): string => new Date(now()).toISOString();
  const run = (script: LuaScript, at: string, args: readonly (string | number)[]): Promise<unknown> => {
    const id = randomUUID();
    const opened: OpenedEvent = { kind: "opened", format: LOG_FORMAT, log: id, seals: {} };
    const own = script === TAKE_IN ? mailbox : out;
    return link.run(
      script,
      [meta, log, epoch, numbers, own],
      [id, JSON.stringify({ at, ...opened }), ...args],
    );
  };
  const textOf = async (event: NewEvent, at: string): Promise<string> => {
    const sends = sendsOf(event).map(asDraft);
    const draft = sends.length > 0 ? { ...event, sends } : event;
    return JSON.stringify({ at, ...(await outline(draft, longStrings(draft), blobs)) });
  };
  return {
    async add(events, last) {
      const at = timeNow();
      const args: (string | number)[] = [last ?? ""];
      for (const event of events) args.push(await textOf(event, at), recipientsOf(event).join());
      const [status, first, epoch, log, ...given] = (await run(SAY, at, args)) as SayReply;
      if (status === "moved") return undefined;
      return events.map((event, index) => {
        const drafts = sendsOf(event).map(asDraft);
        const sends = drafts.length > 0 && { sends: numbered(drafts, given[index]!) };
        return { log, event: { seq: first + index, epoch, at, ...event, ...sends } as Event };
      });
    },
    async settle(seq, events = []) {
      const at = timeNow();
      const texts = await Promise.all(events.map((event) => textOf(event, at)));
      await run(SETTLE, at, [JSON.stringify({ at, kind: "sent" }), seq, ...texts]);
    },
    async takeIn() {
      let left: number;
      do {
        const at = timeNow();
        const args = [JSON.stringify({ at, kind: "message" }), TAKEN_AT_ONCE];
        left = (await run(TAKE_IN, at, args)) as number;
      } while (left > 0);
    },
    read: (from) => readRedisLog(place, from),
  };
}

type SayReply = readonly [
  status: "said" | "moved",
  first: number,
  epoch: number,
  log: LogId,
  ...numbers: string[],
];

function recipientsOf(event: NewEvent): readonly AgentId[] {
  const recipients = sendsOf(event).map(({ id }) => parseMessageId(id).to);
  const stray = recipients.find((id) => id !== CONTROL && !isAgentId(id));
  if (stray === undefined) return recipients;
  throw new LegionError("REFUSED", `"${stray}" is not the id of an agent.`);
}

/** A message without what its number decides. */
function asDraft({ id, root, ...rest }: Message): Draft {
  return root === id ? rest : { ...rest, root };
}
