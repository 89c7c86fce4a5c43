// What was probably paid for in vain, outside of every sum: what was read again though it was the same, and what a provider's cache
// did not serve though the prompt before began alike. Tokens are estimates.

import { z } from "zod";
import { crc32 } from "node:zlib";
import type { Event, EventOf } from "../../../domain/event/event.ts";
import { isOfModel } from "../../../domain/supervision.ts";

/** Why a provider's cache did not serve what it could have: the first that fits. */
export const CACHE_LOSSES = ["model", "introduction", "summary", "pause", "restart", "unknown"] as const;

export type CacheLoss = (typeof CACHE_LOSSES)[number];

export interface Guess {
  readonly times: number;
  readonly tokens: number;
}

export interface Guesses {
  /** Files that were read again, as they were. */
  readonly reread: Guess;
  readonly uncached: ReadonlyMap<CacheLoss, Guess>;
}

const guess = z.object({ times: z.int(), tokens: z.int() });
const tick = z.object({ model: z.string(), introduction: z.string(), epoch: z.int(), atMs: z.number() });

export const guessesSchema = z.object({
  reread: guess,
  uncached: z.array(z.tuple([z.enum(CACHE_LOSSES), guess])),
  /** What was read last, by what was asked. */
  read: z.array(z.tuple([z.string(), z.string()])),
  asked: z.array(z.tuple([z.string(), z.string()])),
  prompted: tick.optional(),
  answered: tick.extend({ input: z.int(), isCached: z.boolean() }).optional(),
  /** Since that was answered. */
  between: z.literal("summary").optional(),
});

type PackedGuesses = z.output<typeof guessesSchema>;

const NONE: Guess = { times: 0, tokens: 0 };
const READING = ["readFile", "read"];
const MOST_FILES = 256;
/** Providers keep what a prompt begins with for so long, and nothing that is shorter. https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching */
const CACHE_MS = 300_000;
const LEAST_CACHED = 1_024;
/** As everywhere where it is not counted. */
const BYTES_A_TOKEN = 4;

export function createGuesses(kept?: PackedGuesses) {
  const uncached = new Map<CacheLoss, Guess>(kept?.uncached);
  const read = new Map(kept?.read);
  let { reread = NONE, prompted, answered, between } = kept ?? {};
  let asked = new Map(kept?.asked);
  const close = ({ call, outcome, content }: EventOf<"result">): void => {
    const key = call === null ? undefined : asked.get(call);
    if (key === undefined || outcome !== "ok") return;
    const sum = `${content.length}:${crc32(content)}`;
    if (read.get(key) === sum) reread = more(reread, Math.ceil(Buffer.byteLength(content) / BYTES_A_TOKEN));
    read.delete(key);
    read.set(key, sum);
    const [oldest] = read.size > MOST_FILES ? read.keys() : [];
    if (oldest !== undefined) read.delete(oldest);
  };
  const answer = ({ usage }: EventOf<"decision">): void => {
    const { input, cacheRead = 0, cacheWrite = 0 } = usage;
    const isCached = cacheRead + cacheWrite > 0;
    const before = answered;
    if (!prompted) return;
    const { model, introduction, epoch, atMs } = prompted;
    answered = { model, introduction, epoch, atMs, input, isCached };
    const lost = before ? Math.min(before.input, input) - cacheRead : 0;
    // Where neither was cached there is no cache, for all that is known.
    if (before && (isCached || before.isCached) && lost >= LEAST_CACHED) {
      const why = lossBetween(before, answered, between);
      uncached.set(why, more(uncached.get(why) ?? NONE, lost));
    }
    between = undefined;
  };
  return {
    get guesses(): Guesses {
      return { reread, uncached };
    },
    see(event: Event): void {
      // What stands before it is another agent's past.
      if (event.kind === "branch" && event.origin !== undefined) {
        uncached.clear();
        reread = NONE;
      }
      if (event.kind === "prompted" && event.call === undefined) {
        const { model, introduction, epoch, at } = event;
        prompted = { model, introduction, epoch, atMs: Date.parse(at) || 0 };
      } else if (event.kind === "summary") between = "summary";
      else if (event.kind === "result") close(event);
      else if (event.kind === "decision") {
        asked = new Map();
        for (const { id, action, parameters } of event.calls)
          if (READING.includes(action)) asked.set(id, String(crc32(JSON.stringify(parameters) ?? "")));
        if (isOfModel(event)) answer(event);
      }
    },
    pack: (): PackedGuesses => ({
      ...{ reread, uncached: [...uncached], read: [...read], asked: [...asked] },
      ...{ prompted, answered, between },
    }),
  };
}

function more({ times, tokens }: Guess, lost: number): Guess {
  return { times: times + 1, tokens: tokens + lost };
}

type PromptStamp = NonNullable<PackedGuesses["prompted"]>;

function lossBetween(before: PromptStamp, now: PromptStamp, between: PackedGuesses["between"]): CacheLoss {
  if (before.model !== now.model) return "model";
  if (before.introduction !== now.introduction) return "introduction";
  if (between) return between;
  if (now.atMs - before.atMs > CACHE_MS) return "pause";
  return before.epoch === now.epoch ? "unknown" : "restart";
}
