import { describe, expect, it } from "vitest";
import { knotsShown, type ShownAgent } from "../../../src/legion/knots/shown.ts";
import type { Wait } from "../../../src/legion/waits.ts";

const asks = (id: string, to: string, more: Partial<Wait> = {}): Wait => ({
  ...{ for: "reply", agents: [to], since: null, way: "", messages: [`${id}>${to}#1`], ties: true },
  ...more,
});
const row = (id: string, waits: readonly Wait[], more: Partial<ShownAgent> = {}): ShownAgent => ({
  ...{ id, state: "idle", node: "1@here", waits },
  ...more,
});
const delivers = (to: string): Wait => ({ for: "delivery", agents: [to], since: null, way: "" });
const two = (more: Partial<ShownAgent> = {}) => [
  row("1", [asks("1", "2")]),
  row("2", [asks("2", "1")], more),
];

describe("knots among agents as they are shown (W7)", () => {
  it.each([
    ["two that run", two()],
    ["two beside one that waits for them", [row("0x", [asks("0x", "1")]), ...two()]],
    ["two of whom nobody runs any", two().map((one) => ({ ...one, state: "stopped", node: null }) as const)],
    [
      "two beside one that is at work and waits for nobody",
      [...two(), row("3", [], { state: "thinking" }), row("4", [delivers("3")])],
    ],
  ])("are %s", (_, agents) => {
    expect(knotsShown(agents)).toEqual([{ agents: ["1", "2"], open: ["1>2#1", "2>1#1"] }]);
  });

  it.each([
    ["one of them is at work", two({ state: "thinking" })],
    ["one of them is stopped", two({ state: "stopped", node: null })],
    [
      "one of them may go on, or a person has spoken to it",
      two({ waits: [asks("2", "1", { ties: undefined })] }),
    ],
    ["one of them waits for another one as well", two({ waits: [asks("2", "1"), asks("2", "3")] })],
    ["one of them waits for a person as well", two({ waits: [asks("2", "1"), asks("2", "0")] })],
    ["mail is on its way to one of them", [...two(), row("3", [delivers("1")])]],
    ["no message of one of them needs an answer", two({ waits: [asks("2", "1", { messages: undefined })] })],
    ["there are none", []],
  ])("are none where %s", (_, agents) => {
    expect(knotsShown(agents)).toEqual([]);
  });
});
