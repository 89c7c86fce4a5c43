// Whether an agent rests: it has nothing to do, and nothing but mail would change that.

import { hasWork, isAtRest, type Conversation } from "../conversation.ts";
import { openQuestion } from "../questions.ts";

/** Is all of it done, with no mail held, no question open and nobody having stopped it? What a person holds, or types, waits for them. */
export function isResting(conversation: Conversation): boolean {
  const { halt, run, held, questions } = conversation;
  if (halt || run.acts.length > 0 || openQuestion(questions)) return false;
  if (run.mode === "held" || run.mode === "human") return false;
  if (held.followUps.size > 0 || held.overflow.size > 0) return false;
  return !hasWork(conversation, 0) && isAtRest(conversation);
}
