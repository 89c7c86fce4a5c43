import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planKey, tokensOf, type CompactionPlan } from "../../../../src/agent/think/compaction.ts";
import { STRATEGIES } from "../../../../src/agent/think/strategies/strategy.ts";
import { STRATEGY_NAMES, type StrategyName } from "../../../../src/domain/memory-settings.ts";
import type { Event, NewEvent, SeqRange } from "../../../../src/domain/event/event.ts";
import { createAnthropicHistory } from "../../../../src/model/anthropic/history.ts";
import { createOpenAiHistory } from "../../../../src/model/openai/history.ts";
import { estimateTokens } from "../../../../src/model/tokens/tokens.ts";
import { undeliverable } from "../../../../src/past/mail/dead-letters.ts";
import { createHeldMail, foldHeld } from "../../../../src/past/mail/held.ts";
import { textOf } from "../../../../src/past/shown/items.ts";
import { createView, type View } from "../../../../src/past/view.ts";
import {
  FORGET,
  KEEP,
  decision,
  message,
  result,
  unparsed,
  verdict,
} from "../../../domain/event/event-lines.ts";

/** Texts of so many words each. */
const words = fc.integer({ min: 0, max: 300 });
const step = fc.oneof(
  fc.record({ kind: fc.constantFrom("control", "peer", "verdict", "gap"), words }),
  fc.record({ kind: fc.constantFrom("follow-up", "overflow", "withdrawn"), words }),
  // Of what is held, so many of the oldest.
  fc.record({ kind: fc.constant("released"), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constantFrom("unparsed", "aborted"), words }),
  // Of a decision's calls, so many get no result; the next one may come late.
  fc.record({
    kind: fc.constant("decision"),
    words,
    calls: fc.nat(3),
    missing: fc.constantFrom(0, 0, 0, 1, 2),
  }),
  fc.record({ kind: fc.constant("late"), words }),
  fc.record({
    kind: fc.constant("compaction"),
    strategy: fc.constantFrom(...STRATEGY_NAMES),
    threshold: fc.integer({ min: 1, max: 3_000 }),
    words: fc.nat(20),
  }),
);
const steps = fc.array(step, { maxLength: 60, size: "max" });
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Played {
  readonly log: readonly Event[];
  readonly view: View;
  readonly covers: readonly SeqRange[];
}

/** Checks each plan before it is carried out, and what came of it. */
function play(view: View, taken: readonly Step[]): Played {
  const log: Event[] = [];
  const covers: SeqRange[] = [];
  let open: readonly string[] = [];
  const held = createHeldMail();
  const add = (event: NewEvent): void => {
    const stamped: Event = { ...event, seq: log.length + 1, epoch: 1, at: "2026-01-01T00:00:00.000Z" };
    log.push(stamped);
    foldHeld(held, stamped);
    view.see(stamped);
  };
  for (const each of taken) {
    if ("count" in each) {
      const waiting = [...held.overflow.keys(), ...held.followUps.keys()];
      add({ kind: "released", messages: waiting.slice(0, each.count) });
      continue;
    }
    const n = log.length + 1;
    const text = `t${n} ${"word ".repeat(each.words)}`;
    if (each.kind === "control") add(message(text));
    else if (each.kind === "follow-up") add(holding(text, "follow-up"));
    else if (each.kind === "overflow") add(holding(text, "normal"));
    else if (each.kind === "withdrawn") {
      for (const followUp of [...held.followUps.values()].slice(0, 1)) add(undeliverable(followUp, "No."));
    } else if (each.kind === "peer") add(message(text, "2"));
    else if (each.kind === "verdict") add(verdict(text));
    else if (each.kind === "gap") add({ kind: "notice", reason: "gap", content: text });
    else if (each.kind === "unparsed") {
      add(unparsed(text));
      add(result(null, "error"));
    } else if (each.kind === "aborted") add({ ...decision(""), stop: "aborted" } as NewEvent);
    else if (each.kind === "late") add(result(open[0] ?? "none", "ok", text));
    else if (each.kind === "decision" && "calls" in each) {
      const ids = Array.from({ length: each.calls }, (_, at) => `d${n}c${at}`);
      add(decision(text, ...ids));
      for (const id of ids.slice(each.missing)) add(result(id, n % 5 === 0 ? "error" : "ok", text));
      open = ids.slice(0, each.missing);
    } else if ("strategy" in each) compact(view, log, { covers, add, ...each });
  }
  return { log, view, covers };
}

function holding(text: string, delivery: "follow-up" | "normal"): NewEvent {
  const { message: said, ...event } = message(text);
  return { ...event, message: { ...said, delivery }, held: true };
}

interface Compacting {
  readonly strategy: StrategyName;
  readonly threshold: number;
  readonly words: number;
  readonly covers: SeqRange[];
  readonly add: (event: NewEvent) => void;
}

function compact(
  view: View,
  log: readonly Event[],
  { strategy, threshold, words, covers, add }: Compacting,
): void {
  const { plan: planNext, goesOn, digest } = STRATEGIES[strategy];
  const tried = new Set<string>();
  const room = Math.min(threshold, view.tokens);
  for (;;) {
    const [plan] = planNext({ view, introduction: 0, threshold, room, notKept: 0, tried });
    if (!plan) return;
    expect(tried.has(planKey(plan))).toBe(false);
    tried.add(planKey(plan));
    check(plan, view, log);
    const before = view.tokens;
    const content = words > 0 ? "w ".repeat(words) : digest(plan);
    if (estimateTokens(view.summarised(plan.items, { strategy, content })) < tokensOf(plan.items)) {
      covers.push(plan.covers);
      add({ kind: "summary", covers: plan.covers, content, strategy, usage: { input: 1, output: 1 } });
      expect(view.tokens).toBeLessThan(before);
    }
    if (goesOn === "once") return;
  }
}

function check({ covers: [from, to] }: CompactionPlan, { items }: View, log: readonly Event[]): void {
  expect(from).toBeGreaterThan(0);
  expect(to).toBeGreaterThanOrEqual(from);
  expect(to).toBeLessThanOrEqual(log.length);
  // What stands behind the newest decision that is shown, nobody has seen for sure.
  const seen = items.findLastIndex(({ kind }) => kind === "exchange");
  for (const item of items.slice(seen + 1)) expect(item.firstSeq).toBeGreaterThan(to);
}

function isApart([a, b]: SeqRange, [c, d]: SeqRange): boolean {
  return b < c || d < a || (a <= c && d <= b) || (c <= a && b <= d);
}

function expectPaired(view: View): void {
  const sent = { turns: view.turns, pinned: "", system: "" };
  const json = createAnthropicHistory("anthropic/x", "keep")(sent);
  const find = (pattern: RegExp): string[] => [...json.matchAll(pattern)].map(([, id]) => id!);
  expect(find(/"tool_use_id":"([^"]+)"/g)).toEqual(find(/"type":"tool_use","id":"([^"]+)"/g));
  const open = JSON.parse(createOpenAiHistory("free")(sent)) as readonly {
    readonly tool_calls?: readonly { readonly id: string }[];
    readonly tool_call_id?: string;
  }[];
  open.forEach(({ tool_calls: calls = [] }, at) => {
    const behind = open.slice(at + 1, at + 1 + calls.length).map(({ tool_call_id: id }) => id);
    expect(behind).toEqual(calls.map(({ id }) => id));
  });
}

describe("compactions of any log, by strategies in turn", () => {
  it("part no call from its result, take no unseen mail, cover what lies apart, and make the view shorter (V1)", () => {
    let made = 0;
    fc.assert(
      fc.property(fc.constantFrom(KEEP, FORGET), steps, (options, taken) => {
        const { view, covers } = play(createView(options), taken);
        made += covers.length;
        covers.forEach((one, at) => {
          for (const other of covers.slice(at + 1)) expect(isApart(one, other)).toBe(true);
        });
        expectPaired(view);
        for (const [at, item] of view.items.entries())
          expect(item.firstSeq).toBeGreaterThan(view.items[at - 1]?.firstSeq ?? 0);
      }),
      { numRuns: 600 },
    );
    expect(made).toBeGreaterThan(1_000);
  });

  it("show each message once, where it was released if it was held, or stand there (V2)", () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const { view, log } = play(createView(KEEP), taken);
        const shown = view.turns.map(textOf).join("\n");
        for (const event of log) {
          if (event.kind !== "message" || event.message.delivery === "verdict") continue;
          const released = log.find((one) => one.kind === "released" && one.messages.includes(event.seq));
          const place = event.held ? released?.seq : event.seq;
          const told = shown.split(`t${event.seq} `).length - 1;
          if (place === undefined) {
            expect(told).toBe(0);
            continue;
          }
          const holders = view.items.filter(({ firstSeq, lastSeq }) => firstSeq <= place && place <= lastSeq);
          expect(holders.some(({ kind }) => kind === "message" || kind === "summary")).toBe(true);
          if (holders.some(({ kind }) => kind === "message")) expect(told).toBe(1);
        }
      }),
      { numRuns: 200 },
    );
  });
});
