// Agent 0, the person. It never decides, so it has no actor: what people say is committed here and sent, what agents say
// to them is taken into its log as it arrives.

import type { Bus, Inbox } from "./bus.ts";
import type { Clock } from "../base/clock.ts";
import { compose, writeLetter } from "./compose.ts";
import type { NewEvent } from "../domain/event.ts";
import type { Send } from "../past/ledger.ts";
import type { Memory } from "../past/past.ts";
import { CONTROL, type AgentId } from "../domain/message.ts";
import { LegionError } from "../base/errors.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import { resolveTargets } from "./refusal.ts";
import { createTurns, mend, type Writer } from "./log-access.ts";
import type { Chain, Letter } from "./letter.ts";

export interface Control extends Writer {
  /** Says `content` as the person. Returns the message ids once each was offered to its mailbox. Throws REFUSED. */
  say(targets: readonly AgentId[] | "all", content: string, delivery?: "abort"): Promise<readonly string[]>;
  /** Says `content` as the runtime itself; `chain` makes it part of a conversation that went on before. */
  announce(to: readonly AgentId[], content: string, chain?: Chain): Promise<void>;
  /** What was said here and is not in its recipient's mailbox yet, oldest first. */
  undelivered(): readonly Send[];
  /** Takes in what was said to Control until now. */
  close(): Promise<void>;
}

/** Control of a legion in one process, over its own log. */
export interface FileControl extends Control {
  readonly memory: Memory;
  readonly outbox: Outbox;
}

const RETRY_MS = 1_000;

export interface ControlOptions {
  readonly memory: Memory;
  readonly bus: Bus;
  readonly clock: Clock;
  /** Known agents, Control not. */
  readonly known: () => readonly AgentId[];
}

export async function openControl({ memory, bus, clock, known }: ControlOptions): Promise<FileControl> {
  const outbox = createOutbox(memory, bus, clock);
  const inbox = await bus.open(CONTROL);
  const turns = createTurns();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => turns(() => mend(memory).then(work));
  const endReceiving = startReceiving({ inbox, clock }, (events) => inTurn(() => memory.commit(...events)));

  const peers = (): Promise<{ readonly id: AgentId }[]> => Promise.resolve(known().map((id) => ({ id })));
  const post = { clock, peers, unread: bus.unread };
  return {
    memory,
    outbox,
    undelivered: outbox.undelivered,
    alone: (work) => inTurn(() => work({ memory, outbox })),
    async say(targets, content, delivery) {
      const letter = { from: CONTROL, to: resolveTargets(targets, known(), CONTROL), content, delivery };
      if (letter.to.length === 0)
        throw new LegionError("REFUSED", "There are no agents that could hear this.");
      const sends = await inTurn(async () => {
        const { sends, refusal } = await writeLetter(memory, letter, post);
        if (refusal) throw new LegionError("REFUSED", refusal.reason);
        await memory.commit({ kind: "notice", reason: "said", content, sends });
        return sends;
      });
      await outbox.deliver();
      return sends.map(({ id }) => id);
    },
    async announce(to, content, chain) {
      const there = to.filter((id) => id === CONTROL || known().includes(id));
      const letter: Letter = { from: CONTROL, to: there, content, chain, spontaneous: true };
      const say = () =>
        inTurn(() => {
          const sends = compose(memory, letter, [], clock.now());
          return memory.commit({ kind: "notice", reason: "announced", content, sends });
        });
      // A log that died before is found out by the first try, and opened anew for the second.
      await say().catch((error: unknown) => (memory.isDead() ? say() : Promise.reject(error)));
      await outbox.deliver();
    },
    async close() {
      try {
        await outbox.close();
        await endReceiving();
      } finally {
        await inbox.close();
        await memory.close();
      }
    },
  };
}

/** Takes mail into the log as it arrives, until the end: what it returns takes in what is left, and stops. */
function startReceiving(
  { inbox, clock }: { readonly inbox: Inbox; readonly clock: Clock },
  commit: (events: readonly NewEvent[]) => Promise<void>,
): () => Promise<void> {
  const ending = new AbortController();
  const takeIn = async (): Promise<void> => {
    const mail = inbox.peek(Infinity);
    if (mail.length === 0) return;
    await commit(
      mail.map(({ position, from, message }) => ({ kind: "message", message, mail: position, from })),
    );
    inbox.taken(mail.at(-1)!.position);
  };
  const receive = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await inbox.wait(ending.signal);
      // Mail that could not be taken in waits in the mailbox: a disk that was full has room again some time.
      await takeIn().catch(() => clock.sleep(RETRY_MS, ending.signal));
    }
  };
  const receiving = receive();
  return async () => {
    ending.abort();
    await receiving;
    await takeIn();
  };
}
