// Logs that are kept on the way and gone on from, and all that a past says.

import fc from "fast-check";
import type { Event, NewEvent } from "../../../src/domain/event/event.ts";
import { bashByCalls, bashByText } from "../../../src/model/protocol/bash.ts";
import { createReading, type ReadPast } from "../../../src/past/kept/reading.ts";
import { account, type Ledger } from "../../../src/past/ledger.ts";
import type { ViewOptions } from "../../../src/past/view.ts";
import { FORGET, KEEP } from "../../domain/event/event-lines.ts";
import { anyEvent, logOf, noticed } from "../digest/any-log.ts";

const LONG = "long words of many letters ".repeat(40);
const SEQ = fc.integer({ min: 0, max: 40 });
const TEXT = fc.constantFrom("short", LONG, `see https://a.example/${LONG.length}`);

const change = fc.tuple(
  fc.constantFrom("goals", "notes"),
  fc.constantFrom("a", "b"),
  fc.constantFrom(1, "text", null),
);

const further: fc.Arbitrary<NewEvent> = fc.oneof(
  fc
    .tuple(SEQ, SEQ, fc.constantFrom("legion", "rounds", "recent"))
    .map(([first, last, strategy]): NewEvent => ({
      ...{ kind: "summary", covers: [first, last], content: "So far.", strategy },
      usage: { input: 5, output: 2 },
    })),
  fc
    .record({
      call: fc.constantFrom("a", "b", null),
      outcome: fc.constantFrom("ok" as const, "error" as const, "idle" as const),
      content: TEXT,
      state: fc.option(fc.array(change, { minLength: 1, maxLength: 2 }), { nil: undefined }),
      keeps: fc.constantFrom(undefined, "skill x", "skill y"),
      taint: fc.constantFrom(undefined, ["https://b.example/page"]),
      submission: fc.constantFrom(undefined, undefined, "done"),
    })
    .map((told): NewEvent => ({ kind: "result", ...told })),
  change.map(([module, key, value]): NewEvent => ({ kind: "edited", module, key, value })),
  TEXT.map((text): NewEvent => ({ kind: "offered", module: "mcp", offer: JSON.stringify({ text }) })),
  TEXT.map((content): NewEvent => ({ kind: "recalled", module: "memory", key: "k", content })),
  fc
    .constantFrom("observe" as const, "start_session" as const, "end_session" as const)
    .map((control): NewEvent => ({
      ...{ kind: "observed", of: { agent: "2", log: "log of 2", seq: 3 }, from: "log of 2" },
      ...{ control, thread: "t", n: 1 },
    })),
  fc.constant(noticed("gap", { lost: [[2, 3]] })),
);

export const anyWholeLog: fc.Arbitrary<readonly Event[]> = logOf(
  fc.oneof({ weight: 3, arbitrary: anyEvent }, { weight: 2, arbitrary: further }),
);

export const VIEWS: readonly ViewOptions[] = [
  KEEP,
  { ...KEEP, window: 400, thinkingTokens: (turn) => (turn.role === "assistant" ? 7 : 0) },
  { ...FORGET, window: 2_000 },
  { ...KEEP, protocol: bashByCalls },
  { ...KEEP, protocol: bashByText("x", () => Promise.resolve([])) },
  { ...FORGET, shows: "nothing" },
];

export async function* told(events: readonly Event[]): AsyncGenerator<Event> {
  yield* events;
}

export interface Grown {
  readonly read: ReadPast;
  readonly ledger: Ledger;
}

/** Reads `log` up to number `upTo`, after what was `kept` of it. */
export async function readUpTo(
  view: ViewOptions,
  { log, upTo, kept }: { readonly log: readonly Event[]; readonly upTo: number; readonly kept?: Uint8Array },
): Promise<Grown> {
  const reading = createReading(view);
  const known = kept === undefined ? 0 : (reading.goOn(kept) ?? 0);
  for (const event of log.slice(known, upTo)) reading.see(event);
  const read = await reading.settle({ id: "log of 1", read: () => told(log.slice(0, upTo)) });
  return { read, ledger: read.ledger };
}

/** Takes in, as a memory does, what is written to the log after it was read. */
export function grow({ read, ledger }: Grown, events: readonly Event[]): void {
  for (const event of events) {
    if (event.kind === "opened") continue;
    account(ledger, event);
    read.join(event);
  }
}

/** All that a past tells. */
export function all({ read, ledger }: Grown): unknown {
  const { fold, traffic, forks } = read;
  const { conversation, state, offers, view } = fold;
  const { chain, items, turns, tokens } = view;
  const { open, failed, held } = view.pack()!;
  return {
    ...{ ledger, conversation, state, offers, peers: traffic.peers, forks },
    ...{ chain, items: [...items], turns: [...turns], tokens, open, failed, held },
  };
}
