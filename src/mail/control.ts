// Agent 0, the person: a peer without an actor. It never decides: what people say is committed to its log and sent, what
// agents say to them is taken into its log as it arrives. How its log is written is its storage's; what is said there is not.

import type { Clock } from "../base/clock.ts";
import { LegionError } from "../base/errors.ts";
import { quote } from "../base/text/wording.ts";
import { inTurns } from "../base/turns.ts";
import type { NewEvent } from "../domain/event/event.ts";
import type { InvocationDetails, InvocationOrder } from "../domain/event/invoking.ts";
import { CONTROL, type AgentId, type SpokenLane } from "../domain/message/message.ts";
import { parseQuestionId, type Verdict } from "../domain/policy/verdict.ts";
import type { ActDetails, Mode, ModeDetails } from "../domain/supervision.ts";
import type { Send } from "../past/mail/sends.ts";
import type { Memory } from "../past/past.ts";
import type { Bus, Inbox } from "./bus.ts";
import {
  compose,
  writeLetter,
  type Chain,
  type Letter,
  resolveTargets,
  type PostalService,
} from "./compose.ts";
import { mend, sendNotice, type LetterWriter } from "./log-access.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import { createRelay, type Relay } from "./relay.ts";

export interface Control extends ControlLog, Relay {
  /** Says `content` as the person, in the lane `delivery`, mostly `normal`. Returns the message ids once each was offered to its mailbox. Throws REFUSED. */
  say(
    targets: readonly AgentId[] | "all",
    content: string,
    delivery?: SpokenLane,
  ): Promise<readonly string[]>;
  /** Answers a question as the person. Returns the message id once it was offered to the agent's mailbox. Throws REFUSED. */
  answer(verdict: Verdict): Promise<string>;
  /** Has agents go on in another mode, as the person. Returns the message ids once each was offered to its mailbox. Throws REFUSED. */
  switchMode(targets: readonly AgentId[] | "all", mode: Mode): Promise<readonly string[]>;
  /** Has an agent in mode `human` do what the person typed as `text`. Returns as `answer` does. */
  act(agent: AgentId, text: string, act: ActDetails["act"]): Promise<string>;
  /** Has an observer do something, as the person; `content`: the message to be processed, if there is one. Returns as `answer` does. */
  invoke(observer: AgentId, order: InvocationOrder, content?: string): Promise<string>;
  /** Says `content` as the runtime itself; `chain` makes it part of a conversation that went on before. */
  announce(to: readonly AgentId[], content: string, chain?: Chain): Promise<void>;
}

/** The log of agent 0, and what looks after it. */
export interface ControlLog extends LetterWriter {
  /** What was said here and is not in its recipient's mailbox yet, oldest first. */
  undelivered(): readonly Send[];
  /** Resolves when what was said to Control until now is in its log, or cannot be taken in at the moment. */
  caughtUp(): Promise<void>;
  /** Takes in what was said to Control until now. */
  close(): Promise<void>;
}

/** Control over `log`, wherever that is kept. */
export function createControl(log: ControlLog, post: PostalService): Control {
  const speak = async (
    targets: readonly AgentId[] | "all",
    words: Pick<Letter, "content" | "delivery" | "details">,
  ): Promise<readonly string[]> => {
    const to = resolveTargets(targets, await post.known(), CONTROL);
    if (to.length === 0) throw new LegionError("REFUSED", "There are no agents that could hear this.");
    return sendNotice(log, async (memory) => {
      const { sends, refusal } = await writeLetter(memory, { ...words, from: CONTROL, to }, post);
      if (refusal) throw new LegionError("REFUSED", refusal.reason);
      return { kind: "notice", reason: "said", content: words.content, sends };
    });
  };
  return {
    ...log,
    ...createRelay(log, post),
    say: (targets, content, delivery) => speak(targets, { content, delivery }),
    async answer(verdict) {
      const agent = parseQuestionId(verdict.question)?.agent;
      if (agent === undefined) throw new LegionError("REFUSED", `${quote(verdict.question)} is no question.`);
      const content = `${verdict.verdict} ${verdict.question}${verdict.reason ? `: ${verdict.reason}` : ""}`;
      const [id] = await speak([agent], { content, delivery: "verdict", details: verdict });
      return id!;
    },
    switchMode: (targets, mode) =>
      speak(targets, {
        content: `mode ${mode}`,
        delivery: "verdict",
        details: { mode } satisfies ModeDetails,
      }),
    async act(agent, text, { action, parameters }) {
      const details: ActDetails = { act: { action, parameters } };
      const [id] = await speak([agent], { content: text, delivery: "verdict", details });
      return id!;
    },
    async invoke(observer, order, content = order.control) {
      const details: InvocationDetails = { invoke: order };
      const [id] = await speak([observer], { content, details });
      return id!;
    },
    async announce(to, content, chain) {
      const all = new Set([CONTROL, ...(await post.known())]);
      const there = to.filter((id) => all.has(id));
      const letter: Letter = { from: CONTROL, to: there, content, chain, spontaneous: true };
      await sendNotice(log, async (memory) => {
        const sends = compose(memory, letter, [], post.clock.now());
        return { kind: "notice", reason: "announced", content, sends };
      });
    },
  };
}

/** Control of a legion in one process, over a log that is this process's own. */
export interface LocalControl extends Control {
  readonly memory: Memory;
  readonly outbox: Outbox;
}

const RETRY_MS = 1_000;

/** Takes mail in from now on; `known` lists all agents, Control not. Rejects with LOCKED if somebody does already. */
export async function openControl(
  memory: Memory,
  bus: Bus,
  clock: Clock,
  known: () => readonly AgentId[],
): Promise<LocalControl> {
  const outbox = createOutbox(memory, bus, clock);
  const inbox = await bus.open(CONTROL);
  const turns = inTurns();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => turns(() => mend(memory).then(work));
  const receiving = startReceiving({ inbox, clock }, (events) => inTurn(() => memory.commit(...events)));
  const log: ControlLog = {
    undelivered: outbox.undelivered,
    caughtUp: () => receiving.takeIn().catch(() => undefined),
    alone: (work) => inTurn(() => work({ memory, outbox })),
    async close() {
      try {
        await outbox.close();
        await receiving.end();
      } finally {
        await inbox.close();
        await memory.close();
      }
    },
  };
  const all = (): Promise<readonly AgentId[]> => Promise.resolve(known());
  const control = createControl(log, { clock, known: all, unread: bus.unread });
  return {
    ...control,
    memory,
    outbox,
    async announce(...words) {
      // A log that died before is found out by the first try, and opened anew for the second.
      const again = (error: unknown) =>
        memory.isDead() ? control.announce(...words) : Promise.reject(error);
      await control.announce(...words).catch(again);
    },
  };
}

interface Receiving {
  /** Takes in what is there. Rejects when the log fails. */
  takeIn(): Promise<void>;
  /** Takes in what is left, and stops. */
  end(): Promise<void>;
}

/** Takes mail into the log as it arrives. */
function startReceiving(
  { inbox, clock }: { readonly inbox: Inbox; readonly clock: Clock },
  commit: (events: readonly NewEvent[]) => Promise<unknown>,
): Receiving {
  const ending = new AbortController();
  const inTurn = inTurns();
  const takeIn = (): Promise<void> =>
    inTurn(async () => {
      const mail = inbox.peek(Infinity);
      if (mail.length === 0) return;
      await commit(
        mail.map(({ position, from, message }) => ({ kind: "message", message, mail: position, from })),
      );
      inbox.taken(mail.at(-1)!.position);
    });
  const receive = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await inbox.wait(ending.signal);
      // Mail that could not be taken in waits in the mailbox: a disk that was full has room again some time.
      await takeIn().catch(() => clock.sleep(RETRY_MS, ending.signal));
    }
  };
  const received = receive();
  return {
    takeIn,
    async end() {
      ending.abort();
      await received;
      await takeIn();
    },
  };
}
