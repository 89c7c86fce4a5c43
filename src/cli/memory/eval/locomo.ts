// LoCoMo: conversations of two people in numbered sessions, with questions about all of them.
// https://github.com/snap-research/locomo (data/locomo10.json)

import { z } from "zod";
import {
  asName,
  type RecallMessage,
  type RecallQuestion,
  type RecallSample,
  type RecallSession,
} from "./recall-set.ts";

const turn = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string(),
  blip_caption: z.string().optional(),
});

const qa = z.object({
  question: z.string(),
  evidence: z.array(z.string()).default([]),
  category: z.union([z.number(), z.string()]),
});

const sample = z.object({
  sample_id: z.string().optional(),
  conversation: z.record(z.string(), z.unknown()),
  qa: z.array(qa),
});

const schema = z.array(sample).min(1);
const turns = z.array(turn);

/** By the numbers of the published set. */
const CATEGORIES: Readonly<Record<string, string>> = {
  1: "several sessions",
  2: "time",
  3: "world knowledge",
  4: "one session",
  5: "unanswerable",
};

/** What is wrong with it, in a few words, where it has not this form. */
export function readLocomo(parsed: unknown): readonly RecallSample[] | string {
  const { data, error } = schema.safeParse(parsed);
  if (!data) return `${error.issues[0]!.path.join(".") || "it"}: ${error.issues[0]!.message}`;
  const samples: RecallSample[] = [];
  for (const [index, one] of data.entries()) {
    const sessions = sessionsOf(one.conversation);
    if (typeof sessions === "string") return `${index}.conversation.${sessions}`;
    const questions = one.qa.map((asked, number) => questionOf(asked, number));
    samples.push({ id: one.sample_id ?? String(index + 1), sessions, questions });
  }
  return samples;
}

function questionOf({ question, evidence, category }: z.output<typeof qa>, number: number): RecallQuestion {
  const kind = CATEGORIES[category] ?? String(category);
  // Some name several in one text.
  const ids = evidence.flatMap((text) => text.split(/[;,\s]+/)).filter(Boolean);
  const isNowhere = kind === "unanswerable";
  return { id: String(number + 1), text: question, kind, evidence: new Set(isNowhere ? [] : ids) };
}

function sessionsOf(conversation: Readonly<Record<string, unknown>>): readonly RecallSession[] | string {
  const numbers = Object.keys(conversation)
    .flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
  const sessions: RecallSession[] = [];
  for (const number of numbers) {
    const { data } = turns.safeParse(conversation[`session_${number}`]);
    if (!data) return `session_${number}`;
    const messages = data.flatMap((one) => messageOf(one, conversation["speaker_a"]));
    sessions.push({ said: timeOf(conversation[`session_${number}_date_time`]), messages });
  }
  return sessions;
}

function messageOf(
  { dia_id: id, speaker, text, blip_caption: caption }: z.output<typeof turn>,
  first: unknown,
): readonly RecallMessage[] {
  const content = caption === undefined ? text : `${text}\n[shares a picture: ${caption}]`;
  if (content.trim() === "") return [];
  return [{ id, role: speaker === first ? "user" : "assistant", speaker: asName(speaker), content }];
}

/** Written like `1:56 pm on 8 May, 2023`. */
function timeOf(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  const match = /^(\d{1,2}):(\d{2}) ?(am|pm) on (\d{1,2} \w+),? (\d{4})$/i.exec(text.trim());
  const day = Date.parse(match ? `${match[4]} ${match[5]} UTC` : text);
  if (Number.isNaN(day)) return undefined;
  const hours = match ? (Number(match[1]) % 12) + (match[3]!.toLowerCase() === "pm" ? 12 : 0) : 0;
  return new Date(day + (hours * 60 + Number(match?.[2] ?? 0)) * 60_000).toISOString();
}
