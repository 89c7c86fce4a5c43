import { describe, expect, it } from "vitest";
import { converse, createConversation } from "../../../src/past/conversation.ts";
import { endOf } from "../../../src/legion/run/ending.ts";
import type { NewEvent, Outcome } from "../../../src/domain/event/event.ts";
import type { NoticeEvent } from "../../../src/domain/event/notice.ts";
import type { Message } from "../../../src/domain/message/message.ts";

function endAfter(events: readonly NewEvent[], unread = 0) {
  const conversation = createConversation();
  for (const [index, event] of events.entries())
    converse(conversation, { ...event, seq: index + 1, epoch: 1, at: "2026-01-01T00:00:00.000Z" });
  return endOf(conversation, unread);
}

const letter = (from: string, to: string, n: number, more: Partial<Message> = {}): Message => ({
  id: `${from}>${to}#${n}`,
  type: "agentToAgent",
  source: { type: "agent", id: from },
  targetAgentIds: [to],
  content: `${from} says ${n}`,
  sentAt: "",
  delivery: "normal",
  root: "0>1#1",
  hops: 0,
  ...more,
});
const mail = (n: number, more: Partial<Message> = {}): NewEvent => ({
  kind: "message",
  message: letter("0", "1", n, more),
  mail: n,
  from: "log of 0",
});
const decision = (calls: readonly string[], sends?: readonly Message[]): NewEvent => ({
  kind: "decision",
  text: "",
  calls: calls.map((id) => ({ id, action: "bash", parameters: {} })),
  sends,
  protocol: "bash",
  model: "m",
  usage: { input: 10, output: 5 },
  stop: calls.length > 0 ? "calls" : "end",
});
const result = (call: string, outcome: Outcome, submission?: string): NewEvent => ({
  kind: "result",
  call,
  outcome,
  content: "",
  submission,
});
const notice = (reason: NoticeEvent["reason"], content: string, details?: unknown): NewEvent => ({
  kind: "notice",
  reason,
  content,
  details,
});
const answered = [mail(1), decision([], [letter("1", "0", 1)])];
const worked = [mail(1), decision(["a"]), result("a", "ok")];
const abort = mail(2, { delivery: "abort" });

describe("how a task is over", () => {
  it.each<readonly [string, readonly NewEvent[]]>([
    ["nothing was said", []],
    ["its mail was not decided on", [mail(1)]],
    ["a call has no result", [mail(1), decision(["a"])]],
    ["something came of its newest decision", worked],
    ["it was stopped, and goes on", [...worked, notice("parked", "broken"), notice("resumed", "")]],
    ["it has another task", [...answered, mail(2)]],
  ])("is open while %s", (_, events) => {
    expect(endAfter(events)).toBeUndefined();
  });

  it("is open while mail waits in the mailbox", () => {
    expect(endAfter(answered, 1)).toBeUndefined();
  });

  it.each<readonly [string, readonly NewEvent[], object]>([
    [
      "what it handed in",
      [mail(1), decision(["a"]), result("a", "idle", "a patch")],
      { status: "Submitted", submission: "a patch", reason: "" },
    ],
    [
      "nothing that it handed in",
      [mail(1), decision(["a"]), result("a", "idle", "")],
      { status: "Submitted", submission: "" },
    ],
    [
      "what it handed in, though somebody paused it then",
      [mail(1), decision(["a"]), result("a", "idle", "a patch"), notice("paused", "")],
      { status: "Submitted", submission: "a patch" },
    ],
    ["its answer", answered, { status: "Submitted", submission: "1 says 1", reason: "" }],
    [
      "a rest without a word",
      [mail(1), decision(["a"]), result("a", "idle")],
      { status: "Error", submission: "", reason: "the agent rests without an answer" },
    ],
    [
      "an abort, whatever it said before",
      [mail(1), decision(["a"], [letter("1", "0", 1)]), result("a", "ok"), abort],
      { status: "UserInterruption", submission: "" },
    ],
    [
      "a limit",
      [...worked, notice("parked-limit", "this agent may make 1 model call.", { limit: "steps" })],
      { status: "LimitsExceeded", submission: "", reason: "this agent may make 1 model call." },
    ],
    [
      "a limit in time, whatever it said before",
      [...answered, mail(2), notice("parked-limit", "", { limit: "time" })],
      { status: "TimeExceeded", submission: "" },
    ],
    ["a person who paused it at once", [notice("paused", "wait")], { status: "UserInterruption" }],
  ])("is told by %s", (_, events, end) => {
    expect(endAfter(events)).toMatchObject(end);
  });

  it("is what the log says, once it says so", () => {
    const ended = notice("ended", "why", { status: "Error", submission: "" });
    expect(endAfter([...answered, ended])).toEqual({ status: "Error", submission: "", reason: "why" });
    expect(endAfter([...answered, ended, mail(2)])).toBeUndefined();
    expect(endAfter([...answered, ended, notice("resumed", "")])).toMatchObject({ status: "Submitted" });
  });
});
