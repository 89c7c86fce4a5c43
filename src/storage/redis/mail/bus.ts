// The bus of a legion in Redis. A delivery is one script on the recipient's keys, and a word on a channel that only its
// reader listens to: no read waits in Redis, and there is no timer and no connection per agent.

import { LegionError, messageOf } from "../../../base/errors.ts";
import {
  CONTROL,
  isAgentId,
  parseMessageId,
  type AgentId,
  type Delivery,
} from "../../../domain/message/message.ts";
import { agentKeys } from "../scripts/keys.ts";
import { deliver } from "../scripts/mail.ts";
import type { LegionPlace } from "../scripts/scope.ts";
import type { Tenure } from "../../../domain/lease.ts";
import type { Bus, Inbox } from "../../../mail/bus.ts";
import { openRedisMailbox, type RedisMailbox } from "./mailbox.ts";
import { createEar } from "./ear.ts";
import { createWatch, type MailWatch } from "./watch.ts";
import { createPost } from "./post.ts";

export interface RedisBus extends Bus {
  /** There is mail up to `position` for `agent`, as the renewal of its lease tells: a word on the channel may be lost. */
  heard(agent: AgentId, position: number): void;
  /** As `over` of a watch, for an agent whose mailbox this process has closed. */
  watch: MailWatch["over"];
}

export interface RedisBusOptions extends LegionPlace {
  /** The right of this process to run `agent`, if it has it. */
  readonly tenureOf: (agent: AgentId) => Tenure | undefined;
}

/**
 * A mailbox opens for whoever has the right to run the agent, Control's for anybody; else `open` rejects with LOCKED. When
 * mail cannot be read, that right ends.
 */
export function createRedisBus(options: RedisBusOptions): RedisBus {
  const { link, legion } = options;
  const { open, mailboxes, watch, close } = createReading(options);
  const post = createPost((agent, deliveries: readonly Delivery[]) =>
    deliver({ link, legion, agent }, deliveries),
  );
  let closed = false;
  const refuseClosed = (): void => {
    if (closed) throw new LegionError("STORAGE", "The bus is closed.");
  };
  return {
    async send(delivery) {
      refuseClosed();
      const { from, message } = delivery;
      const { to } = parseMessageId(message.id);
      if (!mayExist(to)) return { status: "unknown" };
      const delivered = await post(to, delivery);
      if (delivered.status !== "accepted") return delivered;
      const { status, position } = delivered;
      mailboxes.get(to)?.front.arrived(position, () => ({ position, from, message }));
      watch.heard(to, position);
      return { status };
    },
    async open(agent) {
      refuseClosed();
      return open(agent);
    },
    async unread(agent) {
      if (!mayExist(agent)) return 0;
      // Who asks whether there is room must not fail with a mailbox that cannot be read: the mail waits at its sender.
      const { mailbox, meta } = agentKeys(legion, agent);
      const asked = [link.command("XLEN", mailbox), link.command("HGET", meta, "held")];
      const [waiting, held] = await Promise.all(asked.map((count) => count.then(Number, () => 0)));
      return waiting! + held!;
    },
    heard(agent, position) {
      mailboxes.get(agent)?.front.learn({ newest: position });
      watch.heard(agent, position);
    },
    watch: watch.over,
    async close() {
      closed = true;
      await close();
    },
  };
}

/** The mailboxes that this process reads. */
function createReading({ link, legion, tenureOf }: RedisBusOptions) {
  /** `undefined` while it is being opened. */
  const mailboxes = new Map<AgentId, RedisMailbox | undefined>();
  const ear = createEar({ link, legion });
  const watch = createWatch({ link, legion }, ear);
  const isKnown = async (agent: AgentId): Promise<boolean> =>
    agent === CONTROL ||
    (mayExist(agent) && (await link.command("HEXISTS", agentKeys(legion, agent).meta, "known")) === 1);
  return {
    mailboxes,
    watch,
    async open(agent: AgentId): Promise<Inbox> {
      if (!(await isKnown(agent))) throw new LegionError("REFUSED", `There is no agent ${agent}.`);
      if (mailboxes.has(agent))
        throw new LegionError("LOCKED", `The mailbox of agent ${agent} has a reader already.`);
      const tenure = tenureOf(agent);
      if (agent !== CONTROL && !tenure)
        throw new LegionError("LOCKED", `Agent ${agent} is not run by this process.`);
      const onFailure = (error: unknown): void =>
        tenure?.end(`its mailbox could not be read (${messageOf(error)})`);
      const onClose = (): void => void mailboxes.delete(agent);
      mailboxes.set(agent, undefined);
      watch.end(agent);
      try {
        const own = agent === CONTROL ? undefined : { ear, token: tenure!.token };
        const mailbox = await openRedisMailbox({ link, legion, agent, own, onFailure, onClose });
        mailboxes.set(agent, mailbox);
        return mailbox.inbox;
      } catch (error) {
        onClose();
        throw error;
      }
    },
    async close(): Promise<void> {
      for (const mailbox of mailboxes.values()) await mailbox?.inbox.close();
      ear.close();
    },
  };
}

/** An id that nobody can have names no keys either. */
function mayExist(agent: AgentId): boolean {
  return agent === CONTROL || isAgentId(agent);
}
