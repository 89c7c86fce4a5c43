// What was taken back of what agents did to files, as the person's own log tells: by the results that told of it.

import { z } from "zod";
import type { Event } from "../../domain/event/event.ts";
import { CONTROL } from "../../domain/message/message.ts";

/** One path that was taken back. */
const lineSchema = z.object({
  /** The result that told of its change, `<agent>.<seq>`. */
  event: z.string(),
  /** Relative to the folder that the agent worked in. */
  path: z.string(),
  /** When it was taken back, in milliseconds since 1970. */
  atMs: z.number(),
  /** The notice of the undo. */
  by: z.int(),
  /** The notice of another undo, which took that one back; absent: it stands. */
  lifted: z.int().optional(),
});
const stepSchema = z.object({ path: z.string(), events: z.array(z.string()) });
const begunSchema = z.object({ undo: z.string(), seq: z.int(), steps: z.array(stepSchema) });

export const takenBackSchema = z.object({
  lines: z.array(lineSchema),
  /** Of the newest, until it is done. */
  begun: begunSchema.optional(),
});

type TakenBackLine = z.output<typeof lineSchema>;
type PackedTakenBack = z.output<typeof takenBackSchema>;

/** What earlier versions took back says of no result. */
const planned = z.object({ undo: z.string(), steps: z.array(stepSchema) });
const done = z.object({ undo: z.string(), left: z.array(z.object({ path: z.string() })) });

/** The newest are kept. */
const MOST_LINES = 5_000;

/** What stands taken back, by the results that told of it. */
export type TakenBack = ReadonlyMap<string, readonly TakenBackPath[]>;

export type TakenBackPath = Pick<TakenBackLine, "path" | "atMs">;

export interface TakenBackChange {
  /** `<agent>.<seq>` */
  readonly event: string;
  /** In milliseconds since 1970. */
  readonly atMs: number;
  /** Absent: whatever it changed. */
  readonly path?: string | undefined;
}

/** Was a change taken back, and not brought back since? */
export function isTakenBack(known: TakenBack, { event, atMs, path }: TakenBackChange): boolean {
  // An agent's number may be another one's by now: its log began later.
  return (known.get(event) ?? []).some(
    (line) => line.atMs >= atMs && (path === undefined || line.path === path),
  );
}

export function createTakenBack(kept?: PackedTakenBack) {
  let lines: readonly TakenBackLine[] = kept?.lines ?? [];
  let begun = kept?.begun;
  const end = (left: ReadonlySet<string>, atMs: number): void => {
    for (const { path, events } of begun!.steps) if (!left.has(path)) take(path, events, atMs);
    begun = undefined;
    lines = lines.slice(-MOST_LINES);
  };
  const take = (path: string, events: readonly string[], atMs: number): void => {
    const by = begun!.seq;
    const undone = new Set(events.filter((event) => event.startsWith(`${CONTROL}.`)));
    lines = lines.map((line) => (line.path === path ? turned(line, undone, by) : line));
    const own = events.filter((event) => !undone.has(event));
    lines = [...lines, ...own.map((event) => ({ event, path, atMs, by }))];
  };
  return {
    get takenBack(): TakenBack {
      const standing = new Map<string, TakenBackPath[]>();
      for (const { event, path, atMs, lifted } of lines) {
        if (lifted !== undefined) continue;
        const others = standing.get(event);
        if (others) others.push({ path, atMs });
        else standing.set(event, [{ path, atMs }]);
      }
      return standing;
    },
    see(event: Event): void {
      if (event.kind !== "notice") return;
      const { reason, details, seq, at } = event;
      const plan = reason === "undo" ? planned.safeParse(details).data : undefined;
      if (plan) begun = { ...plan, seq };
      const ended = reason === "undone" ? done.safeParse(details).data : undefined;
      if (ended && ended.undo === begun?.undo)
        end(new Set(ended.left.map(({ path }) => path)), Date.parse(at) || 0);
    },
    pack: (): PackedTakenBack => ({ lines: [...lines], ...(begun && { begun }) }),
  };
}

/** An undo was taken back, or brought back again. */
function turned(line: TakenBackLine, undone: ReadonlySet<string>, by: number): TakenBackLine {
  const { lifted, ...rest } = line;
  if (lifted === undefined) return undone.has(`${CONTROL}.${line.by}`) ? { ...line, lifted: by } : line;
  return undone.has(`${CONTROL}.${lifted}`) ? rest : line;
}
