import { readFileSync } from "node:fs";
import { join } from "node:path";
import { applyPatch } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changeOf, MAX_COMPARED } from "../../../modules/system/diff.ts";
import { system } from "../../../modules/system/index.ts";
import { createTestHost } from "../test-host.ts";

describe("what a change did to a file", () => {
  it("can be done again from its diff, whatever the texts hold", () => {
    const text = fc.array(fc.constantFrom("a\n", "b\n", "a\r\n", "\ufeff", "ä", "\\", "-- x\n", "\n"), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(text, text, (left, right) => {
        const [before, after] = [left.join(""), right.join("")];
        const { created, diff } = changeOf("file", { text: before }, after);
        expect(created).toBe(false);
        expect(diff === "" ? before : applyPatch(before, diff, { autoConvertLineEndings: false })).toBe(
          after,
        );
      }),
    );
  });

  it.each([
    ["is too long", "x".repeat(MAX_COMPARED + 1), "y", "[Not compared: too long, or not to be read.]"],
    ["is no text", "a\0b", "y", "[Not compared: no text.]"],
    [
      "differs everywhere",
      Array.from({ length: 40_000 }, (_, n) => `a${n}`).join("\n"),
      Array.from({ length: 40_000 }, (_, n) => `b${n}`).join("\n"),
      "[Not compared: too much is different.]",
    ],
  ])("is not compared where it %s, which is said", (_, before, after, said) => {
    expect(changeOf("file", { text: before }, after)).toEqual({ created: false, diff: said });
  });

  it("is cut after whole lines where the diff is long, which is said", () => {
    const { diff } = changeOf("file", undefined, "line\n".repeat(20_000));
    expect(diff.length).toBeLessThan(33_000);
    expect(diff).toMatch(
      /^--- \/dev\/null\n\+\+\+ file\n@@ .*\n(?:\+line\n)+\[Left out: \d+ lines more\.\]\n$/,
    );
  });

  it("shows nothing of a file that a rule keeps from being read", async () => {
    const agent = createTestHost(system, { permits: ({ kind }) => kind !== "read" });
    agent.file("file", "a secret\n");
    const { outcome, details } = await agent.act("writeFile", { path: "file", content: "new\n" });
    expect(outcome).toBe("ok");
    expect(details).toEqual({ created: false, diff: "[Not compared: too long, or not to be read.]" });
    expect(readFileSync(join(agent.root, "file"), "utf8")).toBe("new\n");
  });
});
