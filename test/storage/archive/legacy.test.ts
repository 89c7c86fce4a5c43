import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isEventShaped } from "../../../src/storage/archive/check.ts";
import { readOriginal } from "../../../src/storage/archive/legacy.ts";

const at = "2023-04-08T00:00:00.000Z";
const read = (value: unknown) => readOriginal(value, { agent: "1", at });

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

describe("older versions", () => {
  it.each<[string, unknown]>([
    ["an action with its agent", { type: "action", agentId: "1", actionText: "noop" }],
    [
      "an answer of OpenAI's",
      { type: "response", openaiResponse: { choices: [{ message: { content: "noop" } }] } },
    ],
    ["a message of OpenAI's", { role: "assistant", content: "noop" }],
    ["content as a list", { type: "decision", content: [{ type: "text", text: "noop" }] }],
    ["JSON in JSON", JSON.stringify([decided("noop")])],
    ["lists in lists", [[[decided("noop")]]]],
    ["a list under a name", { events: [decided("noop")] }],
  ])("take %s", (_, entry) => {
    expect(read(entry).events).toMatchObject([{ kind: "decision", text: "noop" }, { kind: "result" }]);
  });

  it.each<[string, unknown, object]>([
    [
      "no source",
      { type: "message", message: { type: "standard", content: "x" } },
      { type: "spontaneous", source: user },
    ],
    ["a bare text", { type: "message", message: "x" }, { type: "spontaneous" }],
    ["a summary", { type: "summary", summary: "x" }, { type: "spontaneous" }],
    ["no wrapping", { type: "agentToAgent", source: { id: 2 }, content: "x" }, { id: "2>1#1" }],
    ["a role", { role: "user", content: "x" }, { type: "spontaneous" }],
    ["a name that is none here", said("agentToAgent", "x", { id: "All" }), { id: "unknown>1#1" }],
  ])("take a message with %s", (_, entry, message) => {
    expect(read([entry]).events).toMatchObject([{ kind: "message", message: { content: "x", ...message } }]);
  });
});

it("names what it does not understand by its place, and goes on", () => {
  const entries = [42, decided("noop"), { type: "message" }, null, { foo: "bar" }, "text", {}];
  expect(read(entries).strange.map(({ index }) => index)).toEqual([0, 2, 3, 4, 5, 6]);
  expect(read(entries).events).toHaveLength(2);
});

it("makes whole events of anything, and forgets nothing", () => {
  const entry = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        type: fc.constantFrom("decision", "message", "ok", "error", "action", "summary"),
        actionText: fc.oneof(fc.string(), fc.jsonValue()),
        content: fc.oneof(fc.string(), fc.jsonValue()),
        message: fc.oneof(fc.string(), fc.jsonValue()),
        source: fc.oneof(fc.jsonValue(), fc.record({ id: fc.string() })),
        targetAgentIds: fc.array(fc.oneof(fc.jsonValue(), fc.constant({ toString: 1 }))),
      },
      { requiredKeys: [] },
    ),
  );
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      const { events, strange } = read(entries);
      const stamped = events.map((event, index) => ({ ...event, seq: index + 1, epoch: 1, at }));
      expect(stamped.filter((event) => !isEventShaped(event))).toEqual([]);
      const results = events.filter(({ kind }) => kind === "result").length;
      expect(results).toBe(events.filter(({ kind }) => kind === "decision").length);
      // Lists in lists that hold nothing hold nothing to forget.
      const isEmpty = (item: unknown): boolean => Array.isArray(item) && item.every(isEmpty);
      if (!isEmpty(entries)) expect(events.length + strange.length).toBeGreaterThan(0);
    }),
  );
});
