// What a checker of the torture test may find, and what it counts.

export type Fault =
  /** A message that was acknowledged, or a parcel that a stop had taken in, and that went no further. */
  | "lost"
  | "twice"
  | "out of order"
  /** Held mail that was shown before it was released, or released while there was something else to do. */
  | "shown early"
  /** Held mail that a steer has withdrawn and that nobody is told of, or the other way round. */
  | "withdrawn"
  /** A call began while a steer was unread. */
  | "not stopped"
  /** Taken in, but in no log as sent. */
  | "never sent"
  | "effect without intent"
  /** An action that must happen once was done again, or one that was left out was done all the same. */
  | "done again"
  /** Done though a person had to be asked, and had not said yes, or had changed the rules since. */
  | "unapproved"
  /** What ended a question is not what came first, or none of what may end it. */
  | "wrong verdict"
  /** A person was told in time that the answer is safe, and it did not count. */
  | "verdict lost"
  /** Not asked once, not told of once, not ended once. */
  | "question"
  /** Its result says so, and nothing of it is there. */
  | "not done"
  | "not closed once"
  | "sequence"
  | "unreadable"
  /** The log says that a person changed a file, and nobody did. */
  | "edit"
  /** Module state is not what the results add up to. */
  | "state"
  /** A file does not show the state. */
  | "file"
  /** A message that is no entry of the long-term memory, or several; or not with the words, or in the order, in which it was said. */
  | "not remembered"
  | "remembered twice"
  | "remembered otherwise"
  | "remembered out of order"
  /** The scribe took a message in again. */
  | "heard twice"
  /** An entry, or a context, that nothing was said for. */
  | "never said"
  /** What is shown as the context is not the newest of the keeper. */
  | "stray"
  /** The scribe began something before the last of it was done, or did, or asked for, what was done. */
  | "out of turn"
  | "miscounted"
  /** Control was told of a knot that was none, or twice of the same one. */
  | "false alarm"
  /** The last run did not end by itself. */
  | "unsettled";

export interface Violation {
  readonly fault: Fault;
  readonly text: string;
}

export interface Figures extends QuestionFigures, LaneFigures, MemoryFigures, RestFigures, KnotFigures {
  /** Messages that were committed by a sender, each of which has to be taken in by its recipient once. */
  readonly expected: number;
  readonly intents: number;
  readonly effects: number;
  /** Calls of which only the crash is known, and how many of those had in fact happened. */
  readonly interrupted: number;
  readonly interruptedDone: number;
  /** Ends of segments that dead writers had not finished. */
  readonly leftovers: number;
  readonly events: number;
}

/** How many there were, and how they ended; of answers that counted for nothing how many were taken in. */
export interface QuestionFigures {
  readonly questions: number;
  readonly approved: number;
  readonly denied: number;
  readonly expired: number;
  readonly superseded: number;
  readonly voidAnswers: number;
}

/** How many there were of what comes in lanes of its own, and what came of it. */
export interface LaneFigures {
  readonly steers: number;
  readonly aborts: number;
  readonly released: number;
  readonly withdrawn: number;
  /** Calls that were not begun, as a steer or an abort was there. */
  readonly leftOut: number;
  /** Calls that only read. */
  readonly looks: number;
}

/** What came into long-term memory. */
export interface MemoryFigures {
  /** Messages that were said to or by observed agents. */
  readonly heard: number;
  /** What agents entered themselves. */
  readonly kept: number;
  /** Contexts of others than the keeper. */
  readonly strays: number;
  /** How often the scribe had the context made. */
  readonly flushes: number;
}

/** Of how many sets of agents that waited for each other Control was told. */
export interface KnotFigures {
  readonly knots: number;
}

/** How often agents were closed as they had nothing to do, and how often that ended as something came. */
export interface RestFigures {
  readonly closed: number;
  readonly woken: number;
}

export type Report = (fault: Fault, text: string) => void;
