// How an event stands in a stream: `e` is its JSON without sequence number and epoch, `p` the epoch. What a script knew
// better than its caller is in fields of its own. Long texts are beside it.

import { LegionError, messageOf } from "../../../base/errors.ts";
import { isLogFormat, type Event } from "../../../domain/event/event.ts";
import { CONTROL, type Draft, type Message } from "../../../domain/message/message.ts";
import type { Entry } from "../scripts/pages.ts";
import { agentKeys } from "../scripts/keys.ts";
import type { RedisPlace } from "../scripts/scope.ts";
import type { WordlessEvent } from "../../../past/memory/words.ts";
import { blobsIn, type Blobs } from "../../../past/log/blobs.ts";
import type { Stored } from "../../../past/log/patches.ts";

/** What stands in a log: of an agent, or of a memory. */
export type StreamedEvent = Stored<Event> | WordlessEvent;

/** Throws DAMAGED if `entry` of the log `name` is not what was written, or a newer version wrote it. */
export function eventIn<E extends StreamedEvent = Stored<Event>>(entry: Entry, name: string): E {
  const event = parseEvent<E>(entry, name);
  if (event.kind === "opened" && !isLogFormat(event.format))
    throw new LegionError(
      "DAMAGED",
      `${name} was written by a newer version (format ${String(event.format)}).`,
    );
  return event;
}

function parseEvent<E extends StreamedEvent>({ number, fields }: Entry, name: string): E {
  try {
    const event = JSON.parse(fields.get("e")!) as object;
    const stamp = { seq: number, epoch: Number(fields.get("p")) };
    return { ...stamp, ...event, ...addedTo(event, fields) } as E;
  } catch (error) {
    const problem = `event ${number} of ${name} is not what was written: ${messageOf(error)}`;
    throw new LegionError("DAMAGED", problem, { cause: error });
  }
}

/** What scripts add to events of agent 0: numbers to sends, mail to messages, how far its outbox has come. */
function addedTo(event: object, fields: Entry["fields"]): object {
  const numbers = fields.get("n");
  const mail = fields.get("m");
  const upTo = fields.get("u");
  return {
    ...(numbers !== undefined && { sends: numbered(sendsIn(event), numbers) }),
    ...(mail !== undefined && {
      message: JSON.parse(mail) as Message,
      mail: Number(fields.get("i")),
      from: fields.get("f"),
    }),
    ...(upTo !== undefined && { upTo: Number(upTo) }),
  };
}

/** @param numbers `<to>#<n>` of each, with commas between them */
export function numbered(drafts: readonly Draft[], numbers: string): readonly Message[] {
  const addresses = numbers.split(",");
  return drafts.map((draft, index) => {
    const id = `${CONTROL}>${addresses[index]!}`;
    return { id, ...draft, root: draft.root ?? id };
  });
}

function sendsIn(event: object): readonly Draft[] {
  return "sends" in event ? (event.sends as readonly Draft[]) : [];
}

/** Long texts of one agent; what one process kept, another one finds. */
export function createRedisBlobs({ link, legion, agent }: RedisPlace): Blobs {
  const { blob } = agentKeys(legion, agent);
  return blobsIn({
    read: async (hash) => ((await link.command("GET", blob(hash))) as string | null) ?? undefined,
    // Over whatever is there: it is the same text, or damaged.
    place: async (hash, content) => {
      const value = typeof content === "string" ? content : Buffer.from(content);
      await link.command("SET", blob(hash), value);
    },
  });
}
