// What a person is told of a call that was refused because nobody was there to be asked.

import { displayName, type AgentId } from "../../../domain/message/message.ts";
import type { AskedCall } from "../../../domain/event/approval.ts";
import type { Inspect } from "../../../domain/inspection.ts";
import { rulesAllowing } from "../../../domain/policy/allowing.ts";
import { shown } from "../../../domain/policy/question-text.ts";

/** A longer rule is nothing to copy out of a line. */
const MAX_RULES = 300;

/**
 * Tells of each, once.
 *
 * @param file the person's own settings
 */
export function createUnaskedTeller(file: string, tell: (text: string) => void): Inspect {
  const told = new Set<string>();
  return (seen) => {
    if (seen.kind !== "live:unasked") return;
    const words = unaskedWords(seen.agent, seen.asked, file);
    if (!told.has(words)) tell(words);
    told.add(words);
  };
}

function unaskedWords(agent: AgentId, asked: AskedCall, file: string): string {
  const { action, rule } = asked;
  const rules = JSON.stringify(rulesAllowing(asked) ?? []);
  const isUsable = rules !== "[]" && rules.length <= MAX_RULES && shown(rules) === rules;
  const allow = isUsable ? `policy: { allow: ${rules} } in ${file}, or ` : "";
  return (
    `${displayName(agent)} may not call ${shown(action)}: that has to be asked (${shown(rule)}), and nobody is here to answer. ` +
    `To allow it next time: ${allow}--approvals wait, and an answer then.`
  );
}
