import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Event, NewEvent } from "../../../src/domain/event/event.ts";
import type { AgentId } from "../../../src/domain/message/message.ts";
import { comparePasts, type ComparedPast } from "../../../src/legion/replay/compare-pasts.ts";
import { letter } from "../../mail/letter.ts";

const usage = { input: 10, output: 2 };
const said = (text: string, cost?: number): NewEvent => ({
  ...{ kind: "decision", text, calls: [], protocol: "tools", model: "m", usage, stop: "end" },
  ...(cost !== undefined && { cost }),
});
const heard = (content: string, to: AgentId): NewEvent => ({
  ...letter(to, 1, { from: "0", content }),
  ...{ kind: "message", mail: 1 },
});
const asked: NewEvent = { kind: "prompted", model: "m", prompt: "", introduction: "", reserved: usage };
const BASE = Date.parse("2026-01-01T00:00:00.000Z");

/** A past that is in memory. */
function past(agent: AgentId, events: readonly NewEvent[], at?: number): ComparedPast {
  const log = events.map((event, index): Event => ({
    ...event,
    seq: index + 1,
    epoch: 1,
    at: new Date(BASE + index).toISOString(),
  }));
  async function* read(_: AgentId, from = 1) {
    for (const event of log) if (event.seq >= from) yield Promise.resolve(event);
  }
  return { reader: { events: read }, agent, at };
}

describe("two pasts", () => {
  it("with a common beginning part exactly where they were made to part", async () => {
    const words = fc.array(fc.string({ maxLength: 5 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(words, words, words, fc.nat(3), async (common, mine, theirs, retries) => {
        const again = Array.from({ length: retries }, () => asked);
        const one = [...common.map((text) => said(text)), said("one"), ...mine.map((text) => said(text))];
        const other = [
          ...again,
          ...common.map((text) => said(text, 1)),
          said("other"),
          ...theirs.map((text) => said(text)),
        ];
        const found = await comparePasts(past("1", one), past("2", other));
        expect(found.same).toBe(common.length);
        expect(found.unlike).toEqual({ part: "decision: text", one: "one", other: "other" });
        expect([found.one.parts?.seq, found.other.parts?.seq]).toEqual([
          common.length + 1,
          common.length + retries + 1,
        ]);
        expect(found.one.events.map(({ seq }) => seq)).toEqual(
          one.slice(common.length).map((_, n) => common.length + n + 1),
        );
        expect(found.other.since.steps).toBe(theirs.length + 1);
        expect(found.one.last?.seq).toBe(one.length);
      }),
    );
  });

  it("are the same where only names, numbers, tries and costs are not, and one may go on", async () => {
    const one = past("1", [heard("Go", "1"), asked, said("ok", 1)]);
    const other = past("2", [asked, heard("Go", "2"), said("ok", 2), asked, said("more", 3)]);
    expect(await comparePasts(one, one)).toMatchObject({
      same: 2,
      unlike: null,
      one: { parts: null, events: [] },
    });
    const found = await comparePasts(one, other);
    expect(found).toMatchObject({
      same: 2,
      unlike: null,
      one: { parts: null },
      other: { parts: { seq: 5 } },
    });
    expect(found.other.since).toEqual({ steps: 1, tokens: 12, cost: 3, timeMs: 1 });
    expect(found.one.since).toEqual({ steps: 0, tokens: 0, cost: 0, timeMs: 0 });
  });

  it("may be branches of one log, each up to its end", async () => {
    const log = [said("a"), said("b"), said("c"), { kind: "branch", to: 1 } as const, said("b"), said("d")];
    const found = await comparePasts(past("1", log, 3), past("1", log));
    expect(found).toMatchObject({ same: 2, unlike: { one: "c", other: "d" } });
    expect([found.one.parts?.seq, found.other.parts?.seq]).toEqual([3, 6]);
    await expect(comparePasts(past("1", log, 7), past("1", log))).rejects.toMatchObject({
      code: "USAGE",
      message: "there is no event 7 in the log of Agent 1: it ends at 6",
    });
  });

  it("that go on for long are counted, and not held", async () => {
    const long = Array.from({ length: 1_000 }, (_, n) => said(String(n)));
    const found = await comparePasts(past("1", long), past("1", []));
    expect(found).toMatchObject({
      same: 0,
      unlike: null,
      one: { more: 800, since: { steps: 1_000, cost: null } },
    });
    expect(found.one.events).toHaveLength(200);
    expect(found.other).toMatchObject({ last: null, shared: null, parts: null, events: [], more: 0 });
    const wide = await comparePasts(
      past(
        "1",
        Array.from({ length: 9 }, () => said("x".repeat(600_000))),
      ),
      past("1", []),
    );
    expect(wide.one.events).toHaveLength(3);
    expect(wide.one.more).toBe(6);
  });

  it("of a call are told by its number in the decision, and of two kinds of events as a whole", async () => {
    const call = (id: string, path: string): NewEvent =>
      ({
        ...said(""),
        kind: "decision",
        calls: [{ id, action: "readFile", parameters: { path } }],
      }) as NewEvent;
    const result = (id: string): NewEvent => ({ kind: "result", call: id, outcome: "ok", content: "x" });
    const one = past("1", [call("1-c1", "a"), result("1-c1"), call("3-c1", "b")]);
    const other = past("1", [asked, call("2-c1", "a"), result("2-c1"), call("4-c1", "c")]);
    expect(await comparePasts(one, other)).toMatchObject({
      same: 2,
      unlike: { part: "decision: calls", one: "readFile\npath: b", other: "readFile\npath: c" },
    });
    const mail = await comparePasts(past("1", [heard("Go", "1")]), past("1", [said("Go")]));
    expect(mail.unlike?.part).toBe("what happens");
    expect(mail.unlike?.one).toContain("message\nfrom: 0\nto: (itself)\ncontent: Go");
  });
});
