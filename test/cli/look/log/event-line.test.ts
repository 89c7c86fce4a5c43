import { expect, it } from "vitest";
import { eventLine } from "../../../../src/cli/look/log/event-line.ts";
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
