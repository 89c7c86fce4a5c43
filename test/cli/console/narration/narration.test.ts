import { describe, expect, it } from "vitest";
import type { DecisionEvent, EventOf } from "../../../../src/domain/event/event.ts";
import { answerRemark, summaryRemark } from "../../../../src/cli/console/narration/narration.ts";

const SUMMARY: EventOf<"summary"> = {
  kind: "summary",
  covers: [2, 40],
  content: "c",
  strategy: "rounds",
  usage: { input: 10, output: 2 },
  seq: 41,
  epoch: 1,
  at: "2026-01-01T00:00:00.000Z",
};

describe("what is said of a compaction", () => {
  it.each([
    [
      "the tokens before and after, and what remains",
      { tokens: { before: 85_000, after: 45_000 }, stays: { messages: 12, decisions: 0, summaries: 9 } },
      "compacted: 85,000 -> 45,000 tokens, 12 messages and 9 summaries stay",
    ],
    [
      "one of each",
      { tokens: { before: 900, after: 45 }, stays: { messages: 1, decisions: 1, summaries: 1 } },
      "compacted: 900 -> 45 tokens, 1 message, 1 decision and 1 summary stay",
    ],
    [
      "that a summary is not kept",
      { covers: [0, 0] },
      "a summary would have freed no space, and is not kept (12 tokens)",
    ],
    ["of an earlier version's, what it knew", {}, "summarised events 2 to 40 to free space (12 tokens)"],
  ] as const)("%s", (_, fields, text) => {
    expect(summaryRemark({ ...SUMMARY, ...fields })).toMatchObject({ text });
  });
});

it("where an answer went is said, but of what rules say when they are done, which is meant for nobody", () => {
  const answer: DecisionEvent = {
    ...{ kind: "decision", text: "Message processed.", calls: [], protocol: "tools", model: "m" },
    ...{ usage: { input: 0, output: 0 }, stop: "end" },
  };
  expect(answerRemark(answer)).toMatchObject({ text: "sent to nobody" });
  expect(answerRemark({ ...answer, model: "rules" })).toBeUndefined();
});
