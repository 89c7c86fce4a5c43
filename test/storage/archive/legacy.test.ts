import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isEventShaped } from "../../../src/storage/archive/format.ts";
import { editsOf, readOriginal, type Remains } from "../../../src/storage/archive/legacy.ts";

const at = "2023-04-08T00:00:00.000Z";
const read = (memory: unknown, rest: Omit<Remains, "memory"> = {}) =>
  readOriginal({ memory, ...rest }, { agent: "1", at });

const user = { type: "user" };
const said = (type: string, content: string, source: unknown = user) => ({
  type: "message",
  message: { type, source, targetAgentIds: ["1"], content },
});
const decided = (actionText: string) => ({ type: "decision", actionText });

it("takes decisions, what came of them, and messages", () => {
  const { events, strange } = read([
    said("spontaneous", "You are Agent 1."),
    said("agentToAgent", "Greet Agent 2", { type: "agent", id: "0" }),
    decided("sendMessage\nthoughts: be kind\ntargetAgentId: 2\nmessage: Hello"),
    said("ok", "Message sent."),
    decided("dance"),
    said("error", "Unknown action `dance`"),
    decided("noop"),
  ]);
  expect(strange).toEqual([]);
  expect(events).toMatchObject([
    {
      kind: "message",
      message: { id: "0>1#1", type: "spontaneous", source: user, content: "You are Agent 1." },
    },
    { kind: "message", message: { id: "0>1#2", type: "agentToAgent", source: { type: "agent", id: "0" } } },
    {
      kind: "decision",
      thoughts: "be kind",
      calls: [{ id: "c1", action: "sendMessage", parameters: { targetAgentId: "2", message: "Hello" } }],
      stop: "calls",
      usage: { input: 0, output: 0 },
    },
    { kind: "result", call: "c1", outcome: "ok", content: "Message sent." },
    { kind: "decision", calls: [{ action: "dance" }] },
    { kind: "result", call: "c1", outcome: "error" },
    { kind: "decision", calls: [{ action: "noop" }] },
    { kind: "result", call: "c1", outcome: "idle" },
  ]);
});

it("keeps what could not be read as an action as the agent wrote it", () => {
  const { events } = read([decided("I would rather not."), said("error", "Not an action.")]);
  expect(events).toMatchObject([
    { kind: "decision", text: "I would rather not.", calls: [], stop: "unparsed" },
    { kind: "result", call: null, outcome: "error", content: "Not an action." },
  ]);
});

it("keeps what came of a decision that is gone as it was shown", () => {
  const { events } = read([said("ok", "Goal added."), said("error", "Unknown action `dance`")]);
  expect(events).toMatchObject([
    { kind: "message", message: { type: "spontaneous", content: "Goal added." } },
    { kind: "message", message: { type: "spontaneous", content: "--- ERROR ---\n\nUnknown action `dance`" } },
  ]);
});

describe("older versions", () => {
  it.each<[string, unknown]>([
    ["wrapped", { type: "decision", decision: { actionText: "noop" } }],
    ["as actions", { type: "action", agentId: "1", actionText: "noop" }],
  ])("wrote decisions %s", (_, entry) => {
    expect(read([entry]).events).toMatchObject([
      { kind: "decision", text: "noop", calls: [{ action: "noop" }] },
      { kind: "result", outcome: "idle" },
    ]);
  });

  it("called the answer to an action standard", () => {
    const system = { type: "system" };
    const { events, strange } = read([
      said("standard", "You are awake.", system),
      decided("help"),
      said("standard", "You can take these actions.", system),
      decided("help\naboutAction: fly"),
      said("error", "No such action.", system),
    ]);
    expect(strange).toEqual([]);
    expect(events).toMatchObject([
      { kind: "message", message: { type: "spontaneous", source: user, content: "You are awake." } },
      { kind: "decision" },
      { kind: "result", call: "c1", outcome: "ok", content: "You can take these actions." },
      { kind: "decision" },
      { kind: "result", call: "c1", outcome: "error", content: "No such action." },
    ]);
  });

  it.each<[string, unknown, object]>([
    ["no source", { type: "message", message: { type: "standard", content: "x" } }, { type: "spontaneous" }],
    ["a summary", { type: "summary", summary: "x" }, { type: "spontaneous" }],
    ["a number for a name", said("agentToAgent", "x", { type: "agent", id: 2 }), { id: "2>1#1" }],
    ["a name that is none here", said("agentToAgent", "x", { id: "All" }), { id: "unknown>1#1" }],
  ])("take a message with %s", (_, entry, message) => {
    expect(read([entry]).events).toMatchObject([{ kind: "message", message: { content: "x", ...message } }]);
  });
});

it("finds the result of a decision also behind what was said meanwhile", () => {
  const { events } = read([
    decided("readPage\nurl: example.org"),
    said("agentToAgent", "Are you there?", { type: "agent", id: "2" }),
    said("ok", "A page."),
  ]);
  expect(events).toMatchObject([
    { kind: "decision" },
    { kind: "result", outcome: "ok", content: "A page." },
    { kind: "message", message: { content: "Are you there?" } },
  ]);
});

it("names what it does not understand by its kind and place, and goes on", () => {
  const entries = [42, decided("noop"), { type: "message" }, null, { type: "dream", content: "sheep" }];
  const { events, strange } = read(entries);
  expect(strange).toEqual([
    { kind: "of no type", index: 0, entry: 42 },
    { kind: 'of type "message"', index: 2, entry: entries[2] },
    { kind: "of no type", index: 3, entry: null },
    { kind: 'of type "dream"', index: 4, entry: entries[4] },
  ]);
  expect(events).toHaveLength(2);
});

it("takes goals and notes as what a person put there", () => {
  const goals = [{ text: "Read", complete: true }, { text: "Write" }, "Sleep"];
  const notes = new Map([["plan", "First read."]]);
  const original = read([decided("noop")], { goals, notes });
  expect(original.strange).toEqual([{ kind: "of its goals", entry: "Sleep" }]);
  const known = [
    { text: "Read", complete: true },
    { text: "Write", complete: false },
  ];
  expect([...editsOf(original)]).toEqual([
    { kind: "edited", module: "goals", key: "goals", value: known },
    { kind: "edited", module: "notes", key: "plan", value: "First read." },
  ]);
  expect(read([decided("noop")], { goals: { goals } }).goals).toEqual(known);
});

it("makes whole events of anything, and forgets nothing", () => {
  const text = fc.oneof(fc.string(), fc.jsonValue());
  const message = fc.record(
    {
      type: fc.constantFrom("standard", "ok", "error", "spontaneous", "agentToAgent", "toString"),
      content: text,
      source: fc.oneof(fc.jsonValue(), fc.record({ id: fc.string() })),
      targetAgentIds: fc.array(fc.oneof(fc.jsonValue(), fc.constant({ toString: 1 }))),
    },
    { requiredKeys: ["type", "content"] },
  );
  const entry = fc.oneof(
    fc.jsonValue(),
    fc.record({ type: fc.constant("decision"), actionText: text }),
    fc.record({ type: fc.constant("decision"), decision: fc.record({ actionText: text }) }),
    fc.record({ type: fc.constant("summary"), summary: text }),
    fc.record({ type: fc.constant("message"), message }),
  );
  const goal = fc.oneof(fc.jsonValue(), fc.record({ text, complete: fc.boolean() }));
  fc.assert(
    fc.property(fc.array(entry), fc.array(goal), (entries, goals) => {
      const original = read(entries, { goals, notes: new Map([["a", "b"]]) });
      const { events, strange } = original;
      const all = [...events, ...editsOf(original)];
      const stamped = all.map((event, index) => ({ ...event, seq: index + 1, epoch: 1, at }));
      expect(stamped.filter((event) => !isEventShaped(event))).toEqual([]);
      const count = (kind: string): number => events.filter((event) => event.kind === kind).length;
      expect(count("result")).toBe(count("decision"));
      // An answer is the result of the decision before it, and a decision without one gets an empty one.
      const answers = events.filter((event) => event.kind === "result" && event.outcome !== "idle").length;
      const known = count("decision") + count("message") + answers + original.goals.length;
      expect(known + strange.length).toBe(entries.length + goals.length);
    }),
  );
});
