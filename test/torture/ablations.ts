// The protocol without one of its parts, each with the kind of moment at which that part matters. The checker has to find
// it: a checker that finds nothing in a broken runtime proves nothing about a whole one.

import { busyLife, NEVER, times, type Ablation } from "./ablation.ts";
import {
  LISTING,
  NEW_DECISION_AFTER_ABORT,
  OLDEST_FIRST,
  ORDER_OF_CALLS,
  RELEASE_IN_THE_LOG,
  REST_BEFORE_RELEASE,
  STEER_STOPS_CALLS,
} from "./lane-ablations.ts";
import {
  COUNT_IN_THE_LOG,
  KEEPERS_SHARDS,
  MEMORY_WATERMARKS,
  OBSERVED_ONCE,
  ONE_ENTRY,
  ONE_READER,
  READ_ON,
} from "./memory-ablations.ts";
import { NORMAL_ALONE } from "./parcel.ts";
import type { Change } from "./program.ts";
import {
  FIRST_VERDICT,
  GATE_IN_RECOVERY,
  NAMED_QUESTION,
  OPEN_AFTER_CRASH,
  OWN_LANE,
  SECOND_JUDGING,
} from "./question-ablations.ts";
import { sleepingLives } from "./schedule.ts";
import { SECOND_DELIVERY } from "./second-delivery.ts";

/** Lives in which the scribe is killed when it has taken something in and has not done with it. */
const KILLED_LISTENING = {
  lives: times(3, (n) => ({ at: "after", kind: "observed", n: 4 + 2 * n })),
  temper: "prompt",
} as const satisfies Pick<Ablation, "lives" | "temper">;

/** Hands what an action staged on to where its result is committed. */
const WITH_WORK: readonly Change[] = [
  {
    file: "src/agent/act/perform.ts",
    line: "refused: work.refused };",
    instead: "refused: work.refused, work };",
  },
  {
    file: "src/agent/act/run-calls.ts",
    line: "const { result, refused } =",
    instead: "const { result, refused, work } =",
  },
];

export const ABLATIONS: readonly Ablation[] = [
  {
    part: "the decision before its calls",
    changes: [
      {
        file: "src/agent/actor.ts",
        line: "await commitWork(agent, decision, refused);",
        instead: `const [first] = decision.calls;
          const ready = first && (await agent.admit(first, stops));
          const early = ready?.kind === "ready" ? await agent.perform(ready.ready, stops.signal) : ready?.performed;
          const admit: Agent["admit"] = async (call, until) =>
            call.id === first?.id ? { kind: "closed", performed: early! } : agent.admit(call, until);
          await commitWork(agent, decision, refused);`,
      },
      {
        file: "src/agent/actor.ts",
        line: "await runCalls(agent, open, stops);",
        instead: "await runCalls({ ...agent, admit }, open, stops);",
      },
    ],
    lives: times(10, (n) => ({ at: "effect", n })),
    fault: "effect without intent",
  },
  {
    part: "the recipient's watermarks",
    changes: [{ file: "src/mail/mailbox.ts", line: `if (n <= newest) return "duplicate";`, instead: "" }],
    lives: times(6, (n) => ({ at: "after", kind: "mail", n: 2 * n })),
    fault: "twice",
  },
  {
    part: "the second delivery after a restart",
    changes: SECOND_DELIVERY,
    lives: times(6, (n) => ({ at: "after", kind: "sends", n: 2 * n })),
    fault: "lost",
  },
  {
    part: "mail stays in the mailbox until the log has it",
    changes: [
      {
        file: "src/agent/take-in.ts",
        line: "if (events.length > 0) await memory.commit(...((await agent.wording?.present(events)) ?? events));",
        // The pause lets the removal of the files go first.
        instead: `if (events.length === 0) return;
          inbox.taken(mail.at(-1)!.position);
          await new Promise((resolve) => setTimeout(resolve, 20));
          await memory.commit(...events);`,
      },
    ],
    lives: times(8, (n) =>
      n % 2 === 1 ? { at: "after", kind: "mail", n: 2 } : { at: "before", kind: "message", n: 1 },
    ),
    fault: "lost",
  },
  {
    part: "what the log has of the mailbox: its position and its senders' numbers",
    changes: [
      { file: "src/mail/intake.ts", line: "mail: position,", instead: "mail: 0," },
      {
        file: "src/past/ledger.ts",
        line: "ledger.seen.set(from, parseMessageId(message.id).n);",
        instead: "",
      },
    ],
    lives: times(6, (n) => ({ at: "after", kind: "message", n })),
    fault: "twice",
  },
  {
    part: "not doing again what must happen once",
    changes: [
      {
        file: "src/agent/recovery.ts",
        line: `if (!isOverruled && effects !== "once")`,
        instead: `if (!isOverruled && effects !== "never")`,
      },
    ],
    lives: times(5, (n) => ({ at: "effect", n })),
    fault: "done again",
  },
  {
    part: "leaving out the rest also after a recovery that was cut short",
    changes: [
      { file: "src/agent/recovery.ts", line: `.includes("interrupted")`, instead: `.includes("error")` },
    ],
    lives: times(8, (n) => (n % 2 === 1 ? { at: "effect", n } : { at: "after", kind: "result", n: 1 })),
    fault: "done again",
  },
  {
    part: "closing what a crash left open",
    changes: [
      {
        file: "src/agent/recovery.ts",
        line: "if (first === undefined) return [];",
        instead: "if (first !== null) return [];",
      },
    ],
    lives: times(3, (n) => ({ at: "after", kind: "decision", n })),
    fault: "not closed once",
  },
  {
    part: "state in the same record as the result",
    changes: [
      {
        file: "src/agent/act/perform.ts",
        line: "state: isKept && work.changes.length > 0 ? work.changes : undefined,",
        instead: "",
      },
      ...WITH_WORK,
      {
        file: "src/agent/act/run-calls.ts",
        line: "await commitWork(agent, (isLeftOut && next.otherwise) || result, refused);",
        instead: `await commitWork(agent, (isLeftOut && next.otherwise) || result, refused);
          for (const [module, key, value] of work.changes)
            await agent.memory.commit({ kind: "edited", module, key, value });`,
      },
    ],
    lives: times(5, (n) => ({ at: "after", kind: "result", n: 2 * n })),
    fault: "state",
  },
  {
    part: "messages in the same record as the result",
    changes: [
      {
        file: "src/agent/act/perform.ts",
        line: "sends: isKept ? sentBy(work, taint) : undefined,",
        instead: "",
      },
      ...WITH_WORK,
      {
        file: "src/agent/act/run-calls.ts",
        line: "await commitWork(agent, (isLeftOut && next.otherwise) || result, refused);",
        instead: `await commitWork(agent, (isLeftOut && next.otherwise) || result, refused);
          if (work.sends.length > 0)
            await agent.memory.commit({ kind: "notice", reason: "said", content: "", sends: work.sends });
          void agent.outbox.deliver();`,
      },
    ],
    lives: times(8, (n) => ({ at: "after", kind: "result", n: 2 * n })),
    fault: "lost",
  },
  {
    part: "files that a crash left behind the log are completed",
    changes: [
      {
        file: "src/storage/folder/state-files.ts",
        line: "earlierStates(state).map((earlier) => files.contents(earlier))",
        instead: "[]",
      },
    ],
    lives: times(8, (n) => ({ at: "replace", n: 2 * n })),
    fault: "state",
  },
  {
    part: "a segment for each process",
    changes: [
      {
        file: "src/storage/files/journal/journal.ts",
        line: "const name = segmentName(newest);",
        instead: "const name = segmentName({ epoch: 1, part: 0 });",
      },
      {
        file: "src/base/files/disk.ts",
        line: "constants.O_CREAT | constants.O_EXCL",
        instead: "constants.O_CREAT",
      },
    ],
    lives: times(4, (n) => ({ at: "torn", n: 5 * n })),
    fault: "unreadable",
  },
  {
    part: "the look at the lock before anything is acknowledged",
    changes: [
      {
        file: "src/storage/folder/lock.ts",
        line: "!lost && disk.exists(path) && !disk.exists(next);",
        instead: "true;",
      },
    ],
    lives: (random) => sleepingLives(random, 4),
    // Two processes at once: what goes wrong first depends on how fast they are.
    fault: ["done again", "lost"],
  },
  {
    ...GATE_IN_RECOVERY,
    lives: times(4, (n) => ({ at: "after", kind: "approval", n })),
    fault: "unapproved",
  },
  {
    ...OPEN_AFTER_CRASH,
    lives: times(4, (n) => ({ at: "after", kind: "approval", n })),
    fault: "question",
  },
  {
    ...FIRST_VERDICT,
    lives: times(8, () => ({ at: "after", kind: "approval", n: 2 })),
    temper: "twice",
    fault: "wrong verdict",
  },
  { ...NAMED_QUESTION, lives: times(6, () => NEVER), temper: "twice", fault: "wrong verdict" },
  { ...OWN_LANE, lives: times(1, () => ({ at: "after", kind: "approval", n: 9 })), fault: "wrong verdict" },
  { ...SECOND_JUDGING, lives: times(3, () => NEVER), temper: "revoking", fault: "unapproved" },
  { ...RELEASE_IN_THE_LOG, ...busyLife({ normal: 1, "follow-up": 1 }), fault: "shown early" },
  { ...REST_BEFORE_RELEASE, ...busyLife({ normal: 1, "follow-up": 1 }), fault: "shown early" },
  {
    ...NEW_DECISION_AFTER_ABORT,
    ...busyLife({ normal: 1, "follow-up": 3, abort: 2 }),
    fault: "shown early",
  },
  { ...OLDEST_FIRST, ...busyLife({ normal: 1, "follow-up": 5 }), fault: "out of order" },
  { ...LISTING, ...busyLife({ normal: 1, "follow-up": 3, steer: 2 }), fault: "withdrawn" },
  { ...STEER_STOPS_CALLS, ...busyLife({ normal: 2, steer: 1 }), fault: "not stopped" },
  { ...ORDER_OF_CALLS, ...busyLife(NORMAL_ALONE), fault: "not closed once" },
  {
    ...MEMORY_WATERMARKS,
    lives: times(4, (n) => ({ at: "before", kind: "sent", n: 14 + 6 * n })),
    temper: "prompt",
    fault: "twice",
  },
  { ...ONE_ENTRY, ...KILLED_LISTENING, fault: "remembered twice" },
  { ...OBSERVED_ONCE, ...KILLED_LISTENING, fault: "heard twice" },
  { ...READ_ON, ...KILLED_LISTENING, fault: ["not remembered", "heard twice"] },
  { ...COUNT_IN_THE_LOG, ...KILLED_LISTENING, fault: "miscounted" },
  { ...ONE_READER, ...busyLife(NORMAL_ALONE), fault: "remembered out of order" },
  { ...KEEPERS_SHARDS, ...busyLife(NORMAL_ALONE), fault: "stray" },
];
