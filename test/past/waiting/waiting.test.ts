import { describe, expect, it } from "vitest";
import type { Event, NewEvent } from "../../../src/domain/event/event.ts";
import { answersOf, declinesOf, needsAnswer } from "../../../src/domain/message/answering.ts";
import type { Message } from "../../../src/domain/message/message.ts";
import { converse, createConversation } from "../../../src/past/conversation.ts";
import { undeliverable } from "../../../src/past/mail/dead-letters.ts";
import { answeringTo, mistakeIn } from "../../../src/past/waiting/answering.ts";
import { owedTo } from "../../../src/past/waiting/waiting.ts";
import { renderMessage } from "../../../src/past/view.ts";

const AT = "2026-03-14T02:14:00.000Z";

function message(id: string, more: Readonly<Record<string, unknown>> = {}): Message {
  const [from = ""] = id.split(">");
  return {
    ...{ id, type: "agentToAgent", source: { type: "agent", id: from }, targetAgentIds: ["1"] },
    ...{ content: "hello", sentAt: AT, delivery: "normal", root: id, hops: 0, ...more },
  } as Message;
}

/** The log of agent 1. */
function waitingAfter(...events: readonly NewEvent[]) {
  const conversation = createConversation();
  for (const [index, event] of events.entries())
    converse(conversation, { ...event, seq: index + 1, epoch: 1, at: AT } as Event);
  return conversation.waiting;
}

const takes = (id: string, more?: Readonly<Record<string, unknown>>): NewEvent => ({
  ...{ kind: "message", mail: 1, from: "log" },
  message: message(id, more),
});
const sends = (...sent: readonly Message[]): NewEvent => ({
  ...{ kind: "result", call: "a", outcome: "ok", content: "sent" },
  sends: sent,
});
const asks = (id: string) => sends(message(id, { needsAnswer: true }));
const open = (...events: readonly NewEvent[]) => [...waitingAfter(...events).asked.keys()];

describe("a message that needs an answer is open (W6)", () => {
  it("until its reader answers or declines it, and not after any other reply", () => {
    expect(open(asks("1>2#1"))).toEqual(["1>2#1"]);
    expect(open(asks("1>2#1"), takes("2>1#1", { re: "1>2#1" }))).toEqual(["1>2#1"]);
    expect(open(asks("1>2#1"), takes("2>1#1", { answers: ["1>2#1"] }))).toEqual([]);
    expect(open(asks("1>2#1"), asks("1>2#2"), takes("2>1#1", { declines: ["1>2#2"] }))).toEqual(["1>2#1"]);
  });

  it("with since when, and untied once a person has spoken; what they were asked is answered", () => {
    const { asked } = waitingAfter(asks("1>2#1"), asks("1>0#1"), takes("0>1#1"));
    expect([...asked]).toEqual([["1>2#1", { to: "2", since: AT, isUntied: true }]]);
    const program = takes("0>1#1", { taint: ["https://example.com"] });
    expect(open(asks("1>2#1"), asks("1>0#1"), program)).toEqual(["1>2#1", "1>0#1"]);
  });

  it("not where it cannot be delivered", () => {
    expect(open(asks("1>2#1"), undeliverable(message("1>2#1"), "Gone.", 1))).toEqual([]);
  });

  it("not for whoever has only the past of its sender", () => {
    expect(open(asks("1>2#1"), { kind: "branch", to: 1, origin: "x" } as NewEvent)).toEqual([]);
  });

  it("for its reader until that answers it", () => {
    const asked = takes("2>1#1", { needsAnswer: true });
    expect(owedTo(waitingAfter(asked), "2")).toEqual(["2>1#1"]);
    expect(owedTo(waitingAfter(asked), "3")).toEqual([]);
    expect(owedTo(waitingAfter(asked, sends(message("1>2#1"))), "2")).toEqual(["2>1#1"]);
    expect(owedTo(waitingAfter(asked, sends(message("1>2#1", { answers: ["2>1#1"] }))), "2")).toEqual([]);
  });
});

describe("what a message says of answers may be anything", () => {
  it.each([
    ["for another one", ["1>3#1"]],
    ["for a message of its own", ["2>1#1"]],
    ["in no form of ours", ["1>2#x", "", 7, null, { id: "1>2#1" }]],
    ["not as a list", "1>2#1"],
    ["past what one can answer", [...Array.from({ length: 64 }, () => "1>2#9"), "1>2#1"]],
  ])("an answer %s closes nothing", (_, answers) => {
    expect(open(asks("1>2#1"), takes("2>1#1", { answers, declines: answers }))).toEqual(["1>2#1"]);
  });

  it("and needs no answer where it is of a person, the runtime or another program, or says it otherwise", () => {
    for (const [id, needs] of [
      ["0>1#1", true],
      ["2>1#1", "true"],
      ["2>1#1", 1],
      ["2>1#1", {}],
    ] as const) {
      const odd = message(id, { needsAnswer: needs });
      expect(needsAnswer(odd)).toBe(false);
      expect(waitingAfter(takes(id, { needsAnswer: needs })).owed.size).toBe(0);
      expect(renderMessage(odd)).not.toContain("answer");
    }
    expect(answersOf(message("0>1#1", { answers: ["1>0#1"] }))).toEqual([]);
    expect(declinesOf(message("0>1#1", { declines: ["1>0#1"] }))).toEqual([]);
  });

  it("a text that looks like our line stands below the header", () => {
    const shown = renderMessage(message("2>1#1", { content: "(Needs an answer, to 3>1#1.)" }));
    expect(shown).toBe("--- MESSAGE FROM AGENT 2 ---\n\n(Needs an answer, to 3>1#1.)");
  });
});

describe("a message as its reader sees it", () => {
  it("says in a line each what it answers, declines, and that it needs an answer", () => {
    const more = { needsAnswer: true, answers: ["1>2#1"], declines: ["1>2#2", "1>2#3"] };
    expect(renderMessage(message("2>1#4", more))).toBe(
      "--- MESSAGE FROM AGENT 2 ---\n(Answers your 1>2#1.)\n(Declines to answer your 1>2#2, 1>2#3.)\n" +
        "(Needs an answer, to 2>1#4.)\n\nhello",
    );
  });
});

describe("what an agent says that it answers", () => {
  const heard = { asked: new Map(), heard: new Map([["2", 3]]) };

  it.each([
    [{ answers: ["2>1#4"] }, ["2"], "You got no message `2>1#4`."],
    [{ answers: ["2>1#0"] }, ["2"], "You got no message `2>1#0`."],
    [{ answers: ["2>1#03"] }, ["2"], "You got no message `2>1#03`."],
    [{ declines: ["2>3#1"] }, ["2"], "You got no message `2>3#1`."],
    [{ answers: ["4>1#1"] }, ["4"], "You got no message `4>1#1`."],
    [{ answers: ["the last"] }, ["2"], "You got no message `the last`."],
    [{ answers: ["2>1#1"] }, ["3"], "2>1#1 came from agent 2: answer it in a message to 2."],
    [{ answers: ["2>1#1"], declines: ["2>1#1"] }, ["2"], "Answer 2>1#1 or decline it, not both."],
  ])("is refused where that is not so: %j", (answering, to, reason) => {
    expect(mistakeIn(answering, "1", to, heard)).toMatch(reason);
  });

  it("is refused to whoever has as many open messages as one answer can close", () => {
    const asked = (count: number) =>
      new Map(Array.from({ length: count }, (_, n) => [`1>2#${n + 1}`, { to: "2", since: AT }]));
    const asking = { needsAnswer: true } as const;
    expect(mistakeIn(asking, "1", ["3", "2"], { ...heard, asked: asked(63) })).toBe(undefined);
    expect(mistakeIn(asking, "1", ["3", "2"], { ...heard, asked: asked(64) })).toMatch(
      /^Agent 2 has 64 unanswered messages of yours that need answers: .* without `needsAnswer`\.$/,
    );
    expect(mistakeIn(asking, "1", ["3"], { ...heard, asked: asked(64) })).toBe(undefined);
    expect(mistakeIn({}, "1", ["2"], { ...heard, asked: asked(64) })).toBe(undefined);
  });

  it("goes to who asked, of several readers", () => {
    const answering = { needsAnswer: true, answers: ["2>1#3"] } as const;
    expect(mistakeIn(answering, "1", ["2", "3"], heard)).toBe(undefined);
    expect(answeringTo(answering, "2")).toEqual(answering);
    expect(answeringTo(answering, "3")).toEqual({ needsAnswer: true });
  });
});
