// A legion that one process has alone, opened for writing: all logs and mailboxes are its own. Those of agents that it does
// not run are opened when there is something to deliver or to add, and kept until the end; those of agents that rest are closed.

import type { Clock } from "../../base/clock.ts";
import type { Redactor } from "../../base/redaction/redactor.ts";
import type { Inspect } from "../../domain/inspection.ts";
import { CONTROL, type AgentId } from "../../domain/message/message.ts";
import { openControl, type LocalControl } from "../../mail/control.ts";
import { inTurns } from "../../base/turns.ts";
import { mend, type Writer, type Writing } from "../../mail/log-access.ts";
import { withMemories } from "../../mail/to-memories.ts";
import { createOutbox, type Outbox } from "../../mail/outbox.ts";
import { account, createLedger, type Ledger } from "../../past/ledger.ts";
import { openMemory, type Memory, type OpenLog } from "../../past/past.ts";
import type { LocalBus, LocalMailboxes } from "./local-bus.ts";
import type { AgentHost, Running } from "./node.ts";
import type { Memories } from "./memory/memories.ts";
import { createResting, NOBODY_RESTS, type RestIndex } from "./resting.ts";
import { UNHOSTED, type AgentMemoryOptions, type Store } from "./store.ts";
import type { Send } from "../../past/mail/sends.ts";

export interface LocalPlace extends Pick<Store, "known" | "events" | "enroll"> {
  readonly clock: Clock;
  readonly inspect: Inspect;
  /** Of what is written. Absent: nothing is hidden. */
  readonly redactor?: Redactor;
  /** Agents that will be run: their logs are read then, not now. */
  readonly hosted: Set<AgentId>;
  /** What opens the agent's log, as often as it must be. Rejects with FOREIGN if somebody else wrote what is kept of it. */
  logOf(agent: AgentId): Promise<OpenLog>;
  /** Holds of its log, which is closed, no more than where another one goes on. Absent: it holds nothing. */
  forget?(agent: AgentId): Promise<void>;
  createBus(mailboxes: Pick<LocalMailboxes, "watermarks" | "held">): LocalBus;
  /** What is sent to long-term memories goes there. */
  readonly memories: Memories;
  /** Agents whose mailboxes lost mail to a damage. */
  readonly damaged: Set<AgentId>;
  /** Absent: nothing is kept of who rests. */
  readonly restIndex?: RestIndex;
  /** Lets the next process have it. */
  release(): Promise<void>;
}

/** What a place adds to is a `Store`. */
export type LocalStore = Awaited<ReturnType<typeof openLocalStore>>;

export async function openLocalStore(place: LocalPlace) {
  const { known, events, hosted, clock, memories, restIndex = NOBODY_RESTS } = place;
  const { find, held, openAgent, retire, close: closeLog } = await openLogs(place, restIndex);
  const ledger = (agent: AgentId): Promise<Ledger | undefined> => find(agent).catch(() => undefined);
  const localBus = place.createBus({ watermarks: find, held });
  const rests = createResting(restIndex, async (agent) => {
    await localBus.forget(agent);
    await place.forget?.(agent);
    closeLog(agent);
  });
  const { resting } = rests;
  const bus = withMemories(rests.waking(localBus), memories);
  const control = await openControl(await openAgent(CONTROL, UNHOSTED), bus, clock, known);
  // What is kept of it is for when it runs.
  const openSleeper = (agent: AgentId) => openAgent(agent, { ...UNHOSTED, keeps: "nothing" });
  const sleepers = createSleepers(openSleeper, { bus, clock });
  const sleeping = (): readonly AgentId[] => known().filter((id) => !hosted.has(id));
  const isAtRest = (agent: AgentId): boolean => resting.of(agent) !== undefined;
  const { deliverForOthers, mendMailboxes } = createForwarding(place, {
    control,
    sleepers,
    ledger,
    isAtRest,
  });
  return {
    bus,
    control,
    known,
    runElsewhere: (): Promise<ReadonlySet<AgentId>> => Promise.resolve(new Set()),
    events,
    ledger,
    openAgent,
    resting,
    writerFor: (agent: AgentId): Writer | undefined =>
      sleeping().includes(agent) ? { alone: (work) => sleepers.alone(agent, work) } : undefined,
    deliverForOthers,
    /** Runs the hosted agents, and has out what others left undelivered, or sent to a mailbox that was damaged. */
    async begin(host: AgentHost): Promise<Running> {
      rests.begin(host.wake);
      await host.beginAll();
      await deliverForOthers();
      await mendMailboxes(host);
      const { stop, dismiss } = host;
      return {
        settled: () => Promise.resolve(),
        stop,
        dismiss,
        ...createEntrance(place, host, { sleepers, bus, retire }),
      };
    },
    close: () => {
      const ends = [control.close, bus.close, memories.close, restIndex.close, place.release];
      return inOrder([...sleepers.closings(), ...ends]);
    },
  };
}

interface ForwardingParts {
  readonly control: LocalControl;
  readonly sleepers: ReturnType<typeof createSleepers>;
  readonly ledger: Store["ledger"];
  readonly isAtRest: (agent: AgentId) => boolean;
}

/** Has out what agents left undelivered that do not run, and once more what a damaged mailbox may have lost. */
function createForwarding(
  { known, hosted, damaged }: Pick<LocalPlace, "known" | "hosted" | "damaged">,
  { control, sleepers, ledger, isAtRest }: ForwardingParts,
) {
  return {
    async deliverForOthers(): Promise<void> {
      await control.outbox.deliver();
      for (const id of known()) {
        if (hosted.has(id) || isAtRest(id) || !(await ledger(id))?.undelivered.length) continue;
        await (await sleepers.outboxOf(id))?.deliver();
      }
    },
    async mendMailboxes({ outboxFor }: AgentHost): Promise<void> {
      for (const to of damaged) {
        const isToIt = (send: Send): boolean => send.to === to;
        await control.outbox.offerAgain(isToIt);
        for (const id of known()) {
          if (!(await ledger(id))?.numbers.has(to)) continue;
          await (await (hosted.has(id) ? outboxFor(id) : sleepers.outboxOf(id)))?.offerAgain(isToIt);
        }
      }
      damaged.clear();
    },
  };
}

interface Doors {
  readonly sleepers: ReturnType<typeof createSleepers>;
  readonly bus: LocalBus;
  /** Its log is closed, and held of it is no more. */
  retire(agent: AgentId): void;
}

/** Agents that come and go while others run. */
function createEntrance(
  { hosted, enroll, forget }: LocalPlace,
  host: AgentHost,
  { sleepers, bus, retire }: Doors,
): Pick<Running, "add" | "retire"> {
  return {
    async add({ id, record }) {
      if (hosted.has(id)) await host.end(id);
      await sleepers.leave(id);
      hosted.add(id);
      const putBack = (error: unknown): never => {
        hosted.delete(id);
        throw error;
      };
      await enroll(id, record)
        .then(() => host.begin(id))
        .catch(putBack);
    },
    async retire(id) {
      await host.retire(id);
      await bus.forget(id);
      await forget?.(id);
      // From here on others may open its log.
      retire(id);
    },
  };
}

async function openLogs(
  { known, events, hosted, inspect, redactor, logOf }: LocalPlace,
  restIndex: Pick<RestIndex, "of" | "wake">,
) {
  const read = async (agent: AgentId): Promise<Ledger> => {
    const ledger = createLedger();
    for await (const event of events(agent)) account(ledger, event);
    return ledger;
  };
  /** Of agents that are not hosted, unless they were retired and nobody asked since, and of those that are open. */
  const ledgers = new Map<AgentId, Ledger>();
  for (const id of known()) {
    // One that cannot be read is no reason not to run the others.
    const isRead = !hosted.has(id) && !restIndex.of(id);
    const ledger = isRead ? await read(id).catch(() => undefined) : undefined;
    if (ledger) ledgers.set(id, ledger);
  }
  return {
    /** The ledger of a known agent, read now if it must be: mail may come for one that is not open yet. */
    async find(agent: AgentId): Promise<Ledger | undefined> {
      const found = ledgers.get(agent);
      if (found || !known().includes(agent)) return found;
      const ledger = await read(agent);
      if (!hosted.has(agent) && !ledgers.has(agent)) ledgers.set(agent, ledger);
      return ledgers.get(agent) ?? ledger;
    },
    /** Nothing for an agent that is hosted and not open yet. */
    held: (agent: AgentId): number => ledgers.get(agent)?.heldMail.now.size ?? 0,
    async openAgent(agent: AgentId, options: AgentMemoryOptions): Promise<Memory> {
      // Whoever has it open may do anything with it.
      await restIndex.wake(agent);
      const memory = await openMemory({ ...options, agent, inspect, redactor }, await logOf(agent));
      ledgers.set(agent, memory.ledger);
      return memory;
    },
    /** Nothing is held of its log any more. */
    close: (agent: AgentId): void => void ledgers.delete(agent),
    retire(agent: AgentId): void {
      hosted.delete(agent);
      ledgers.delete(agent);
    },
  };
}

/** The logs of agents that are not run. */
function createSleepers(
  open: (agent: AgentId) => Promise<Memory>,
  { bus, clock }: { readonly bus: LocalBus; readonly clock: Clock },
) {
  const opened = new Map<AgentId, Writing>();
  const inTurn = inTurns();
  const find = async (agent: AgentId): Promise<Writing> => {
    const known = opened.get(agent);
    if (known) return known;
    const memory = await open(agent);
    const writing = { memory, outbox: createOutbox(memory, bus, clock) };
    opened.set(agent, writing);
    return writing;
  };
  return {
    /** `undefined` if its log cannot be opened. */
    outboxOf: (agent: AgentId): Promise<Outbox | undefined> =>
      inTurn(() => find(agent)).then(
        ({ outbox }) => outbox,
        () => undefined,
      ),
    alone: <T>(agent: AgentId, work: (log: Writing) => Promise<T>): Promise<T> =>
      inTurn(async () => {
        const writing = await find(agent);
        await mend(writing.memory);
        return work(writing);
      }),
    /** Closes its log: somebody else opens it from now on. */
    leave: (agent: AgentId): Promise<void> =>
      inTurn(async () => {
        const writing = opened.get(agent);
        opened.delete(agent);
        await writing?.outbox.close();
        await writing?.memory.close();
      }),
    closings: () => [...opened.values()].flatMap(({ outbox, memory }) => [outbox.close, memory.close]),
  };
}

/** Runs all of `steps`, whatever fails; rejects with the first failure. */
async function inOrder(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
