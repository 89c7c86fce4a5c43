import { describe, expect, it } from "vitest";
import { planUndo, type MadeEdit } from "../../../src/past/undo/plan.ts";
import type { PathVersion } from "../../../src/past/undo/version.ts";

const file = (mark: string): PathVersion => ({ kind: "file", hash: mark.repeat(64), size: 1 });

/** The changes of one path through `versions`, each by the next event of agent 1. */
function changes(...versions: readonly PathVersion[]): readonly MadeEdit[] {
  return versions.slice(1).map((after, index) => ({
    ...{ agent: "1", seq: index + 1, at: `2026-01-01T00:00:0${index}.000Z`, root: ".." },
    edit: { path: "x", before: versions[index]!, after },
  }));
}

describe("what an undo plans for a path", () => {
  it("goes back through all changes from what the newest left", async () => {
    const plan = await planUndo(changes(file("a"), file("b"), file("c")), async () => file("c"));
    const events = ["1.2", "1.1"];
    expect(plan).toMatchObject({ steps: [{ from: file("c"), to: file("a"), events }], left: [] });
  });

  it("takes no older change back past a newer one: somebody put there again what the older one had left (U0)", async () => {
    const plan = await planUndo(changes(file("a"), file("b"), file("c")), async () => file("b"));
    expect(plan.steps).toEqual([]);
    expect(plan.left.map(({ made, why }) => [made.seq, why])).toEqual([
      [2, "it was changed since"],
      [1, "it was changed since"],
    ]);
  });

  it("goes back as far as what stood there is kept", async () => {
    const [first, ...others] = changes(file("a"), file("b"), file("c"));
    const unkept = { ...first!, edit: { ...first!.edit, unkept: "it holds a secret" } };
    const plan = await planUndo([unkept, ...others], async () => file("c"));
    expect(plan).toMatchObject({
      steps: [{ from: file("c"), to: file("b") }],
      left: [{ made: { seq: 1 }, why: "what stood there is not kept: it holds a secret" }],
    });
  });
});
