import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createKeys } from "../../../../src/cli/console/editor/keys.ts";

function press() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const heard: string[] = [];
  const hear = createKeys({
    onKeys: (keys) => void heard.push(keys),
    onEscape: () => void heard.push("escape"),
    onPaste: (text) => void heard.push(`pasted ${text}`),
    onLeft: () => void heard.push("left"),
  });
  return { hear, heard, pass: (ms: number) => void vi.advanceTimersByTime(ms) };
}

describe("the Escape key", () => {
  it("is known by nothing following it", () => {
    const { hear, heard, pass } = press();
    hear("\u001b");
    expect(heard).toEqual([]);
    pass(60);
    expect(heard).toEqual(["escape"]);
  });

  it.each([
    ["an arrow key, whole", ["\u001b[A"], ["\u001b[A"]],
    ["an arrow key that comes in two pieces", ["\u001b", "[A"], ["\u001b[A"]],
    ["a letter with Alt", ["\u001b", "b"], ["\u001bb"]],
    ["a paste, wherever it is cut", ["\u001b", "[20", "0~x\u001b[2", "01~"], ["pasted x"]],
    ["one that is pasted", ["\u001b[200~\u001b", "x\u001b[201~"], ["pasted \u001bx"]],
  ])("is not %s", (_, chunks, keys) => {
    const { hear, heard, pass } = press();
    for (const chunk of chunks) {
      hear(chunk);
      pass(10);
    }
    pass(60);
    expect(heard.join("")).toBe(keys.join(""));
  });
});
