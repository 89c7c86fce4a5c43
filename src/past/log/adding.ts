// Adding to a log, and to what is folded from it and shown to watchers, in the order of the log.

import { isLegionError } from "../../base/errors.ts";
import type { Event, NewEvent } from "../../domain/event/event.ts";
import type { AgentState, Inspect, Inspection } from "../../domain/inspection.ts";
import type { EventLog } from "./event-log.ts";

const LATEST_MS = 50;
const BUSY: ReadonlySet<AgentState> = new Set(["waiting", "thinking", "acting"]);

export interface Adding {
  /** Its log has failed. */
  isDead(): boolean;
  /** The newest event that is known to be durable. */
  safe(): number;
  /** As `Memory.commit`, but for files. */
  append(events: readonly NewEvent[]): Promise<readonly Event[]>;
  /** As `Memory.keep`. */
  keep(events: readonly NewEvent[]): Promise<readonly Event[]>;
  /** As `Memory.settled`. */
  settle(): Promise<void>;
  /** As `Memory.note`. */
  note(event: NewEvent): number | undefined;
  /** As `Memory.noteBetween`. */
  noteBetween(event: NewEvent, noted?: () => void): Promise<number | undefined>;
  /** Shows `seen` once all that came before it was shown. */
  tell: Inspect;
  /** What a dead log could not keep of the notes happened all the same: a model call that was begun costs. */
  lost(): Promise<readonly NewEvent[]>;
  /** Another log goes on in place of the one that failed, and all of it is durable. */
  begin(): void;
}

interface AddedTo {
  readonly log: () => EventLog;
  /** What is left of an event before it is added. */
  readonly clean: (event: NewEvent) => NewEvent;
  /** Joins what was added to what is folded from the log. */
  readonly join: (event: Event) => void;
  readonly show: (event: Event) => Inspection;
  readonly inspect: Inspect;
}

export function createAdding(to: AddedTo): Adding {
  const { log, clean, join, show } = to;
  const commits = createCommits();
  const telling = createTelling(to.inspect);
  const noted = createNotes();
  const flushing = createFlushing(log, telling, noted);
  const noting = createNoting(to, { commits, telling, noted, flushing });
  /** Adds by `write` while nothing else is noted, and joins the events. */
  const add = async (
    write: () => Promise<readonly Event[]>,
    see: (event: Event) => void,
  ): Promise<readonly Event[]> => {
    const close = commits.open();
    try {
      const added = await write().catch(flushing.fail);
      for (const event of added) {
        join(event);
        see(event);
      }
      return added;
    } finally {
      close();
    }
  };
  return {
    ...flushing,
    ...noting,
    tell(seen) {
      telling.tell(seen);
      // Whoever waits for somebody has time for a flush, and is waited for.
      if (seen.kind === "live:state" && !BUSY.has(seen.state)) void flushing.settle().catch(() => undefined);
    },
    append(events) {
      const write = async (): Promise<readonly Event[]> => {
        const added = await log().append(events.map(clean));
        flushing.reach(added.at(-1)?.seq ?? 0);
        return added;
      };
      return add(write, (event) => telling.tell(show(event)));
    },
    async keep(events) {
      // It is joined at once, and stands after them.
      await commits.over();
      const write = (): Promise<readonly Event[]> => log().keep(events.map(clean));
      const added = await add(write, (event) => telling.tellAt(event.seq, show(event)));
      flushing.settleSoon();
      return added;
    },
    async lost() {
      try {
        await log().append([]);
        return [];
      } catch {
        return noted.left();
      }
    },
  };
}

interface NotingParts {
  readonly commits: ReturnType<typeof createCommits>;
  readonly telling: ReturnType<typeof createTelling>;
  readonly noted: ReturnType<typeof createNotes>;
  readonly flushing: ReturnType<typeof createFlushing>;
}

/** Adds single events that nothing depends on. */
function createNoting(
  { log, clean, join, show }: AddedTo,
  { commits, telling, noted, flushing }: NotingParts,
): Pick<Adding, "note" | "noteBetween"> {
  const note = (noticed: NewEvent): number => {
    const event = clean(noticed);
    const written = noted.begin(event);
    try {
      const added = log().note(event);
      written(added.seq);
      join(added);
      telling.tell(show(added));
      return added.seq;
    } catch (error) {
      return flushing.fail(error);
    }
  };
  return {
    note(event) {
      if (!commits.areOpen()) return note(event);
      // After it, or it would be folded in before events that stand before it.
      return commits.after(() => note(event));
    },
    async noteBetween(event, whenNoted = (): void => undefined) {
      await commits.over();
      const seq = note(event);
      whenNoted();
      return seq;
    },
  };
}

/** What was noted and is not known to be durable. */
function createNotes() {
  let notes: { seq: number; readonly event: NewEvent }[] = [];
  return {
    /** Returns how to say which number it has got. */
    begin(event: NewEvent): (seq: number) => void {
      const one = { seq: Infinity, event };
      notes.push(one);
      return (seq) => void (one.seq = seq);
    },
    reach: (seq: number): void => void (notes = notes.filter((one) => one.seq > seq)),
    /** Oldest first. */
    left: (): readonly NewEvent[] => notes.map(({ event }) => event),
    /** What is left is added anew with the first commit, or was durable after all. */
    renew: (): void => void (notes = notes.map(({ event }) => ({ seq: 0, event }))),
  };
}

/** How far a log is durable, and what depends on that. */
function createFlushing(
  log: () => EventLog,
  telling: ReturnType<typeof createTelling>,
  noted: Pick<ReturnType<typeof createNotes>, "reach" | "renew">,
) {
  let safe = log().last;
  let due: NodeJS.Timeout | undefined;
  /** The log that failed. */
  let dead: EventLog | undefined;
  const rest = (): void => {
    clearTimeout(due);
    due = undefined;
  };
  const fail = (error: unknown): never => {
    if (isLegionError(error, "STORAGE")) {
      dead = log();
      telling.skip();
    }
    throw error;
  };
  /** Everything up to `seq` is durable. */
  const reach = (seq: number): void => {
    safe = Math.max(safe, seq);
    noted.reach(safe);
    telling.reach(safe);
    if (safe === log().last) rest();
  };
  const settle = async (): Promise<void> => {
    const current = log();
    const upTo = current.last;
    if (upTo <= safe) return;
    await current.settle().catch(fail);
    if (current === log()) reach(upTo);
  };
  return {
    fail,
    reach,
    settle,
    /** A failure is heard of by whoever adds something next, or asks. */
    settleSoon: (): void => void (due ??= setTimeout(() => void settle().catch(() => undefined), LATEST_MS)),
    isDead: (): boolean => dead === log(),
    safe: (): number => safe,
    begin(): void {
      rest();
      noted.renew();
      safe = log().last;
      telling.reach(safe);
      telling.clear();
    },
  };
}

/** Shows what is seen of an agent in its order: an event, and all that came after it, once it is durable. */
function createTelling(inspect: Inspect) {
  /** Without a number: as soon as its turn comes. */
  let waiting: { readonly seq?: number; readonly seen: Inspection }[] = [];
  let isSkipping = false;
  return {
    tell(seen: Inspection): void {
      if (waiting.length === 0 || isSkipping) inspect(seen);
      else waiting.push({ seen });
    },
    tellAt: (seq: number, seen: Inspection): void => void waiting.push({ seq, seen }),
    /** Everything up to `seq` is durable. */
    reach(seq: number): void {
      while (waiting[0] && (waiting[0].seq ?? 0) <= seq) inspect(waiting.shift()!.seen);
    },
    /** Nobody knows yet which of the events are in the log: all else is shown at once. */
    skip(): void {
      for (const { seq, seen } of waiting) if (seq === undefined) inspect(seen);
      waiting = waiting.filter(({ seq }) => seq !== undefined);
      isSkipping = true;
    },
    /** What waits was never in the log. */
    clear(): void {
      waiting = [];
      isSkipping = false;
    },
  };
}

/** Counts the commits under way. */
function createCommits() {
  const wakes: (() => void)[] = [];
  const deferred: (() => void)[] = [];
  let open = 0;
  return {
    areOpen: (): boolean => open > 0,
    /** Resolves when there is none. */
    async over(): Promise<void> {
      while (open > 0) await new Promise<void>((wake) => wakes.push(wake));
    },
    /** Does `work` when there is none. */
    after: (work: () => void): undefined => void deferred.push(work),
    /** Returns what closes it. */
    open(): () => void {
      open++;
      return () => {
        if (--open > 0) return;
        // First: what is deferred throws where the log has failed.
        wakes.splice(0).forEach((wake) => wake());
        deferred.splice(0).forEach((work) => work());
      };
    },
  };
}
