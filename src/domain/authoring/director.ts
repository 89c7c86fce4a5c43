// Who says what an agent does next, in the place of introduction, view and model: by what its log holds of the thing that it is at.

import type { ControlState } from "../event/observed.ts";
import type { Outcome } from "../event/event.ts";
import type { EntryRole } from "../memory/record.ts";
import type { Taint } from "../message/taint.ts";

/** A message as an observer heard it. */
export interface HeardMessage {
  /** Of the message, `0>1#1`, and the log that numbered it. */
  readonly id: string;
  readonly log: string;
  /** An agent id, or `0`. */
  readonly speaker: string;
  /** `user` for the person. */
  readonly role: EntryRole;
  readonly content: string;
  /** ISO 8601. */
  readonly said: string;
  readonly taint?: Taint;
}

/** A text that was read for a thread as its session began. */
export interface OpeningText {
  /** The action that read it. */
  readonly action: string;
  readonly content: string;
  readonly taint?: Taint;
}

/** A decision that was made, and what came of it. */
export interface DirectedStep {
  readonly by: "model" | "rules";
  /** Absent: what the model said was no call that was asked for. */
  readonly action?: string;
  /** Absent: its call runs. */
  readonly outcome?: Outcome;
  /** Of the result; empty without one. */
  readonly content: string;
  readonly details?: unknown;
  readonly taint?: Taint;
}

/** What a session of a thread has come to: what was read as it began, and its messages, the newest of them, oldest first. */
export interface SessionHistory {
  readonly opening: readonly OpeningText[];
  readonly messages: readonly HeardMessage[];
}

/** One thing to do, and how far it is. */
export interface Invocation {
  readonly control: ControlState;
  readonly thread: string;
  /** The how manieth message of its session. */
  readonly n: number;
  /** The one to be processed; absent where there is none. */
  readonly message?: HeardMessage;
  /** Oldest first. */
  readonly steps: readonly DirectedStep[];
  /** Of the thread before this message; the same objects as long as nothing is said. */
  readonly history: SessionHistory;
}

/** What does not change while an agent runs. */
export interface DirectorFacts {
  /** The long-term memory that it writes to, `<vault>/<memory>`; empty without one. */
  readonly memory: string;
  /** Does its model write texts? */
  readonly summarises: boolean;
  /** Of its model, in tokens. */
  readonly window: number;
  /** What the module of the director's name recalled, by its keys, as the agent's log keeps it; `undefined` before it recalled anything. */
  readonly offer: unknown;
}

/** What an agent does next. */
export type Direction =
  /** Without a model. */
  | {
      readonly kind: "call";
      readonly action: string;
      readonly parameters: Readonly<Record<string, unknown>>;
    }
  /** The model is asked for one call of `tool`, by these words and nothing else. */
  | { readonly kind: "ask"; readonly tool: string; readonly system: string; readonly user: string }
  /** It is done. What is said then goes to nobody. */
  | { readonly kind: "end"; readonly text: string };

export interface Director {
  readonly name: string;
  /** Pure: the same progress has the same direction. */
  direct(progress: Invocation, facts: DirectorFacts): Direction;
  /** For people: what its model is told with every question, whatever that is about. Absent: nothing. */
  standing?(facts: DirectorFacts): string;
}
