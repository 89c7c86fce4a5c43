import { expect, it } from "vitest";
import type { EventOf } from "../../../src/domain/event/event.ts";
import { createInvocations, foldInvocations } from "../../../src/past/observed/invocations.ts";
import { letter } from "../../mail/letter.ts";

const heard = (sentAt: string): EventOf<"observed"> => ({
  ...{ kind: "observed", seq: 3, epoch: 1, at: "2026-02-02T10:00:00.000Z", control: "process_message" },
  ...{ of: { agent: "1", log: "l", seq: 2 }, from: "l0", thread: "0,1", n: 1 },
  message: { ...letter("1", 1, { from: "0" }).message, sentAt },
});

it("a message that says of its time what is none was said when it was heard: no memory takes another time", () => {
  for (const [sentAt, said] of [
    ["2026-01-01T09:00:00.000Z", "2026-01-01T09:00:00.000Z"],
    ["1 January 2026 09:00 UTC (of course)", "2026-01-01T09:00:00.000Z"],
    ["tomorrow", "2026-02-02T10:00:00.000Z"],
  ] as const) {
    const invocations = createInvocations();
    foldInvocations(invocations, heard(sentAt));
    expect(invocations.open?.message).toMatchObject({ said });
  }
});
