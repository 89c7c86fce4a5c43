// A process writes to a memory: it opens it when there is something to write, keeps it for a little longer where more comes, and
// lets others have it.

import { setTimeout as delay } from "node:timers/promises";
import type { Delivery } from "../../../domain/message/message.ts";
import type { Reception } from "../../../mail/bus.ts";
import { planMemoryIntake } from "../../../mail/memory-intake.ts";
import type { MemoryReader, PlanChange } from "../../contract/memory/memories.ts";
import type { Lock } from "../../folder/lock.ts";
import type { OpenedMemory } from "./opened.ts";
import { hideContext, showContext, takeEdit, type ShownPlace } from "./shown.ts";

/** How long nothing has to come until others may have it. */
const LINGER_MS = 100;
/** The longest that others wait. */
const MAX_HOLD_MS = 1_000;
/** Others ask again after 50 ms. */
const YIELD_MS = 150;
/** How long a lock that could not be given back is kept before that is tried again. */
const RETRY_MS = 1_000;
const HURRIED_TRIES = 5;

export interface Visits {
  receive(delivery: Delivery): Promise<Reception>;
  change(plan: PlanChange): Promise<void>;
  close(): Promise<void>;
}

interface VisitOptions extends ShownPlace {
  readonly reader: MemoryReader;
  lock(): Promise<Lock>;
  open(lock: Lock): Promise<OpenedMemory>;
}

interface WriteOrder<W = Delivery | PlanChange> {
  readonly work: W;
  readonly done: (receipt: Reception) => void;
  readonly failed: (error: unknown) => void;
}

export function createVisits(options: VisitOptions): Visits {
  const orders = createQueue();
  let visiting: Promise<void> | undefined;
  const visit = async (): Promise<void> => {
    for (;;) {
      const lock = await options.lock().catch((error: unknown) => orders.failAll(error));
      if (lock) {
        await visitOnce(lock, options, orders);
        await giveBack(lock, orders);
      }
      if (orders.isEmpty()) break;
      await delay(YIELD_MS);
    }
    // At once: whoever asks from now on begins another one.
    visiting = undefined;
  };
  const ask = (work: WriteOrder["work"]): Promise<Reception> =>
    new Promise<Reception>((done, failed) => {
      orders.add({ work, done, failed });
      visiting ??= visit();
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

/** Opens it, does what waits, and closes it. */
async function visitOnce(lock: Lock, options: VisitOptions, orders: Queue): Promise<void> {
  const opened = await options.open(lock).catch((error: unknown) => orders.failAll(error));
  if (!opened) return;
  await showContext(opened, options);
  await serve(opened, options, orders);
  await opened.close();
}

/** Tries until it works: nobody else gets in before, not even this process. Only whoever closes cannot wait for ever. */
async function giveBack(lock: Lock, orders: Queue): Promise<void> {
  for (let hurried = 0; hurried < HURRIED_TRIES;) {
    const error = await lock.release().then(
      () => undefined,
      (reason: unknown) => reason ?? new Error(),
    );
    if (error === undefined) return;
    orders.failAll(error);
    if (orders.isHurried()) hurried++;
    await (orders.isHurried() ? delay(YIELD_MS) : orders.more(RETRY_MS));
  }
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
    isHurried: () => isHurried,
    /** Nobody waits for more from now on. */
    hurry(): void {
      isHurried = true;
      wake();
    },
    /** Resolves when there is something, or has not been for so long. */
    async more(lingerMs: number): Promise<void> {
      if (waiting.length > 0 || isHurried) return;
      const stop = new AbortController();
      wake = () => stop.abort();
      await delay(lingerMs, undefined, { signal: stop.signal }).catch(() => undefined);
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

/** Does what waits, and what comes, for as long as others may be kept waiting. */
async function serve(opened: OpenedMemory, options: VisitOptions, orders: Queue): Promise<void> {
  const until = Date.now() + MAX_HOLD_MS;
  do {
    const next = orders.next();
    if ("work" in next) await makeChange(opened, options, next);
    else await takeIn(opened, options, next);
    await orders.more(LINGER_MS);
  } while (!orders.isEmpty() && Date.now() < until);
}

async function takeIn(
  opened: OpenedMemory,
  place: ShownPlace,
  orders: readonly WriteOrder<Delivery>[],
): Promise<void> {
  try {
    if (opened.isBroken) await opened.mend();
    const deliveries = orders.map(({ work }) => work);
    const { events, receipts } = planMemoryIntake(opened.standing, opened.heard, deliveries);
    if (events.length > 0) await opened.add(events);
    orders.forEach(({ done }, index) => done(receipts[index]!));
    if (events.some(({ kind }) => kind === "context")) await showContext(opened, place);
  } catch (error) {
    for (const { failed } of orders) failed(error);
  }
}

async function makeChange(
  opened: OpenedMemory,
  options: VisitOptions,
  { work: plan, done, failed }: WriteOrder<PlanChange>,
): Promise<void> {
  try {
    if (opened.isBroken) await opened.mend();
    await takeEdit(opened, options);
    let events = await plan(opened.standing, options.reader);
    // What a person saved meanwhile may say what is to be forgotten.
    while (await takeEdit(opened, options)) events = await plan(opened.standing, options.reader);
    if (events.some(({ kind }) => kind === "forgotten")) await hideContext(options);
    if (events.length > 0) await opened.add(events);
    await showContext(opened, options);
    done({ status: "accepted" });
  } catch (error) {
    failed(error);
  }
}
