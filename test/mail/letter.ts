import type { Bus, Inbox, Mail } from "../../src/mail/bus.ts";
import { messageId, type AgentId, type Delivery, type MailLane } from "../../src/domain/message/message.ts";

export interface Words {
  readonly from?: AgentId;
  readonly log?: string;
  readonly content?: string;
  readonly delivery?: MailLane;
  readonly details?: unknown;
  readonly taint?: readonly string[];
  readonly after?: number;
}

/** Message number `n` to `to`. */
export function letter(to: AgentId, n: number, words: Words = {}): Delivery {
  const {
    from = "x",
    log = `log of ${from}`,
    content = `${from} ${n}`,
    delivery = "normal",
    after,
    details,
    taint,
  } = words;
  const id = messageId({ from, to, n });
  return {
    from: log,
    ...(after !== undefined && { after }),
    message: {
      id,
      type: "agentToAgent",
      source: { type: "agent", id: from },
      targetAgentIds: [to],
      content,
      sentAt: "2026-01-01T00:00:00.000Z",
      delivery,
      root: id,
      hops: 1,
      ...(details !== undefined && { details }),
      ...(taint !== undefined && { taint }),
    },
  };
}

/** 1, 2, 3... */
export const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** What waits, oldest first. */
export const contents = (inbox: Inbox): string[] =>
  inbox.peek(Infinity).map(({ message }) => message.content);

/** A bus over storage that outlives it, for agents `a` to `d` and Control. */
export interface BusStage {
  readonly bus: Bus;
  /** Puts mail into the reader's log, where it may be held, then says so to the inbox. */
  takeIn(agent: AgentId, inbox: Inbox, mail: readonly Mail[], as?: "shown" | "held"): Promise<void>;
  /** The next bus over the same storage: after the one before was closed, or died. */
  restart(how: "closed" | "killed"): Promise<BusStage>;
}
