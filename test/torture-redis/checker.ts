// Recomputes what must have happened from what is in Redis and in the world, and says what did not, or happened too often.
// Pure; knows the formats and the carriers' rules, and nothing of the runtime's own book-keeping.

import { checkActs } from "../torture/check-acts.ts";
import { checkKnots } from "../torture/check-knots.ts";
import { checkLanes } from "../torture/check-lanes.ts";
import { checkMail } from "../torture/check-mail.ts";
import { asPeer, checkMemory } from "../torture/check-memory.ts";
import type { Past } from "../torture/evidence.ts";
import { checkQuestions } from "../torture/check-questions.ts";
import { countRests } from "../torture/rests.ts";
import { checkState } from "../torture/check-state.ts";
import { checkOwners } from "./check-owners.ts";
import { checkSaid } from "./check-said.ts";
import type { RedisEvidence } from "./evidence.ts";
import type { Fault, Figures, Report, Violation } from "./fault.ts";
import type { Order } from "./order.ts";

export interface Verdict {
  readonly violations: readonly Violation[];
  readonly figures: Figures;
}

/** What is known of the legion besides. */
export interface Terms {
  /** So many model calls it may make. */
  readonly steps: number;
  /** `weak`: Redis has lost what it had acknowledged, but nothing from the middle. */
  readonly durability: Order["durability"];
}

/** So long after it was acknowledged, what Control said is known to the node of its recipient. */
const HEARD_MS = 2_000;

/** What was done under rights, and for intents, of which a Redis that lost its end does not know. */
const EXCUSED: readonly Fault[] = ["effect without intent", "done again", "not done", "late", "unapproved"];

export function check(found: RedisEvidence, { steps: limit, durability }: Terms): Verdict {
  const isWeak = durability === "weak";
  const evidence = isWeak ? { ...found, fed: [], answers: [], acknowledged: [] } : found;
  const violations: Violation[] = [];
  const report: Report = (fault, text) => {
    if (!isWeak || !EXCUSED.includes(fault)) violations.push({ fault, text });
  };
  const takings = checkOwners(evidence, report);
  // A word that was acknowledged may be gone from log 0 with its end, and then it is nowhere; the next one still bears the
  // next number. Of agents the count is gone with the message.
  const peers = new Map<string, Past>([...evidence.agents, asPeer(evidence.remembered)]);
  const mayLack = (speaker: string): boolean => isWeak && !found.agents.has(speaker);
  const expected = checkMail({ ...evidence, agents: peers }, report, mayLack);
  const acts = checkActs(evidence, report);
  const asked = checkQuestions(evidence, report);
  const lanes = checkLanes(evidence, report, HEARD_MS);
  const remembered = checkMemory(evidence, report);
  // Of what is lost nobody can say how it stood.
  const knots = checkKnots(isWeak ? { agents: new Map() } : evidence, report);
  checkState(evidence, report);
  checkSaid(evidence, report);
  checkMailboxes(evidence, report);
  const spending = checkSpending(evidence, limit, report);
  const said = found.fed.filter((line) => line.said).length;
  const figures = {
    expected,
    ...acts,
    ...asked,
    ...lanes,
    ...remembered,
    ...countRests(found.rests),
    ...knots,
    ...spending,
    takings,
    said,
  };
  return { violations, figures };
}

function checkMailboxes({ agents }: RedisEvidence, report: Report): void {
  for (const [id, { mailbox, log }] of agents) {
    const { newest, taken, left } = mailbox;
    if (taken !== newest || left > 0)
      report("mailbox", `that of ${id} goes to ${newest}, was taken to ${taken}, and holds ${left}`);
    const mail = log.records.filter(({ kind }) => kind === "message").length;
    if (mail !== newest) report("mailbox", `that of ${id} went to ${newest}; its log has ${mail} messages`);
  }
}

/** The logs hold no more model calls than were reserved; of each agent one reservation may stand that came to nothing. */
function checkSpending(
  { agents, steps: reserved }: RedisEvidence,
  limit: number,
  report: Report,
): Pick<Figures, "events" | "steps"> {
  const events = [...agents.values()].flatMap(({ log }) => log.records);
  const steps = events.filter(({ kind }) => kind === "prompted").length;
  if (steps > reserved || steps < reserved - agents.size)
    report("limit", `${steps} model calls in the logs, ${reserved} reserved`);
  if (steps > limit) report("limit", `${steps} model calls, ${limit} are allowed`);
  return { events: events.length, steps };
}
