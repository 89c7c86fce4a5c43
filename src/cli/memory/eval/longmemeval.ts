// LongMemEval: questions, each about sessions of its own with an assistant.
// https://github.com/xiaowu0162/LongMemEval (longmemeval_s.json, longmemeval_m.json, longmemeval_oracle.json)

import { z } from "zod";
import type { RecallSample, RecallSession } from "./recall-set.ts";

const turn = z.object({ role: z.string(), content: z.string(), has_answer: z.boolean().optional() });

const question = z.object({
  question_id: z.string(),
  question_type: z.string(),
  question: z.string(),
  haystack_dates: z.array(z.string()).default([]),
  haystack_session_ids: z.array(z.string()),
  haystack_sessions: z.array(z.array(turn)),
  answer_session_ids: z.array(z.string()).default([]),
});

const schema = z.array(question).min(1);

type LongMemEvalQuestion = z.output<typeof question>;

/** What is wrong with it, in a few words, where it has not this form. */
export function readLongMemEval(parsed: unknown): readonly RecallSample[] | string {
  const { data, error } = schema.safeParse(parsed);
  if (!data) return `${error.issues[0]!.path.join(".") || "it"}: ${error.issues[0]!.message}`;
  return data.map((asked): RecallSample => {
    const { question_id: id, question_type: type, question: text } = asked;
    const isNowhere = id.endsWith("_abs");
    const kind = isNowhere ? "unanswerable" : type;
    const evidence = isNowhere ? new Set<string>() : evidenceOf(asked);
    return { id, sessions: sessionsOf(asked), questions: [{ id, text, kind, evidence }] };
  });
}

function sessionsOf({
  haystack_sessions: sessions,
  haystack_dates: dates,
}: LongMemEvalQuestion): readonly RecallSession[] {
  return sessions.map((turns, session) => ({
    said: timeOf(dates[session]),
    messages: turns.flatMap(({ role, content }, number) =>
      content.trim() === ""
        ? []
        : [{ id: idOf(session, number), role: role === "user" ? ("user" as const) : "assistant", content }],
    ),
  }));
}

/** The turns that are marked; where none is, those of the sessions that are named. */
function evidenceOf(asked: LongMemEvalQuestion): ReadonlySet<string> {
  const { haystack_sessions: sessions, haystack_session_ids: ids, answer_session_ids: named } = asked;
  const all = sessions.flatMap((turns, session) =>
    turns.map((one, number) => ({ ...one, session, id: idOf(session, number) })),
  );
  const marked = all.filter(({ has_answer }) => has_answer);
  const meant = marked.length > 0 ? marked : all.filter(({ session }) => named.includes(ids[session] ?? ""));
  return new Set(meant.map(({ id }) => id));
}

function idOf(session: number, number: number): string {
  return `${session + 1}:${number + 1}`;
}

/** Written like `2023/05/20 (Sat) 02:21`. */
function timeOf(text: string | undefined): string | undefined {
  const match = /^(\d{4})\/(\d\d)\/(\d\d)(?: \(\w+\))?(?: (\d\d:\d\d))?$/.exec(text ?? "");
  const ms = match ? Date.parse(`${match[1]}-${match[2]}-${match[3]}T${match[4] ?? "00:00"}Z`) : Number.NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
