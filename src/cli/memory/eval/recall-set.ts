// Conversations, and questions that what was said in them answers, whichever form they were written in.

import type { EntryRole } from "../../../domain/memory/record.ts";

export interface RecallMessage {
  /** Its name in the data set. */
  readonly id: string;
  readonly role: EntryRole;
  /** One line. */
  readonly speaker?: string;
  readonly content: string;
}

export interface RecallSession {
  /** When it began, ISO 8601; absent: the data set does not say. */
  readonly said?: string;
  /** In their order; none is empty. */
  readonly messages: readonly RecallMessage[];
}

export interface RecallQuestion {
  readonly id: string;
  readonly text: string;
  /** What kind of question it is, in the words of the data set. */
  readonly kind: string;
  /** The messages of which each would answer it, or a part of it; empty: nothing that was said does. */
  readonly evidence: ReadonlySet<string>;
}

/** Conversations that one memory is made of, and what is asked about them. */
export interface RecallSample {
  readonly id: string;
  readonly sessions: readonly RecallSession[];
  readonly questions: readonly RecallQuestion[];
}

export interface RecallSet {
  readonly samples: readonly RecallSample[];
  /** Of the file: SHA-256, in hex. */
  readonly digest: string;
}

const MAX_NAME = 200;

/** As an entry keeps a name. */
export function asName(text: string): string | undefined {
  return (
    text
      .replace(/\p{Cc}+/gu, " ")
      .trim()
      .slice(0, MAX_NAME) || undefined
  );
}
