import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planLegion } from "../../src/agent/think/compaction.ts";
import type { Event, NewEvent, Outcome } from "../../src/domain/event/event.ts";
import { laneOf } from "../../src/domain/message/message.ts";
import type { Turn } from "../../src/domain/model.ts";
import { createView, renderMessage, type View } from "../../src/past/view.ts";
import {
  FORGET,
  KEEP,
  decision,
  message,
  result,
  summary,
  unparsed,
  verdict,
} from "../domain/event/event-lines.ts";

describe("for any sequence of events", () => {
  const outcome = fc.constantFrom<Outcome>("ok", "error", "idle", "interrupted");
  const step = fc.oneof(
    fc.record({ kind: fc.constant("message" as const) }),
    fc.record({ kind: fc.constant("verdict" as const) }),
    fc.record({ kind: fc.constant("held" as const) }),
    fc.record({ kind: fc.constant("released" as const), count: fc.integer({ min: 1, max: 2 }) }),
    fc.record({
      kind: fc.constant("decision" as const),
      calls: fc.integer({ min: 0, max: 3 }),
      stop: fc.constantFrom("end", "unparsed", "aborted"),
    }),
    fc.record({ kind: fc.constant("result" as const), of: fc.integer({ min: 0, max: 4 }), outcome }),
    fc.record({ kind: fc.constant("summary" as const), from: fc.nat(), length: fc.nat(8) }),
    fc.record({ kind: fc.constant("compaction" as const) }),
    fc.record({ kind: fc.constant("notice" as const) }),
  );
  const options = fc.constantFrom(
    KEEP,
    FORGET,
    { ...KEEP, errors: "forget" } as const,
    { ...FORGET, errors: "keep" } as const,
  );

  /** Plays the steps as the runtime, a crash, or a hand-edited log could have written them. */
  function play(
    view: View,
    steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
  ): Event[] {
    const log: Event[] = [];
    let open: readonly string[] = [];
    const held: number[] = [];
    const add = (event: NewEvent): void => {
      const stamped: Event = { ...event, seq: log.length + 1, epoch: 1, at: "2026-01-01T00:00:00.000Z" };
      log.push(stamped);
      view.see(stamped);
    };
    for (const each of steps) {
      const n = log.length + 1;
      if (each.kind === "message") add(message(`m${n}.`));
      else if (each.kind === "held") {
        add({ ...message(`m${n}.`), held: true });
        held.push(n);
      } else if (each.kind === "released") add({ kind: "released", messages: held.splice(0, each.count) });
      else if (each.kind === "verdict") add(verdict(`m${n}.`));
      else if (each.kind === "notice") add({ kind: "notice", reason: "gap", content: "gap" });
      else if (each.kind === "decision") {
        open = each.stop === "end" ? Array.from({ length: each.calls }, (_, i) => `d${n}c${i}`) : [];
        if (each.stop === "unparsed") add(unparsed(`d${n}`));
        else add({ ...decision(`d${n}`, ...open), stop: each.stop as "end" | "aborted" } as NewEvent);
      } else if (each.kind === "result") add(result(open[each.of] ?? null, each.outcome));
      else if (each.kind === "compaction") {
        const plan = planLegion(view, 0, 1);
        if (plan) add(summary(plan.covers));
      } else if (n > 1) {
        const first = 1 + (each.from % (n - 1));
        add(summary([first, Math.min(n - 1, first + each.length)]));
      }
    }
    return log;
  }

  function calls(turn: Turn): readonly string[] {
    return turn.role === "assistant" ? turn.calls.map(({ id }) => id) : [];
  }

  it("every call that is shown is followed by exactly one result (V1)", () => {
    fc.assert(
      fc.property(options, fc.array(step, { maxLength: 40 }), (chosen, steps) => {
        const view = createView(chosen);
        play(view, steps);
        if (chosen.protocol.name !== "tools") return;
        view.turns.forEach((turn, index) => {
          const next = view.turns[index + 1];
          if (calls(turn).length > 0) {
            expect(next?.role === "results" ? next.results.map(({ call }) => call) : undefined).toEqual(
              calls(turn),
            );
          } else if (next?.role === "results") expect(next.results).toEqual([]);
        });
      }),
      { numRuns: 500 },
    );
  });

  it("every message but a verdict is shown in its place, or where it was released, or lies in a range that a shown summary covers (V2)", () => {
    fc.assert(
      fc.property(options, fc.array(step, { maxLength: 40 }), (chosen, steps) => {
        const view = createView(chosen);
        const log = play(view, steps);
        const summaries = view.items.filter(({ kind }) => kind === "summary");
        const shown = new Set(view.turns.map((turn) => (turn.role === "user" ? turn.text : "")));
        for (const event of log) {
          if (event.kind !== "message") continue;
          const released = log.find((one) => one.kind === "released" && one.messages.includes(event.seq));
          const place = event.held ? released?.seq : event.seq;
          const isShown = shown.has(renderMessage(event.message));
          if (place === undefined) {
            expect(isShown).toBe(false);
            continue;
          }
          const isCovered = summaries.some(({ firstSeq, lastSeq }) => firstSeq <= place && place <= lastSeq);
          expect(isCovered || isShown).toBe(isCovered || laneOf(event.message) !== "verdict");
        }
      }),
      { numRuns: 500 },
    );
  });

  it("turns, tokens and hash are those of a view that saw only what is shown", () => {
    fc.assert(
      fc.property(options, fc.array(step, { maxLength: 40 }), (chosen, steps) => {
        const view = createView(chosen);
        play(view, steps);
        expect(view.turns).toEqual(view.items.flatMap(({ turns }) => turns));
        expect(view.tokens).toBe(view.items.reduce((sum, { tokens }) => sum + tokens, 0));
        const { chain } = view;
        const again = createView(chosen);
        play(again, steps);
        expect(again.chain).toBe(chain);
      }),
    );
  });
});
