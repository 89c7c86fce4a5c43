// What is promised of questions, without one of its parts.

import type { Change } from "./program.ts";

/** A part of the protocol, and how it is left out. */
export interface Part {
  readonly part: string;
  readonly changes: readonly Change[];
}

export const GATE_IN_RECOVERY: Part = {
  part: "the gate before calls that run in recovery",
  changes: [
    {
      file: "src/agent/actor.ts",
      line: "runCalls(agent, open, { signal, patience })",
      instead: `runCalls(
        {
          ...agent,
          admit: async (call) =>
            (await import("./act/check-call.ts")).checkCall(call, agent.modules) as never,
        },
        open,
        { signal, patience },
      )`,
    },
  ],
};

export const OPEN_AFTER_CRASH: Part = {
  part: "a question that is still open after a crash",
  changes: [
    {
      file: "src/agent/recovery.ts",
      line: `question?.call.id === first.id && question.verdict !== "approved"`,
      instead: "question === null",
    },
  ],
};

export const FIRST_VERDICT: Part = {
  part: "the first verdict before the second",
  changes: [
    {
      file: "src/agent/act/question.ts",
      line: "of mail.entries()) {",
      instead: "of [...mail.entries()].reverse()) {",
    },
  ],
};

export const NAMED_QUESTION: Part = {
  part: "verdicts for the question that they name, not for a later one",
  changes: [
    {
      file: "src/agent/act/question.ts",
      line: "if (said?.question !== id) return undefined;",
      instead: "if (!said) return undefined;",
    },
  ],
};

export const OWN_LANE: Part = {
  part: "verdicts in a lane of their own, not as ordinary mail",
  changes: [
    {
      file: "src/domain/message/message.ts",
      line: `const isOther = delivery !== "normal" && MAIL_LANES.includes(delivery);`,
      instead: `const isOther = delivery === "abort";`,
    },
  ],
};

export const SECOND_JUDGING: Part = {
  part: "judging once more after a yes",
  changes: [
    {
      file: "src/agent/act/admit.ts",
      line: "await awaitVerdict(performer, stops);",
      instead: `await awaitVerdict(performer, stops);
    if (performer.memory.conversation.questions.newest?.verdict === "approved")
      return { kind: "ready", ready: { ...ready, leave: judgement.leave, touched: judgement.touched } };`,
    },
  ],
};
