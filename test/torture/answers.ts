// The person whom agents of a torture test ask, as seen from outside: what is asked, and all the ways to answer it. Of some
// calls the rules change while the person thinks, and nobody may run those, whatever is said then.

import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProgramGate, QuestionSettings } from "../../src/agent/parts/rulebook.ts";
import type { Inspect } from "../../src/domain/inspection.ts";
import { questionId, type Verdict } from "../../src/domain/policy/verdict.ts";
import { sumOf } from "./carrier.ts";
import { seeded } from "./seeded.ts";

/** Outside all projects. */
export interface QuestionPlaces {
  /** What was asked. */
  readonly asked: string;
  /** What the person answered. */
  readonly answers: string;
  /** A folder with a file for each call that the rules came to forbid. */
  readonly revoked: string;
}

/** One line of the file `asked`; some lines are about the same. */
interface Asked {
  readonly question: string;
  /** The id of the call. */
  readonly intent?: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** One line of the file `answers`: once before it is said, and once when that was acknowledged. */
export interface Answer extends Verdict {
  readonly said: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export const QUESTIONS: QuestionSettings = { mode: "wait", expireMs: 1_500 };

export function questionPlaces(folder: string): QuestionPlaces {
  const revoked = join(folder, "revoked");
  mkdirSync(revoked, { recursive: true });
  return { asked: join(folder, "asked"), answers: join(folder, "answers"), revoked };
}

/** Forbids what was revoked. */
export function gateOf(revoked: string): ProgramGate {
  return ({ parameters: { intent } }) =>
    typeof intent === "string" && existsSync(join(revoked, intent)) ? { deny: "a new rule" } : "allow";
}

/** Writes down what is asked where it is asked, and where it is still asked after a crash. */
export function tellOfQuestions(file: string): Inspect {
  const add = (line: Omit<Asked, "at">): void =>
    appendFileSync(file, `${JSON.stringify({ ...line, at: Date.now() })}\n`);
  return (inspection) => {
    const { agent } = inspection;
    if (inspection.kind === "live:state" && inspection.state === "asking" && inspection.reason !== undefined)
      add({ question: inspection.reason });
    if (inspection.kind !== "event" || inspection.event.kind !== "approval") return;
    const { asked, call, seq } = inspection.event;
    if (asked) add({ question: questionId({ agent, seq }), intent: call });
  };
}

interface Word extends Pick<Verdict, "verdict" | "reason"> {
  readonly afterMs: number;
}

interface Mind {
  readonly revokes: boolean;
  /** Nothing, one word, or several. */
  readonly words: readonly Word[];
}

/** How the person answers: in all ways; once and at once; yes and at once no; yes, but not before the rules forbid it. */
export type Temper = "any" | "prompt" | "twice" | "revoking";

const YES: Word = { verdict: "approved", afterMs: 0 };
const MINDS: Readonly<Record<Temper, (question: string) => Mind>> = {
  any: mindOf,
  prompt(question) {
    const { revokes, words } = mindOf(question);
    return { revokes, words: [{ ...(words[0] ?? YES), afterMs: 0 }] };
  },
  twice: () => ({ revokes: false, words: [YES, { verdict: "denied", afterMs: 1 }] }),
  revoking: () => ({ revokes: true, words: [YES] }),
};

/** The same for the same question. */
function mindOf(question: string): Mind {
  const random = seeded(sumOf(question));
  random();
  const [kind, share] = [random(), random()];
  const afterMs = share < 0.5 ? 100 * share : 1_000 * (share - 0.45);
  const yes: Word = { verdict: "approved", afterMs };
  const no: Word = { verdict: "denied", reason: `not for ${question}`, afterMs };
  const late = { afterMs: QUESTIONS.expireMs + 200 + 500 * share };
  const again = { afterMs: afterMs + 100 * random() };
  if (kind < 0.35) return { revokes: false, words: [yes] };
  if (kind < 0.5) return { revokes: false, words: [no] };
  if (kind < 0.6) return { revokes: false, words: [yes, { ...no, ...again }] };
  if (kind < 0.7) return { revokes: false, words: [no, { ...yes, ...again }] };
  if (kind < 0.75) return { revokes: false, words: [yes, { ...yes, ...late }] };
  if (kind < 0.85) return { revokes: true, words: [yes] };
  if (kind < 0.93) return { revokes: false, words: [{ ...yes, ...late }] };
  return { revokes: false, words: [] };
}

export interface Answering {
  /** From now on says one word to what is asked, at once, and none to what was asked before. */
  calm(): void;
  /** Says nothing new; resolves when nothing is under way. */
  close(): Promise<void>;
}

const LOOK_MS = 20;

export interface AnsweringOptions {
  readonly places: QuestionPlaces;
  readonly temper: Temper;
  /** Says one answer; where it rejects nobody knows what became of that. */
  readonly say: (verdict: Verdict) => Promise<unknown>;
  /** Is the `nth` word about a question said here? By default all are. */
  readonly isMine?: (question: string, nth: number) => boolean;
}

/** Looks what is asked, and answers it. */
export function startAnswering(options: AnsweringOptions): Answering {
  const { places, say, isMine = () => true } = options;
  const { asked, answers, revoked } = places;
  const known = new Set<string>();
  const waiting = new Set<NodeJS.Timeout>();
  const saying = new Set<Promise<void>>();
  const since = Date.now() - QUESTIONS.expireMs;
  let seen = 0;
  let { temper } = options;
  const record = (answer: Omit<Answer, "at">): void =>
    appendFileSync(answers, `${JSON.stringify({ ...answer, at: Date.now() })}\n`);
  const answer = async (verdict: Verdict): Promise<void> => {
    record({ ...verdict, said: false });
    await say(verdict).then(
      () => record({ ...verdict, said: true }),
      () => undefined,
    );
  };
  const think = ({ question, intent, at }: Asked): void => {
    // What was asked long before is over.
    if (known.has(question) || at < since) return;
    known.add(question);
    const { revokes, words } = MINDS[temper](question);
    if (revokes && intent !== undefined) writeFileSync(join(revoked, intent), "");
    for (const [nth, { afterMs, ...word }] of words.entries()) {
      if (!isMine(question, nth)) continue;
      const timer = setTimeout(() => {
        waiting.delete(timer);
        const said = answer({ question, ...word }).finally(() => saying.delete(said));
        saying.add(said);
      }, afterMs);
      waiting.add(timer);
    }
  };
  const looking = setInterval(() => {
    const lines = existsSync(asked) ? readFileSync(asked, "utf8").split("\n").slice(seen, -1) : [];
    for (const line of lines) think(JSON.parse(line) as Asked);
    seen += lines.length;
  }, LOOK_MS);
  const dropWaiting = (): void => waiting.forEach(clearTimeout);
  return {
    calm() {
      dropWaiting();
      temper = "prompt";
    },
    async close() {
      clearInterval(looking);
      dropWaiting();
      await Promise.all(saying);
    },
  };
}
