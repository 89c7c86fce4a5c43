// Which questions wait for the person here: a fold over what is seen.

import type { Inspection } from "../../../domain/inspection.ts";
import type { Question } from "../../../domain/policy/verdict.ts";
import { count } from "../../../base/text/wording.ts";

export interface WaitingQuestions {
  see(seen: Inspection): void;
  /** The one that came first. */
  first(): Question | undefined;
  size(): number;
  /**
   * What a node that ends leaves open, in a sentence without a full stop; `undefined` if nothing.
   *
   * @param program how a person calls it
   */
  left(program: string): string | undefined;
}

export function createWaitingQuestions(): WaitingQuestions {
  /** Those whose agents wait here, in the order in which they came. */
  const waiting = new Map<string, Question>();
  const unanswered = new Set<string>();
  const settle = ({ id }: Question): void => {
    waiting.delete(id);
    unanswered.delete(id);
  };
  const open = (question: Question): void => {
    waiting.set(question.id, question);
    unanswered.add(question.id);
  };
  const leave = (agent: string): void => {
    for (const question of waiting.values()) if (question.agent === agent) waiting.delete(question.id);
  };
  return {
    see(seen) {
      if (seen.kind === "question") (seen.ended ? settle : open)(seen.question);
      else if (seen.kind === "live:state" && seen.state !== "asking") leave(seen.agent);
    },
    first: () => waiting.values().next().value,
    size: () => waiting.size,
    left(program) {
      const [first] = unanswered;
      if (first === undefined) return undefined;
      const what =
        unanswered.size === 1 ? `The question ${first} stays` : `${count(unanswered.size, "question")} stay`;
      return `${what} open, also while nothing runs: ${program} approvals, ${program} approve ${first}, ${program} deny ${first}`;
    },
  };
}
