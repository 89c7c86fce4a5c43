// From a letter to numbered messages, or to why it may not be sent: every refusal comes before a number is given.

import { messageId, type Message } from "../domain/message.ts";
import { draftOf, type Books, type Letter } from "./letter.ts";
import { refusalOf, type PostalService, type RefusedLetter } from "./refusal.ts";

/** What becomes of a letter. */
export interface Composed {
  /** One to each recipient; none if it was refused. */
  readonly sends: readonly Message[];
  readonly refusal?: RefusedLetter;
}

/** Composes `letter`, or refuses it. */
export async function writeLetter(
  books: Books,
  letter: Letter,
  post: PostalService,
  staged: readonly Message[] = [],
): Promise<Composed> {
  const refusal = await refusalOf(books, letter, post);
  return refusal ? { sends: [], refusal } : { sends: compose(books, letter, staged, post.clock.now()) };
}

/** A message to more targets than this names only its own: naming all of them in each would be quadratic. */
const MAX_NAMED_TARGETS = 1_000;

/**
 * One numbered message to each recipient of a letter that nothing stands against; `staged` are messages of the same log that
 * are numbered but not committed.
 */
export function compose(
  books: Books,
  letter: Letter,
  staged: readonly Message[],
  nowMs: number,
): readonly Message[] {
  const { cause, root, ...draft } = draftOf(books, letter, nowMs);
  return letter.to.map((to) => {
    const prefix = messageId({ from: letter.from, to, n: 0 }).slice(0, -1);
    const ahead = staged.filter(({ id }) => id.startsWith(prefix)).length;
    const id = `${prefix}${(books.ledger.numbers.get(to) ?? 0) + ahead + 1}`;
    const re = cause !== undefined && ahead === 0 ? books.conversation.unanswered.get(to)?.id : undefined;
    return {
      id,
      ...draft,
      targetAgentIds: letter.to.length > MAX_NAMED_TARGETS ? [to] : letter.to,
      ...(cause !== undefined && { cause }),
      ...(re !== undefined && { re }),
      root: root ?? id,
    };
  });
}
