import { describe, expect, it } from "vitest";
import { compose } from "../../src/mail/compose.ts";
import { createConversation } from "../../src/past/conversation.ts";
import { createLedger } from "../../src/past/ledger.ts";

function say(count: number) {
  const to = Array.from({ length: count }, (_, index) => String(index + 1));
  return compose(
    { ledger: createLedger(), conversation: createConversation() },
    { from: "0", to, content: "hello" },
    [],
    0,
  );
}

describe("a message to several targets", () => {
  it("is one message to each, with an id of its own and all targets named", () => {
    expect(say(3).map(({ id, targetAgentIds }) => [id, targetAgentIds])).toEqual([
      ["0>1#1", ["1", "2", "3"]],
      ["0>2#1", ["1", "2", "3"]],
      ["0>3#1", ["1", "2", "3"]],
    ]);
  });

  it("names only its own recipient where thousands are meant, so that its size stays linear", () => {
    expect(say(1_000)[0]?.targetAgentIds).toHaveLength(1_000);
    expect(say(1_001).map(({ targetAgentIds }) => targetAgentIds.length)).toEqual(Array(1_001).fill(1));
    expect(JSON.stringify(say(10_000)).length).toBeLessThan(10_000 * 300);
  });
});
