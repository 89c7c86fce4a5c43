// An agent that follows its tape: the real agent, in a place whose log takes of its doings only what was recorded and gets
// everything else from the tape, and whose mailbox gives it the mail of a decision when all of that is there, in the order
// in which it was taken in. One agent that is replayed alone and those of a whole legion differ only in what is below.

import type { AgentPlan, AgentPlace } from "../hosting/agent-plan.ts";
import type { Wording } from "../../agent/parts/wording.ts";
import { LegionError } from "../../base/errors.ts";
import type { Message } from "../../domain/message/message.ts";
import type { Receipt } from "../../domain/message/receipt.ts";
import type { AgentState } from "../../domain/inspection.ts";
import { RESTING } from "../../agent/parts/presence.ts";
import type { Inbox, Mail } from "../../mail/bus.ts";
import { withoutStamp } from "./difference.ts";
import type { Event, NewEvent } from "../../domain/event/event.ts";
import type { Memory } from "../../past/past.ts";
import { aborted, linkSignals } from "../../base/process/signals.ts";
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

export function onTape(plan: AgentPlan, player: Player): AgentPlan {
  const model = createStandInModel(plan, player);
  // When it had made all its decisions for an instruction is on the tape.
  const limits = { ...plan.limits, turns: undefined };
  const wording = plan.wording && (() => wordingOnTape(player));
  // What was run before the first step is on the tape.
  return {
    ...plan,
    model,
    limits,
    wording,
    startup: undefined,
    tickMs: 0,
    replay: (place) => placeOnTape(plan, place, player),
  };
}

/** What only a person ends, and the end. */
const AT_REST: ReadonlySet<AgentState> = new Set([...Object.values(RESTING), "stopped"]);

/** Words again what stands on the tape, as it stands there. */
function wordingOnTape({ head }: Player): Wording {
  const refuse = () =>
    Promise.reject(new LegionError("REFUSED", "Nothing is worded anew: it is on the tape."));
  return {
    open: refuse,
    present(events) {
      const mail = head.mail();
      const shownOf = ({ id }: Message) => mail.find(({ message }) => message.id === id)?.shown;
      return Promise.resolve(
        events.map((event) =>
          event.kind === "message" ? { ...event, shown: shownOf(event.message) } : event,
        ),
      );
    },
    formatError(error) {
      const reason = head.next(1);
      return Promise.resolve(reason?.kind === "result" ? reason.content : error);
    },
    word: refuse,
  };
}

function placeOnTape(plan: AgentPlan, place: AgentPlace, player: Player): AgentPlace {
  const { head } = player;
  const { store, shared } = place;
  let arrival = aborted;
  return {
    ...place,
    delayMs: 0,
    budget: createStandInBudget(player, plan),
    limiter: createStandInLimiter(player),
    // So is what others had written by then.
    judge: () => Promise.resolve(receiptsOnTape(player)),
    // What was observed, and found, is on the tape.
    sources: undefined,
    lookout: () => () => player.catchUp(),
    // Whatever ran side by side, its results stand in order.
    clear: undefined,
    // What came of it is on the tape, whatever was judged and asked before.
    admit: async (performer, call) => ({
      kind: "closed",
      performed: await performAgain(player, performer, call),
    }),
    store: {
      ...store,
      async openAgent(id, options) {
        const memory = followTape(await store.openAgent(id, options), player);
        await player.begin();
        return memory;
      },
      bus: {
        ...store.bus,
        async open(id) {
          const gate = createGate(await store.bus.open(id), player);
          arrival = gate.arrival;
          return gate.inbox;
        },
      },
    },
    shared: {
      ...shared,
      clock: {
        ...shared.clock,
        async beat(_, signal) {
          await shared.clock.beat(0, signal);
          if (!head.next() || head.mail().length > 0 || player.over.aborted) await arrival(signal);
        },
      },
      isNews: () => wasNews(player),
      // Control says it again with everything else.
      announceHops: () => Promise.resolve(),
    },
  };
}

/** `memory` that commits of the agent's own doings only what is on the tape, with what came from outside around it. */
function followTape(memory: Memory, player: Player): Memory {
  const { head } = player;
  const numbers = createNumbers();
  const put = createPutIn(memory, player, numbers);
  /** What stands on the tape for `event`; `undefined` if nothing does, or if it is put in from there. */
  const numberOf = (event: NewEvent): number | undefined =>
    isOwn(event) ? passEvent(player, event).seq : undefined;
  const isKept = (event: NewEvent): boolean => isOwn(event) || !player.isGiven(event);
  player.catchUp = () => put(head.passOutside());
  player.begin = () => {
    player.isResting = false;
    return put(head.begin());
  };
  const own: Pick<Memory, "commit" | "keep" | "note" | "noteBetween" | "tell"> = {
    async commit(...events) {
      const committed: Event[] = [];
      for (const event of events.filter(isKept)) {
        await player.catchUp();
        const seq = numberOf(event);
        committed.push(...(await memory.commit(event)));
        numbers.note(seq, committed.at(-1)?.seq);
      }
      await player.catchUp();
      return committed;
    },
    keep: (...events) => own.commit(...events),
    tell(seen) {
      memory.tell(seen);
      if (seen.kind !== "live:state") return;
      player.isResting = AT_REST.has(seen.state);
      if (player.isResting) player.rest();
    },
    note(event) {
      if (!isKept(event)) return undefined;
      const seq = numberOf(event);
      const noted = memory.note(event);
      numbers.note(seq, noted);
      return noted;
    },
    noteBetween(event, noted) {
      const seq = own.note(event);
      noted?.();
      return Promise.resolve(seq);
    },
  };
  // All else is that of `memory` at each moment.
  return Object.assign(Object.create(memory) as Memory, own);
}

/** The numbers that events of the tape have in today's log. */
function createNumbers() {
  const numbers: { readonly recorded: number; readonly today: number }[] = [];
  return {
    note(recorded: number | undefined, today: number | undefined): void {
      if (recorded !== undefined && today !== undefined) numbers.push({ recorded, today });
    },
    /** That of the newest event up to `seq` of the tape that is in today's log; 0 if none is. */
    of: (seq: number): number => numbers.findLast(({ recorded }) => recorded <= seq)?.today ?? 0,
  };
}

type Numbers = ReturnType<typeof createNumbers>;

/** Puts events of the tape into a log where they may have other numbers, if they belong there. */
function createPutIn(
  memory: Memory,
  player: Player,
  numbers: Numbers,
): (events: readonly Event[]) => Promise<void> {
  /** Prompts that were put in: the agent tells of the others itself what refused them. */
  const asked = new Set<number>();
  const isIn = (event: Event): boolean =>
    isOwn(event) || player.isGiven(event) || (event.kind === "refused" && asked.has(event.prompted));
  return async (events) => {
    for (const event of events) {
      if (!isIn(event)) continue;
      if (event.kind === "prompted") asked.add(event.seq);
      const [committed] = await memory.commit(renumbered(event, numbers));
      numbers.note(event.seq, committed?.seq);
      if (event.kind === "branch") await memory.reopen();
    }
  };
}

/** `event` as it is said where others have other numbers. */
function renumbered(event: Event, { of }: Numbers): NewEvent {
  switch (event.kind) {
    case "refused":
      return { ...withoutStamp(event), prompted: of(event.prompted) };
    case "released":
      return { ...withoutStamp(event), messages: event.messages.map(of) };
    case "branch":
      return { ...withoutStamp(event), to: of(event.to) };
    case "summary":
      return { ...withoutStamp(event), covers: [of(event.covers[0]), of(event.covers[1])] };
    default:
      return withoutStamp(event) as NewEvent;
  }
}

/** What stands before an agent's mailbox. */
function createGate(inbox: Inbox, player: Player) {
  const { head } = player;
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
  /** Resolves when all the mail is there that comes next, or when `signal` aborts. */
  const arrival = async (signal: AbortSignal): Promise<void> => {
    const { signal: either, unlink } = linkSignals(signal, player.over);
    while (!either.aborted && batch().length === 0) {
      player.isResting = true;
      player.rest();
      await inbox.wait(either);
      player.isResting = false;
    }
    unlink();
    // Whoever was left does nothing more.
    if (player.over.aborted) await aborted(signal);
  };
  const gated: Inbox = {
    get unread() {
      return batch().length;
    },
    peek: () => (shown = batch()),
    taken() {
      for (const { message } of shown) held.delete(message.id);
    },
    wait: arrival,
    interrupt: () => interruptAgain(player),
    // What a person said before it was taken in is on the tape; what is taken in next was there.
    ahead: batch,
    heard: aborted,
    close: () => inbox.close(),
  };
  return { arrival, inbox: gated };
}

/** What the plain answer that comes next cited. */
function receiptsOnTape({ head }: Player): readonly Receipt[] {
  const next = head.next();
  return next?.kind === "decision" ? (next.sends?.[0]?.receipts ?? []) : [];
}
