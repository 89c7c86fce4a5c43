// One agent of a legion that is replayed: its own log, mailbox and outbox, but model, calls and limits of its tape. It gets
// the mail of a decision when all of that has arrived over the bus, in the order in which it was taken in.

import type { Agent } from "../../agent/parts/agent.ts";
import { meterModel, type Metering } from "../../agent/parts/metered-model.ts";
import type { AgentPlan } from "../agent-plan.ts";
import type { Inbox, Mail } from "../../mail/bus.ts";
import type { Clock } from "../../base/clock.ts";
import { withoutStamp } from "./difference.ts";
import type { Event, EventOf, NewEvent } from "../../domain/event.ts";
import type { Memory } from "../../past/past.ts";
import { aborted, linkSignals } from "../../base/signals.ts";
import {
  createStandInBudget,
  createStandInLimiter,
  createStandInModel,
  interruptAgain,
  passEvent,
  performAgain,
  wasNews,
  type Player,
} from "./stand-ins.ts";
import { isOwn } from "./recording.ts";

/** One agent of the legion. */
export interface Part extends Player {
  /** It waits for mail, or its tape is at its end. */
  isResting: boolean;
}

interface Costume {
  readonly part: Part;
  readonly plan: AgentPlan;
  /** What the agent's calls are metered with outside of a replay. */
  readonly metering: Metering;
  /** Makes the actor begin anew. */
  readonly again: () => void;
}

/** `agent` with stand-ins for everything that its tape knows. */
export function dress(agent: Agent, { part, plan, metering, again }: Costume): Agent {
  const gate = createGate(agent, part);
  const memory = followed(agent.memory, part);
  const budget = createStandInBudget(part);
  const limiter = createStandInLimiter(again);
  const model = createStandInModel(plan.model, part, () => dressed);
  const dressed: Agent = {
    ...agent,
    model: meterModel(model, { ...metering, memory, budget, limiter }),
    memory,
    inbox: gate.inbox,
    async perform(call) {
      await gate.putIn();
      return performAgain(part, dressed, call);
    },
    shared: {
      ...agent.shared,
      clock: gate.clock,
      isNews: () => wasNews(part),
      // Control says it again with everything else.
      announceHops: () => Promise.resolve(),
    },
  };
  return dressed;
}

/** `memory` that commits of the agent's own doings only what is on the tape. */
function followed(memory: Memory, part: Part): Memory {
  const follow = (event: NewEvent): void => {
    if (isOwn(event)) passEvent(part, event);
  };
  return {
    ...memory,
    get conversation() {
      return memory.conversation;
    },
    get view() {
      return memory.view;
    },
    get state() {
      return memory.state;
    },
    async commit(...events) {
      events.forEach(follow);
      return memory.commit(...events);
    },
    note(event) {
      follow(event);
      return memory.note(event);
    },
  };
}

/** What stands before an agent's mailbox and before each of its decisions. */
interface Gate {
  readonly inbox: Inbox;
  readonly clock: Clock;
  /** Puts in what came from outside at this point. */
  putIn(): Promise<void>;
}

function createGate({ inbox, memory, outbox, shared }: Agent, part: Part): Gate {
  const { head } = part;
  const putEvent = createPutIn(memory);
  /** Taken from the mailbox, so that it tells of what is new. */
  const held = new Map<string, Mail>();
  let shown: readonly Mail[] = [];
  const batch = (): readonly Mail[] => {
    const arrived = inbox.peek(Infinity);
    for (const mail of arrived) held.set(mail.message.id, mail);
    if (arrived.length > 0) inbox.taken(arrived.at(-1)!.position);
    const mail = head.mail().map(({ message }) => held.get(message.id));
    return mail.every((found) => found !== undefined) ? mail : [];
  };
  const putIn = async (): Promise<void> => {
    for (const event of head.passOutside()) await putEvent(event);
    void outbox.deliver();
  };
  /** Until all the mail that comes next is there. */
  const arrival = async (signal: AbortSignal): Promise<void> => {
    const { signal: either, unlink } = linkSignals(signal, part.over);
    while (!either.aborted && batch().length === 0) {
      part.isResting = true;
      await (head.next() ? inbox.wait(either) : aborted(either));
      part.isResting = false;
    }
    unlink();
    // Whoever was left does nothing more.
    if (part.over.aborted) await aborted(signal);
  };
  return {
    putIn,
    inbox: {
      get unread() {
        return batch().length;
      },
      peek: () => (shown = batch()),
      taken() {
        for (const { message } of shown) held.delete(message.id);
      },
      async wait(signal) {
        await putIn();
        await arrival(signal);
      },
      interrupt: () => interruptAgain(part),
      close: () => inbox.close(),
    },
    clock: {
      ...shared.clock,
      async beat(_, signal) {
        await shared.clock.beat(0, signal);
        await putIn();
        const next = head.next();
        if (!next || next.kind === "message" || part.over.aborted) await arrival(signal);
      },
      sleep: (_, signal) => (part.over.aborted ? aborted(signal) : Promise.resolve()),
    },
  };
}

/** Puts events of the tape into a log where they have other numbers, if they belong there. */
function createPutIn(memory: Memory): (event: Event) => Promise<void> {
  /** The numbers of prompts that were put in, by those on the tape. */
  const prompts = new Map<number, number>();
  return async (event) => {
    if (event.kind === "refused") {
      const prompted = prompts.get(event.prompted);
      if (prompted !== undefined) await memory.commit({ ...withoutStamp(event), prompted });
    } else if (isPutIn(event)) {
      await memory.commit(withoutStamp(event));
      if (event.kind === "prompted") prompts.set(event.seq, memory.ledger.last);
    }
  };
}

/** Does it shape what the agent is shown or does? A prompt was an action's own. */
function isPutIn(event: Event): event is EventOf<"edited" | "prompted" | "notice"> {
  if (event.kind !== "notice") return event.kind === "edited" || event.kind === "prompted";
  return ["paused", "resumed", "gap"].includes(event.reason) || event.reason.startsWith("parked");
}
