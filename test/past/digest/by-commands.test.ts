// What commands changed, as a digest has it of what their results tell.

import { expect, it } from "vitest";
import type { ChangedByCommands } from "../../../src/domain/event/changed.ts";
import type { NewEvent } from "../../../src/domain/event/event.ts";
import { createDigest } from "../../../src/past/digest/digest.ts";
import { MAX_CHANGES } from "../../../src/past/digest/file-changes.ts";
import { numbered } from "../spans/story.ts";
import { decided, taken } from "./any-log.ts";

const call = (id: string, action: string, parameters: object) => ({ id, action, parameters });

function digestOf(...events: readonly NewEvent[]) {
  const fold = createDigest();
  for (const event of numbered(events)) fold.see(event);
  return fold.digest;
}

it("tells which files commands changed, also of one that failed, with how the command begins", () => {
  const calls = [
    call("a", "bash", { command: "sed -i s/a/b/ *\nls" }),
    call("b", "format", { style: "ours" }),
    call("c", "bash", { command: "true" }),
  ];
  const files = [
    { path: "x", does: "changed" },
    { path: "y", does: "moved", from: "w" },
    { path: "z", does: "of a later version" as "changed" },
  ] as const;
  const by = (id: string, changed: ChangedByCommands): NewEvent => {
    return { kind: "result", call: id, outcome: "error", content: "", changed };
  };
  const { changes } = digestOf(
    ...[taken(1), decided(1, { calls }), by("a", { files, more: 7, isShared: true })],
    ...[by("b", { files: files.slice(0, 1) }), by("c", { files: [], unknown: "git was slow" })],
  );
  const first = { seq: 3, cause: "0>1#1", command: "sed -i s/a/b/ * …", isShared: true };
  expect(changes).toEqual([
    { path: "x", does: "changed", atMs: expect.any(Number) as number, ...first },
    { path: "y", does: "moved", from: "w", atMs: expect.any(Number) as number, ...first },
    { path: "z", does: "changed", atMs: expect.any(Number) as number, ...first, more: 7 },
    {
      ...{ path: "x", does: "changed", atMs: expect.any(Number) as number },
      ...{ seq: 4, cause: "0>1#1" },
      command: "format",
    },
  ]);
});

it("takes no more of one result than the runtime writes, and keeps the newest", () => {
  const files = Array.from({ length: 5_000 }, (_, n) => ({ path: `${n}`, does: "changed" as const }));
  const turn = [
    decided(1, { calls: [call("a", "bash", { command: "x".repeat(5_000) })] }),
    { kind: "result", call: "a", outcome: "ok", content: "", changed: { files } } as const,
  ];
  const { changes } = digestOf(...Array.from({ length: 21 }, () => turn).flat());
  expect(changes).toHaveLength(MAX_CHANGES);
  expect(changes.at(-1)).toMatchObject({ path: "99", more: 4_900, command: "x".repeat(300) });
});
