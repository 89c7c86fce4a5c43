import { sendsOf, type Event } from "../../domain/event/event.ts";
import { parseMessageId, type AgentId, type Delivery, type LogId } from "../../domain/message/message.ts";

/** A committed send on its way; `seq` is the event that it is part of. */
export interface Send extends Delivery {
  readonly to: AgentId;
  readonly n: number;
  readonly seq: number;
}

/** What committing `event` put on its way, numbered by the log `from`. */
export function sendsIn(event: Event, from: LogId): readonly Send[] {
  return sendsOf(event).map((message) => {
    const { to, n } = parseMessageId(message.id);
    return { from, message, to, n, seq: event.seq };
  });
}
