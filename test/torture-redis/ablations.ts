// The protocol without one of its parts, each with the troubles in which that part matters. The checker has to find it: a
// checker that finds nothing in a broken runtime proves nothing about a whole one.

import type { Temper } from "../torture/answers.ts";
import { LISTING, ORDER_OF_CALLS, REST_BEFORE_RELEASE } from "../torture/lane-ablations.ts";
import { COUNT_IN_THE_LOG, OBSERVED_ONCE } from "../torture/memory-ablations.ts";
import type { Change } from "../torture/program.ts";
import {
  FIRST_VERDICT,
  GATE_IN_RECOVERY,
  NAMED_QUESTION,
  OPEN_AFTER_CRASH,
  OWN_LANE,
  SECOND_JUDGING,
  type Part,
} from "../torture/question-ablations.ts";
import { SECOND_DELIVERY } from "../torture/second-delivery.ts";
import { torture, type Torture } from "./campaign.ts";
import type { Fault } from "./fault.ts";
import type { Weights } from "./nemesis.ts";
import { EVERYTHING } from "./schedule.ts";

export interface Ablation extends Part {
  readonly weights: Weights;
  /** What the checker finds then, at least. */
  readonly fault: Fault;
}

const ROUND_MS = 12_000;
/** Chance decides whether a moment that matters is hit. */
const MOST_ROUNDS = 4;

/** Tries it, round after round, until the checker has found what it has to find, or in vain. */
export async function tryWithout(
  { changes, weights, fault }: Ablation,
  seed: number,
): Promise<{ readonly isFound: boolean; readonly rounds: readonly Torture[] }> {
  const rounds: Torture[] = [];
  while (rounds.length < MOST_ROUNDS) {
    const round = await torture({
      ...EVERYTHING,
      weights,
      changes,
      seed: seed + rounds.length,
      forMs: ROUND_MS,
      settleMs: fault === "lost" || fault === "unsettled" ? 30_000 : 3_000,
      keep: "nothing",
    });
    rounds.push(round);
    if (isFoundIn(round, fault)) return { isFound: true, rounds };
  }
  return { isFound: false, rounds };
}

function isFoundIn({ violations }: Torture, fault: Fault): boolean {
  const faults = violations.map((violation) => violation.fault);
  // What is only on its way is not lost.
  return faults.includes(fault) && !(fault === "lost" && faults.includes("unsettled"));
}

/** In which another node has the time to begin. */
const LONGER_ACTIONS: Change = {
  file: "test/torture-redis/world.ts",
  line: "LONGEST_PAUSE_MS * Math.random() ** 12",
  instead: "LONGEST_PAUSE_MS * Math.random() ** 3",
};

/** A person who says the same to everything. */
function answering(temper: Temper, { part, changes }: Part): Part {
  const instead = `temper: "${temper}"`;
  return {
    part,
    changes: [...changes, { file: "test/torture-redis/node.ts", line: `temper: "any"`, instead }],
  };
}

const NONE: Weights = { kill: 0, stop: 0, cut: 0, leave: 0, redis: 0 };

export const ABLATIONS: readonly Ablation[] = [
  {
    part: "token and sequence number in the commit",
    changes: [
      {
        file: "src/storage/redis/scripts/log.ts",
        line: "if redis.call('GET', token) ~= shown then return 'fenced' end",
        instead: "",
      },
      {
        file: "src/storage/redis/scripts/log.ts",
        line: "if (redis.call('HGET', meta, 'seq') or '0') ~= before then return 'moved' end",
        instead: "",
      },
      {
        file: "src/storage/redis/scripts/log.ts",
        line: "local seq = tonumber(before)",
        instead: "local seq = tonumber(redis.call('HGET', meta, 'seq') or '0')",
      },
    ],
    weights: { ...NONE, cut: 1 },
    fault: "two owners",
  },
  {
    part: "the recipient's watermarks",
    changes: [
      {
        file: "src/storage/redis/scripts/watermarks.ts",
        line: "if tonumber(number) <= tonumber(newest) then return 'duplicate' end",
        instead: "",
      },
    ],
    weights: { ...NONE, kill: 1, cut: 1 },
    fault: "twice",
  },
  {
    part: "the look at the deadline before acting",
    changes: [
      { file: "src/agent/act/perform.ts", line: "tenure.check();", instead: "" },
      {
        file: "src/agent/parts/workplace.ts",
        line: "tenure.check();\n        return workspace.execute",
        instead: "return workspace.execute",
      },
    ],
    weights: { ...NONE, stop: 1 },
    fault: "late",
  },
  {
    part: "a deadline of one's own that comes before the lease ends",
    changes: [
      {
        file: "src/storage/redis/cluster/leases.ts",
        line: "return performance.now() + 0.9 * leaseMs;",
        instead: "return performance.now() + 90 * leaseMs;",
      },
    ],
    weights: { ...NONE, stop: 1 },
    fault: "late",
  },
  {
    part: "one holder of a lease",
    changes: [
      {
        file: "src/storage/redis/scripts/lease.ts",
        line: "if holder and holder ~= owner then return {'held', redis.call('PTTL', lease)} end",
        instead: "",
      },
      LONGER_ACTIONS,
    ],
    weights: { ...NONE, leave: 1 },
    // The token keeps the second one's log whole: what the lease alone prevents is two at work in the world outside.
    fault: "late",
  },
  {
    part: "mail leaves the mailbox with the commit that takes it in",
    changes: [
      {
        file: "src/storage/redis/scripts/log.ts",
        line: "'held', ARGV[7], 'taken', taken)",
        instead: "'held', ARGV[7])",
      },
      {
        file: "src/storage/redis/scripts/log.ts",
        line: "redis.call('XTRIM', mailbox, 'MINID', '0-' .. taken + 1)",
        instead: "",
      },
    ],
    weights: { ...NONE, kill: 1 },
    fault: "twice",
  },
  {
    part: "the second delivery after somebody else took over",
    changes: SECOND_DELIVERY,
    weights: { ...NONE, kill: 1 },
    fault: "lost",
  },
  {
    part: "what was said and is not delivered, any node delivers",
    changes: [
      { file: "src/storage/redis/person/log.ts", line: "redis.call('ZADD', out, seq, seq)", instead: "" },
    ],
    weights: { ...NONE, kill: 1, redis: 1 },
    fault: "lost",
  },
  {
    part: "the first word of a person before the second",
    changes: [
      { file: "src/storage/redis/scripts/watermarks.ts", line: " or start ~= '' and start", instead: "" },
    ],
    weights: { ...NONE, redis: 1 },
    fault: "lost",
  },
  {
    part: "asking, once it is listened, how far the mailbox of an agent goes that is closed",
    changes: [
      {
        file: "src/storage/redis/mail/watch.ts",
        line: "watched.taken = taken!;\n        heard(agent, newest!);",
        instead: "",
      },
    ],
    weights: { ...NONE, leave: 1 },
    fault: "unsettled",
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
    weights: { ...NONE, kill: 1 },
    fault: "done again",
  },
  { ...GATE_IN_RECOVERY, weights: { ...NONE, kill: 1 }, fault: "unapproved" },
  { ...OPEN_AFTER_CRASH, weights: { ...NONE, kill: 1 }, fault: "question" },
  { ...answering("twice", FIRST_VERDICT), weights: { ...NONE, kill: 1, cut: 1 }, fault: "wrong verdict" },
  { ...answering("twice", NAMED_QUESTION), weights: { ...NONE, leave: 1 }, fault: "wrong verdict" },
  { ...OWN_LANE, weights: { ...NONE, leave: 1 }, fault: "wrong verdict" },
  { ...answering("revoking", SECOND_JUDGING), weights: { ...NONE, leave: 1 }, fault: "unapproved" },
  { ...REST_BEFORE_RELEASE, weights: { ...NONE, kill: 1 }, fault: "shown early" },
  { ...LISTING, weights: { ...NONE, kill: 1 }, fault: "withdrawn" },
  { ...ORDER_OF_CALLS, weights: { ...NONE, kill: 1 }, fault: "not closed once" },
  {
    part: "the watermarks of a memory",
    changes: [
      {
        file: "src/storage/redis/memories/writing.ts",
        line: "if standing ~= 'next' then return",
        instead: "if standing == 'gap' then return",
      },
    ],
    weights: { ...NONE, kill: 1, cut: 1 },
    fault: "twice",
  },
  {
    part: "contexts count from the keeper of a memory alone",
    changes: [
      {
        file: "src/storage/redis/memories/writing.ts",
        line: "and by ~= keeper then",
        instead: "and by == '' then",
      },
    ],
    weights: { ...NONE, leave: 1 },
    fault: "stray",
  },
  { ...OBSERVED_ONCE, weights: { ...NONE, kill: 1 }, fault: "heard twice" },
  { ...COUNT_IN_THE_LOG, weights: { ...NONE, kill: 1 }, fault: "miscounted" },
];
