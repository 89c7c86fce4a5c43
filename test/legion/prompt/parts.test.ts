import { expect, it } from "vitest";
import { compareParts, type PromptPart } from "../../../src/legion/prompt/parts.ts";

const part = (title: string, text: string): PromptPart => ({ title, text, tokens: 1 });
const turns = (...texts: readonly string[]): readonly PromptPart[] => texts.map((text) => part("User", text));

/** What stands there, with how it came to: `=` the same, `+` new, `~` in the place of another, `-` no more. */
function told(before: readonly PromptPart[], now: readonly PromptPart[]): string {
  const { start, end, parts, gone } = compareParts(before, now);
  const signs = { same: "=", new: "+", changed: "~" };
  return [
    ...now.slice(0, start).map(({ text }) => `=${text}`),
    ...parts.map(({ text, change }) => `${signs[change]}${text}`),
    ...now.slice(now.length - end).map(({ text }) => `=${text}`),
    ...gone.map(({ text }) => `-${text}`),
  ].join(" ");
}

it("a prompt is told against the one before it, also where the same words stand in it often", () => {
  expect(told(turns("a", "b"), turns("a", "b", "c"))).toBe("=a =b +c");
  expect(told(turns("a", "ok", "b", "ok"), turns("a", "ok", "b", "ok", "c", "ok"))).toBe(
    "=a =ok =b =ok +c +ok",
  );
  expect(told(turns("a", "ok", "b", "ok"), turns("s", "b", "ok", "c", "ok"))).toBe("~s =b =ok +c +ok -ok");
  expect(told([part("System", "x"), ...turns("a")], [part("System", "y"), ...turns("a")])).toBe("~y =a");
  expect(told(turns("ok", "no", "ok", "no"), turns("new", "ok", "no", "ok", "newer"))).toBe(
    "+new =ok =no =ok ~newer",
  );
  expect(told(turns(), turns("a"))).toBe("+a");
  expect(told(turns("a"), turns())).toBe("-a");
});

it("a summary in the place of most of a long prompt leaves the rest what it was", () => {
  const long = Array.from({ length: 40_000 }, (_, n) => part(n % 2 ? "Results" : "Assistant", `turn ${n}`));
  const opening = [part("System", "s"), part("Tool t", "t")];
  const before = [...opening, ...long, part("Pinned messages", "one goal")];
  const rest = long.slice(30_000);
  const now = [
    ...opening,
    part("User", "summary"),
    ...rest,
    part("User", "go on"),
    part("Pinned messages", "none"),
  ];
  const { start, end, parts, gone } = compareParts(before, now);
  expect([start, end, gone.length]).toEqual([2, 0, 30_000]);
  expect(parts.filter(({ change }) => change === "same")).toHaveLength(10_000);
  expect(parts.filter(({ change }) => change === "new").map(({ text }) => text)).toEqual([
    "summary",
    "go on",
  ]);
  expect(parts.at(-1)).toMatchObject({ text: "none", change: "changed", was: "one goal" });
});
