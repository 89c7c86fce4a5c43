import { describe, expect, it } from "vitest";
import { beginAnew, createRunState, foldRun, haltIn } from "../../src/past/run-state.ts";
import { type Event, type NewEvent } from "../../src/domain/event/event.ts";
import { OUT_OF_TURNS } from "../../src/domain/event/notice.ts";
import type { Message } from "../../src/domain/message/message.ts";

function folded(...events: readonly NewEvent[]) {
  const run = createRunState();
  events.forEach((event, index) => foldRun(run, { ...event, ...stamp(index + 1) } as Event));
  return run;
}

function stamp(seq: number) {
  return { seq, epoch: 1, at: "2026-01-01T00:00:00.000Z" };
}

function notice(reason: "mode" | "ended" | "resumed" | "adopted", details?: unknown): NewEvent {
  return { kind: "notice", reason, content: "", details };
}

const ENDED = notice("ended", { status: "Submitted", submission: "a patch" });
const SUBMITTED: NewEvent = {
  kind: "result",
  call: "1",
  outcome: "idle",
  content: "",
  submission: "a patch",
};

function toAgent(more: Partial<Message>, n = 1): Message {
  return { ...letter("0", "1", n), ...more };
}

function letter(from: string, to: string, n: number, re?: string): Message {
  return {
    id: `${from}>${to}#${n}`,
    type: "agentToAgent",
    source: { type: "agent", id: from },
    targetAgentIds: [to],
    content: `${from} says ${n}`,
    sentAt: "",
    delivery: "normal",
    root: "0>1#1",
    hops: 1,
    re,
  };
}

describe("the state of a run", () => {
  it("holds what was handed in and how it ended, until mail is shown", () => {
    const run = folded(SUBMITTED, ENDED);
    expect(run).toMatchObject({
      submission: "a patch",
      end: { status: "Submitted", submission: "a patch", reason: "" },
      mode: "usual",
    });
    beginAnew(run, toAgent({}));
    expect(run).toEqual(createRunState());
  });

  it("forgets its end, but not what was handed in, when somebody has it go on", () => {
    expect(folded(SUBMITTED, ENDED, notice("resumed"))).toMatchObject({
      end: undefined,
      submission: "a patch",
    });
  });

  const says = (n: number, re?: string): Event => ({
    kind: "decision",
    text: "",
    calls: [],
    sends: [letter("1", "0", n, re), letter("1", "2", n)],
    protocol: "tools",
    model: "m",
    usage: { input: 1, output: 1 },
    stop: "end",
    ...stamp(n),
  });

  it("holds what was said to the person last, until they give another task", () => {
    const run = createRunState();
    foldRun(run, says(1));
    foldRun(run, says(2));
    beginAnew(run, toAgent({ source: { type: "agent", id: "2" }, id: "2>1#1" }));
    beginAnew(run, toAgent({ delivery: "follow-up" }));
    expect(run.answer).toBe("1 says 2");
    beginAnew(run, toAgent({}));
    expect(run.answer).toBeUndefined();
  });

  it("takes no answer to another program for one to the person, nor its mail for a task", () => {
    const run = createRunState();
    const program = toAgent({ taint: true }, 2);
    foldRun(run, says(1, "0>1#1"), toAgent({}));
    beginAnew(run, program);
    foldRun(run, says(2, program.id), program);
    expect(run.answer).toBe("1 says 1");
    foldRun(run, says(3, "0>1#3"), toAgent({}, 3));
    expect(run.answer).toBe("1 says 3");
  });

  it.each([
    ["paused", undefined, "UserInterruption"],
    ["parked-limit", { limit: "cost" }, "LimitsExceeded"],
    ["parked-limit", { limit: "time" }, "TimeExceeded"],
    ["parked-limit", undefined, "LimitsExceeded"],
    ["parked-mail", OUT_OF_TURNS, "LimitsExceeded"],
    ["parked-mail", { end: "RepeatedFormatError" }, "RepeatedFormatError"],
    ["parked", { end: "ContextExceeded" }, "ContextExceeded"],
    ["parked", { end: "Won" }, "Error"],
    ["parked", { limit: "time" }, "Error"],
    ["halted", undefined, "Error"],
  ] as const)("that is %s with %j ends with %s", (reason, details, end) => {
    const event = { kind: "notice", reason, content: "why", details, ...stamp(1) } as const;
    expect(haltIn(event)).toMatchObject({ reason, content: "why", since: stamp(1).at, end });
  });

  it("keeps the mode that was chosen last", () => {
    expect(folded(notice("mode", { mode: "yolo" }), notice("mode", { mode: "human" })).mode).toBe("human");
  });

  it("begins as usual behind a fork, in place as well, and an import, whatever mode the past had", () => {
    const branch = { kind: "branch", to: 1 } as const;
    expect(folded(notice("mode", { mode: "yolo" }), { ...branch, origin: "1" }).mode).toBe("usual");
    expect(folded(notice("mode", { mode: "yolo" }), notice("adopted")).mode).toBe("usual");
    expect(folded(notice("mode", { mode: "yolo" }), branch).mode).toBe("usual");
  });

  it.each([undefined, null, "yolo", { mode: "root" }, { status: "Won" }, { status: 3 }])(
    "passes over details that are none: %j",
    (details) => {
      expect(folded(notice("mode", details), notice("ended", details))).toEqual(createRunState());
    },
  );
});
