import { expect, it } from "vitest";
import { eventLine } from "../../../../src/cli/look/log/event-line.ts";
import type { ChangedByCommands } from "../../../../src/domain/event/changed.ts";
import type { EventOf } from "../../../../src/domain/event/event.ts";

it.each([
  ["", "ended: Submitted"],
  ["The task has taken its 5 steps.", "ended: Submitted: The task has taken its 5 steps."],
])("the end of a run has its name, with why where that is said: %j", (content, line) => {
  const details = { status: "Submitted", submission: "all of it" };
  const stamp = { seq: 7, epoch: 1, at: "2026-11-24T10:00:00.000Z" };
  const event: EventOf<"notice"> = { kind: "notice", reason: "ended", content, details, ...stamp };
  expect(eventLine(event, 200)).toMatch(new RegExp(`${line}$`));
});

it.each<[ChangedByCommands | undefined, string]>([
  [undefined, "ok: Done"],
  [{ files: [] }, "ok: Done"],
  [{ files: [{ path: "\u001b[2J", does: "created" }] }, "ok, changed 1 file: Done"],
  [{ files: [{ path: "a", does: "created" }], more: 2, isShared: true }, "ok, changed 3 files: Done"],
])("a result says how many files its commands changed: %j", (changed, line) => {
  const stamp = { seq: 7, epoch: 1, at: "2026-11-24T10:00:00.000Z" };
  const event: EventOf<"result"> = {
    kind: "result",
    call: "a",
    outcome: "ok",
    content: "Done",
    changed,
    ...stamp,
  };
  expect(eventLine(event, 200)).toMatch(new RegExp(`result    ${line}$`));
});
