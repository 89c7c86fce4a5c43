import { describe, expect, it } from "vitest";
import { createRedactor } from "../../src/base/redaction/redactor.ts";
import type { DecisionEvent, NewEvent } from "../../src/domain/event/event.ts";
import type { Message } from "../../src/domain/message/message.ts";
import { redactEvent } from "../../src/past/redact-event.ts";

const KEY = "sk-ant-x9Kq72fLmZ0vB3tYw";
const MARK = "[redacted:KEY]";
const redactor = createRedactor([
  { name: "KEY", value: KEY },
  { name: "AGENT", value: "researcher" },
]);

const message: Message = {
  id: "researcher>2#1",
  type: "agentToAgent",
  source: { type: "agent", id: "researcher" },
  targetAgentIds: ["2"],
  content: `use ${KEY}`,
  sentAt: "2026-11-23T00:00:00.000Z",
  delivery: "normal",
  root: "researcher>2#1",
  hops: 1,
};

const decision: DecisionEvent = {
  kind: "decision",
  text: "hello",
  calls: [{ id: "call-1", action: "work", parameters: { id: KEY } }],
  protocol: "tools",
  model: "scripted",
  usage: { input: 1, output: 1 },
  stop: "calls",
  provider: { signed: "hello" },
};

describe("an event as it may be written down", () => {
  it("is the same object where it holds no secret", () => {
    const event: NewEvent = { kind: "result", call: "call-1", outcome: "ok", content: "done" };
    expect(redactEvent(event, redactor)).toBe(event);
  });

  it("keeps what records are found by, and nothing of a secret in all else", () => {
    const event: NewEvent = { kind: "message", message, mail: 1, from: "log" };
    expect(redactEvent(event, redactor)).toEqual({
      ...event,
      message: { ...message, content: `use ${MARK}` },
    });
    const result: NewEvent = {
      kind: "result",
      call: "call-1",
      outcome: "ok",
      content: KEY,
      details: { id: KEY },
      state: [["notes", `about ${KEY}`, { [KEY]: [KEY] }]],
      sends: [message],
    };
    expect(redactEvent(result, redactor)).toEqual({
      ...result,
      content: MARK,
      details: { id: MARK },
      state: [["notes", `about ${MARK}`, { [MARK]: [MARK] }]],
      sends: [{ ...message, content: `use ${MARK}` }],
    });
  });

  it("loses what a provider must see again where what that was made for is changed", () => {
    const calls = [{ id: "call-1", action: "work", parameters: { id: MARK } }];
    expect(redactEvent(decision, redactor)).toEqual({ ...decision, calls, provider: undefined });
    const opaque = { ...decision, calls: [], provider: { data: [KEY] } };
    expect(redactEvent(opaque, redactor)).toEqual({ ...opaque, provider: undefined });
    expect(redactEvent({ ...decision, calls: [] }, redactor)).toMatchObject({
      provider: { signed: "hello" },
    });
  });
});
