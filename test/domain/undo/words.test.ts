import { expect, it } from "vitest";
import { undoLater, undoWords } from "../../../src/domain/undo/words.ts";

const NOTHING = { event: null, done: [], left: [], already: 0, shared: [], beyond: [], foreign: [] };

it("an undo says what it came to, what stays and why, and what nobody can take back", () => {
  const report = {
    event: 58,
    done: [{ path: "src/new.ts", from: "120 bytes", to: "nothing" }],
    left: [
      {
        event: "2.421",
        path: "README.md",
        why: "it was changed since",
        before: "900 bytes",
        after: "912 bytes",
        now: "950 bytes",
      },
      {
        event: null,
        path: "x",
        why: "it was changed since",
        before: "nothing",
        after: "1 byte",
        now: "nothing",
      },
    ],
    already: 2,
    shared: [
      { event: "2.7", action: "writeFile", path: "y" },
      { event: "2.9", action: "bash" },
    ],
    beyond: [{ what: "mail", events: Array.from({ length: 12 }, (_, n) => `2.${n}`) }],
    foreign: ["3"],
  };
  const lines = undoWords(report, "done").flatMap(({ head, lines: all }) => [
    head,
    ...all.flatMap(({ text, details = [] }) => [`- ${text}`, ...details.map((detail) => `  - ${detail}`)]),
  ]);
  expect(lines).toEqual([
    "Took back 1 change; `legion undo 0.58` brings it back:",
    "- src/new.ts: 120 bytes -> nothing",
    "As before already: 2 paths.",
    "Stays as it is:",
    "- README.md (2.421): it was changed since",
    "  - before: 900 bytes",
    "  - as it was left: 912 bytes",
    "  - now: 950 bytes",
    "- x: it was changed since",
    "  - before: nothing",
    "  - as it was left: 1 byte",
    "  - now: nothing",
    "May have been done for something or by somebody else as well, and stays; `legion undo <event>` takes one back:",
    "- 2.7 writeFile y",
    "- 2.9 bash",
    "Nothing that Agent 3 did: it was not written on your machines; `legion start --trust` takes it on.",
    "Cannot be taken back:",
    "- mail: 2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 2.9 and 2 more",
  ]);
});

it("an undo that comes to nothing says so, and one that has not begun what it waits for", () => {
  expect(undoWords(NOTHING, "planned")).toEqual([{ head: "Nothing would be taken back.", lines: [] }]);
  expect(undoWords(NOTHING, "done")).toEqual([{ head: "Nothing was taken back.", lines: [] }]);
  const two = { ...NOTHING, done: Array(2).fill({ path: "x", from: "a", to: "b" }) };
  expect(undoWords(two, "planned")[0]!.head).toBe("Would take back 2 changes:");
  expect(undoWords({ ...two, event: 7 }, "done")[0]!.head).toBe(
    "Took back 2 changes; `legion undo 0.7` brings them back:",
  );
  expect(undoLater("Agent 2 and writer")).toBe(
    "It happens once the calls of Agent 2 and writer have ended; `legion log 0` shows it then.",
  );
  expect(undoLater("")).toBe("It happens once an undo before it has ended; `legion log 0` shows it then.");
});
