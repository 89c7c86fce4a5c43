// A process writes to a memory: it opens it when there is something to write, keeps it for a little longer where more comes, and
// lets others have it.

import { setTimeout as delay } from "node:timers/promises";
import type { Redactor } from "../../../base/redaction/redactor.ts";
import type { Delivery } from "../../../domain/message/message.ts";
import type { Receipt } from "../../../mail/bus.ts";
import { planMemoryIntake } from "../../../mail/memory-intake.ts";
import type { MemoryReader, PlanChange } from "../../contract/memories.ts";
import type { OpenedMemory } from "./opened.ts";
import type { MemoryFolder } from "./reading.ts";
import { editedContext, lookAtContext, showContext } from "./shown.ts";

/** How long nothing has to come until others may have it. */
const LINGER_MS = 100;
/** The longest that others wait. */
const MAX_HOLD_MS = 1_000;
/** Others ask again after 50 ms. */
const YIELD_MS = 150;

export interface Visits {
  receive(delivery: Delivery): Promise<Receipt>;
  change(plan: PlanChange): Promise<void>;
  close(): Promise<void>;
}

interface VisitOptions extends MemoryFolder {
  readonly redactor: Redactor;
  readonly reader: MemoryReader;
  /** Takes the lock, and opens it. */
  open(): Promise<OpenedMemory>;
}

interface WriteOrder<W = Delivery | PlanChange> {
  readonly work: W;
  readonly done: (receipt: Receipt) => void;
  readonly failed: (error: unknown) => void;
}

export function createVisits(options: VisitOptions): Visits {
  const orders = createQueue();
  let visiting: Promise<void> | undefined;
  const visit = async (): Promise<void> => {
    for (;;) {
      const opened = await openVisit(options).catch((error: unknown) => orders.failAll(error));
      if (opened) await serve(opened, options, orders);
      // What was accepted is in the log; a lock that could not be given back is taken over from whoever is gone.
      await opened?.close().catch(() => undefined);
      if (orders.isEmpty()) return;
      await delay(YIELD_MS);
    }
  };
  const ask = (work: WriteOrder["work"]): Promise<Receipt> =>
    new Promise<Receipt>((done, failed) => {
      orders.add({ work, done, failed });
      visiting ??= visit().finally(() => (visiting = undefined));
    });
  return {
    receive: ask,
    change: async (plan) => void (await ask(plan)),
    async close() {
      orders.hurry();
      await visiting;
    },
  };
}

type Queue = ReturnType<typeof createQueue>;

function createQueue() {
  const waiting: WriteOrder[] = [];
  let isHurried = false;
  let wake = (): void => undefined;
  return {
    add(errand: WriteOrder): void {
      waiting.push(errand);
      wake();
    },
    isEmpty: () => waiting.length === 0,
    /** Nobody waits for more from now on. */
    hurry(): void {
      isHurried = true;
      wake();
    },
    /** Resolves when there is something, or has not been for a while. */
    async more(): Promise<void> {
      if (waiting.length > 0 || isHurried) return;
      const stop = new AbortController();
      wake = () => stop.abort();
      await delay(LINGER_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    },
    /** What can be done at once, oldest first: deliveries, or one change. */
    next(): readonly WriteOrder<Delivery>[] | WriteOrder<PlanChange> {
      const [first] = waiting;
      if (first && isChange(first)) return waiting.shift() as WriteOrder<PlanChange>;
      const end = waiting.findIndex(isChange);
      return waiting.splice(0, end === -1 ? waiting.length : end) as WriteOrder<Delivery>[];
    },
    failAll(error: unknown): void {
      for (const { failed } of waiting.splice(0)) failed(error);
    },
  };
}

function isChange(errand: WriteOrder): errand is WriteOrder<PlanChange> {
  return typeof errand.work === "function";
}

/** Opens it, and takes in what a person made of its context. */
async function openVisit({ open, redactor, ...folder }: VisitOptions): Promise<OpenedMemory> {
  const opened = await open();
  try {
    const { edited } = await lookAtContext(folder, opened.standing);
    if (edited !== undefined) await opened.add([editedContext(edited, opened.standing, redactor)]);
    return opened;
  } catch (error) {
    await opened.close().catch(() => undefined);
    throw error;
  }
}

/** Does what waits, and what comes, for as long as others may be kept waiting. */
async function serve(opened: OpenedMemory, options: VisitOptions, orders: Queue): Promise<void> {
  const until = Date.now() + MAX_HOLD_MS;
  do {
    const next = orders.next();
    if ("work" in next) await makeChange(opened, options, next);
    else await takeIn(opened, options, next);
    await orders.more();
  } while (!orders.isEmpty() && Date.now() < until);
}

async function takeIn(
  opened: OpenedMemory,
  folder: MemoryFolder,
  orders: readonly WriteOrder<Delivery>[],
): Promise<void> {
  try {
    if (opened.isBroken) await opened.mend();
    const deliveries = orders.map(({ work }) => work);
    const { events, receipts } = planMemoryIntake(opened.standing, deliveries);
    if (events.length > 0) await opened.add(events);
    orders.forEach(({ done }, index) => done(receipts[index]!));
    if (events.some(({ kind }) => kind === "context")) await show(opened, folder);
  } catch (error) {
    for (const { failed } of orders) failed(error);
  }
}

async function makeChange(
  opened: OpenedMemory,
  { reader, ...folder }: VisitOptions,
  { work: plan, done, failed }: WriteOrder<PlanChange>,
): Promise<void> {
  try {
    if (opened.isBroken) await opened.mend();
    const events = await plan(opened.standing, reader);
    // Or what it shows would look like a person's.
    if (events.some(({ kind }) => kind === "forgotten")) await showContext(folder, undefined);
    if (events.length > 0) await opened.add(events);
    await show(opened, folder);
    done({ status: "accepted" });
  } catch (error) {
    failed(error);
  }
}

/** A file that cannot be written is shown the next time: nothing depends on it. */
async function show({ standing }: OpenedMemory, folder: MemoryFolder): Promise<void> {
  const { said, isShown } = await lookAtContext(folder, standing);
  if (!isShown) await showContext(folder, said).catch(() => undefined);
}
