import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ATTACKS } from "./attacks.ts";
import { FAULTS } from "./matrix.ts";

const folder = join(import.meta.dirname, "..");

/** Those of `tests` that their file does not have. */
function missing(tests: readonly string[]): readonly string[] {
  return tests.filter((test) => {
    const [file = "", ...title] = test.split(": ");
    const source = readFileSync(join(folder, file), "utf8");
    return !source.includes(`"${title.join(": ")}`) && !source.includes(`\`${title.join(": ")}`);
  });
}

describe("a legion on one machine", () => {
  it.each([...FAULTS, ...ATTACKS])("has a test for $fault, or says why not", ({ tests = [], why }) => {
    expect(missing(tests)).toEqual([]);
    expect(tests.length > 0 || why !== undefined).toBe(true);
  });

  it("would notice a test that is gone", () => {
    const [there, gone] = ["has a test for $fault", `is ${"gone"}`];
    expect(missing([`faults/matrix.test.ts: ${there}`, `faults/matrix.test.ts: ${gone}`])).toEqual([
      `faults/matrix.test.ts: ${gone}`,
    ]);
  });
});
