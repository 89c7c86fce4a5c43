// What is promised of lanes and of calls side by side, without one of its parts.

import type { Part } from "./question-ablations.ts";

export const RELEASE_IN_THE_LOG: Part = {
  part: "the event that releases what was held",
  changes: [
    {
      file: "src/agent/take-in.ts",
      line: `await memory.commit({ kind: "released", messages: [followUp] });`,
      // Shown all the same.
      instead: `{
          const { ledger, conversation, view } = memory;
          const event = { kind: "released", messages: [followUp], seq: ledger.last, epoch: 0, at: ledger.at } as const;
          (await import("../past/conversation.ts")).converse(conversation, event);
          view.see(event);
        }`,
    },
  ],
};

export const REST_BEFORE_RELEASE: Part = {
  part: "the agent's rest before a follow-up is released",
  changes: [
    {
      file: "src/past/conversation.ts",
      line: "!conversation.aborted && isAtRest(conversation);",
      instead: "!conversation.aborted && openCalls(conversation).length === 0;",
    },
  ],
};

export const NEW_DECISION_AFTER_ABORT: Part = {
  part: "a new decision between an abort and the next follow-up",
  changes: [
    {
      file: "src/past/conversation.ts",
      line: "!conversation.halt && !conversation.aborted && isAtRest",
      instead: "!conversation.halt && isAtRest",
    },
  ],
};

export const OLDEST_FIRST: Part = {
  part: "the oldest follow-up first",
  changes: [
    {
      file: "src/past/conversation.ts",
      line: "const [oldest] = isResting ? conversation.held.followUps.keys() : [];",
      instead: "const oldest = isResting ? [...conversation.held.followUps.keys()].at(-1) : undefined;",
    },
  ],
};

export const LISTING: Part = {
  part: "listing the follow-ups that a steer withdraws",
  changes: [
    {
      file: "src/mail/intake.ts",
      line: "events.push(...withdrawn.map((message) => undeliverable(message, WITHDRAWN)));",
      instead: "void undeliverable;",
    },
  ],
};

export const STEER_STOPS_CALLS: Part = {
  part: "a steer that lets no further call begin",
  changes: [
    {
      file: "src/agent/act/perform.ts",
      line: `return inbox.ahead().some(({ message }) => laneOf(message) === "steer");`,
      instead: "return inbox === undefined && laneOf === undefined;",
    },
  ],
};

export const ORDER_OF_CALLS: Part = {
  part: "the order of the calls in the results of those that ran side by side",
  changes: [
    {
      file: "src/agent/act/side-by-side.ts",
      line: "for (const performed of running) {",
      instead: `const came: Promise<Performed>[] = [];
    for (const one of running) void one.finally(() => came.push(one));
    for (const _ of running) {
      while (came.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      const performed = came.shift()!;`,
    },
  ],
};
