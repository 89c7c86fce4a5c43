import { describe, expect, it } from "vitest";
import type { Message } from "../../../src/domain/message/message.ts";
import { parseQuestionId, questionId, verdictIn } from "../../../src/domain/policy/verdict.ts";

const said = (details: unknown, more: Partial<Message> = {}) =>
  verdictIn({ id: "0>1#1", delivery: "verdict", details, ...more });
const approved = { question: "1.2", verdict: "approved" } as const;

describe("the verdict in a message", () => {
  it("is what Control says in that lane, and nothing beside it", () => {
    expect(said(approved)).toEqual(approved);
    const denied = { question: "a.b.417", verdict: "denied", reason: "not today", always: "host" } as const;
    expect(said({ ...denied, by: "somebody" })).toEqual(denied);
  });

  it.each<[string, unknown, Partial<Message>?]>([
    ["an agent says it", approved, { id: "2>1#1" }],
    ["it came in another lane", approved, { delivery: "normal" }],
    ["it aborts", approved, { delivery: "abort" }],
    ["it says nothing", undefined],
    ["it is a text", "approved"],
    ["it names no question", { verdict: "approved" }],
    ["its question is of nobody", { ...approved, question: "0.2" }],
    ["its question is no event", { ...approved, question: "1.0" }],
    ["it is neither yes nor no", { ...approved, verdict: "perhaps" }],
    ["its reason is no text", { ...approved, reason: {} }],
    ["it is for always, and for nothing known", { ...approved, always: "everything" }],
    ["it inherits its words", Object.create(approved)],
  ])("is not there where %s", (_, details, more) => expect(said(details, more)).toBeUndefined());
});

it("a question is named by its agent, whose name may have dots, and its event", () => {
  for (const address of [
    { agent: "2", seq: 417 },
    { agent: "a.1", seq: 2 },
  ])
    expect(parseQuestionId(questionId(address))).toEqual(address);
  for (const id of [
    "",
    "2",
    "2.",
    ".2",
    "2.0",
    "2.01",
    "A.1",
    "0.1",
    "2.1\n",
    "con.1",
    `2.${"9".repeat(16)}`,
  ])
    expect(parseQuestionId(id)).toBeUndefined();
});
