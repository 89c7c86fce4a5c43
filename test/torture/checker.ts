// Recomputes what must have happened from what is on the disk, and says what did not, or happened too often. Pure; knows
// the formats on the disk and the carriers' rules, and nothing of the runtime's own book-keeping.

import { checkActs } from "./check-acts.ts";
import { checkKnots } from "./check-knots.ts";
import { checkLanes } from "./check-lanes.ts";
import { checkMail } from "./check-mail.ts";
import { asPeer, checkMemory } from "./check-memory.ts";
import { checkQuestions } from "./check-questions.ts";
import { checkFiles, checkState } from "./check-state.ts";
import type { Evidence, Past } from "./evidence.ts";
import { countRests } from "./rests.ts";
import type { Fault, Figures, Violation } from "./fault.ts";

export interface Verdict {
  readonly violations: readonly Violation[];
  readonly figures: Figures;
}

export function check(evidence: Evidence): Verdict {
  const violations: Violation[] = [];
  const report = (fault: Fault, text: string): void => void violations.push({ fault, text });
  let events = 0;
  let leftovers = 0;
  for (const [id, { log, mailbox }] of evidence.agents) {
    events += log.records.length;
    leftovers += log.leftovers + mailbox.leftovers;
    if (log.unreadable > 0) report("unreadable", `log of ${id}: ${log.unreadable} lines`);
    if (mailbox.unreadable > 0) report("unreadable", `mailbox of ${id}: ${mailbox.unreadable} lines`);
    for (const [index, { seq }] of log.records.entries()) {
      const before = log.records[index - 1]?.seq ?? 0;
      if (seq !== before + 1) report("sequence", `log of ${id}: ${seq} after ${before}`);
    }
    const names = new Set(log.records.flatMap((event) => (event.kind === "opened" ? [event.log] : [])));
    if (names.size > 1) report("sequence", `log of ${id} goes on as another one`);
  }
  const peers = new Map<string, Past>([...evidence.agents, asPeer(evidence.remembered)]);
  const expected = checkMail({ ...evidence, agents: peers }, report);
  const acts = checkActs(evidence, report);
  const asked = checkQuestions(evidence, report);
  const lanes = checkLanes(evidence, report);
  const remembered = checkMemory(evidence, report);
  const knots = checkKnots(evidence, report);
  checkState(evidence, report);
  checkFiles(evidence, report);
  const rests = countRests(evidence.rests);
  const figures = {
    expected,
    ...acts,
    ...asked,
    ...lanes,
    ...remembered,
    ...rests,
    ...knots,
    leftovers,
    events,
  };
  return { violations, figures };
}
