// The project's own questions about long-term memory: what is asked is said, where it says it is, and only there.

import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const FILE = fileURLToPath(new URL("../../../examples/recall/recall.json", import.meta.url));
const KINDS = ["one session", "several sessions", "time", "changed facts", "unanswerable"] as const;
const MONTHS = "January February March April May June July August September October November December";
const MONATE = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember";
const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday";
const TAGE = "Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag";

const Message = z.strictObject({
  speaker: z.string().min(1),
  dia_id: z.string(),
  text: z.string().min(1),
  gist: z.string().min(1).max(512),
});
const Question = z.strictObject({
  question: z.string().min(1),
  answer: z.string().min(1),
  evidence: z.array(z.string()).max(4),
  category: z.enum(KINDS),
});
const Sample = z.strictObject({
  sample_id: z.string().min(1),
  conversation: z.record(z.string(), z.union([z.string(), z.array(Message)])),
  qa: z.array(Question),
});

type Message = z.infer<typeof Message>;
interface Session {
  day: Date;
  messages: Message[];
}

const samples = z.array(Sample).parse(JSON.parse(readFileSync(FILE, "utf8")));

const index = (word: string, ...lists: string[]): number =>
  Math.max(...lists.map((list) => list.split(" ").indexOf(word)));

/** The day of a header such as `1:56 pm on 8 May, 2025`; fails where it is none. */
function dayOf(header: unknown): Date {
  const [, day, month, year] = /^\d+:\d\d [ap]m on (\d+) (\w+), (\d{4})$/.exec(String(header)) ?? [];
  const date = new Date(Date.UTC(Number(year), index(month ?? "", MONTHS), Number(day)));
  if (date.getUTCDate() !== Number(day)) throw new Error(`no day: ${String(header)}`);
  return date;
}

/** The sessions of a conversation, numbered from 1 without a gap. */
function sessionsOf({ conversation, sample_id }: z.infer<typeof Sample>): Session[] {
  const { speaker_a, speaker_b, ...rest } = conversation;
  const sessions: Session[] = [];
  for (let n = 1; rest[`session_${n}`] !== undefined; n++) {
    const messages = z.array(Message).parse(rest[`session_${n}`]);
    for (const { speaker } of messages) expect([speaker_a, speaker_b]).toContain(speaker);
    sessions.push({ day: dayOf(rest[`session_${n}_date_time`]), messages });
  }
  expect(Object.keys(rest).length, sample_id).toBe(2 * sessions.length);
  return sessions;
}

const conversations = samples.map((sample) => ({ ...sample, sessions: sessionsOf(sample) }));
const everyMessage = conversations.flatMap((one) =>
  one.sessions.flatMap(({ day, messages }) => messages.map((message) => ({ day, ...message }))),
);
const everyQuestion = samples.flatMap((sample) => sample.qa);

/** The words of a text by their stems, for what two texts share. */
const words = (text: string): Set<string> =>
  new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.replace(/(ing|ed|es|s)$/, "")),
  );

describe("the recall set", () => {
  it("is six conversations over months, of 8 to 10 sessions with 10 to 14 messages each", () => {
    expect(samples.map((sample) => sample.sample_id)).toEqual([
      ...new Set(samples.map((sample) => sample.sample_id)),
    ]);
    expect(samples).toHaveLength(6);
    for (const { sample_id, sessions } of conversations) {
      expect(sessions.length, sample_id).toBeGreaterThanOrEqual(8);
      expect(sessions.length, sample_id).toBeLessThanOrEqual(10);
      for (const { messages } of sessions) {
        expect(messages.length, messages[0]?.dia_id).toBeGreaterThanOrEqual(10);
        expect(messages.length, messages[0]?.dia_id).toBeLessThanOrEqual(14);
      }
      const days = sessions.map(({ day }) => day.getTime());
      expect(days, sample_id).toEqual([...new Set(days)].sort((a, b) => a - b));
      expect(days.at(-1)! - days[0]!, sample_id).toBeGreaterThan(90 * 86_400_000);
    }
    expect(statSync(FILE).size).toBeLessThan(600_000);
  });

  it("numbers the messages of each session from 1", () => {
    for (const { sessions, sample_id } of conversations)
      sessions.forEach(({ messages }, at) =>
        expect(
          messages.map(({ dia_id }) => dia_id),
          sample_id,
        ).toEqual(messages.map((_, n) => `D${at + 1}:${n + 1}`)),
      );
  });

  it("has messages of 15 to 90 words, where words have spaces between them", () => {
    for (const { text, dia_id } of everyMessage) {
      const length = text.split(/\s+/).length;
      if (!/[\u3040-\u30ff]/.test(text)) expect(length, dia_id).toBeGreaterThanOrEqual(15);
      expect(length, dia_id).toBeLessThanOrEqual(90);
    }
  });

  it("has a gist of every message that is no copy of it, is one line and names real days", () => {
    for (const { text, gist, dia_id } of everyMessage) {
      expect(gist, dia_id).not.toBe(text);
      expect(gist, dia_id).not.toMatch(/\n/);
      for (const [day] of gist.matchAll(/\d{4}-\d\d-\d\d/g))
        expect(new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10), gist).toBe(day);
    }
  });

  it("names the right day of the week wherever it names one with its date", () => {
    const dated = new RegExp(
      `\\b(${`${DAYS} ${TAGE}`.replaceAll(" ", "|")}),? (\\d+)\\.? (${`${MONTHS} ${MONATE}`.replaceAll(" ", "|")})`,
      "g",
    );
    let seen = 0;
    for (const { day, text, gist } of everyMessage) {
      for (const [said, weekday, date, month] of text.matchAll(dated)) {
        const falls = [0, 1].map((later) =>
          new Date(
            Date.UTC(day.getUTCFullYear() + later, index(month!, MONTHS, MONATE), Number(date)),
          ).getUTCDay(),
        );
        const months = index(month!, MONTHS, MONATE) - day.getUTCMonth();
        const mayBeNextYear = months < 0 || /next year/.test(text);
        expect(mayBeNextYear ? falls : falls.slice(0, 1), said).toContain(index(weekday!, DAYS, TAGE));
        seen++;
      }
      for (const [said, weekday, date] of gist.matchAll(/\b([MTWFS]\w+day) (\d{4}-\d\d-\d\d)/g))
        expect(new Date(`${date}T00:00:00Z`).getUTCDay(), said).toBe(index(weekday!, DAYS));
    }
    expect(seen).toBeGreaterThan(10);
  });

  it("is also in German and Japanese, with questions to these messages and in these languages", () => {
    for (const language of [/\b(?:und|nicht|wir|das|haben|schläft)\b/i, /[\u3040-\u30ff]/]) {
      const evidence = conversations.flatMap(({ qa, sessions }) => {
        const asked = new Set(qa.flatMap((one) => one.evidence));
        return sessions.flatMap(({ messages }) => messages).filter((one) => asked.has(one.dia_id));
      });
      expect(evidence.filter(({ text }) => language.test(text)).length).toBeGreaterThanOrEqual(2);
      expect(everyQuestion.some(({ question }) => language.test(question))).toBe(true);
    }
  });
});

describe("the questions of the recall set", () => {
  it("are sixty, twelve of each kind, two of each kind a conversation, no two alike", () => {
    for (const { qa, sample_id } of samples)
      for (const kind of KINDS)
        expect(
          qa.filter((one) => one.category === kind),
          sample_id,
        ).toHaveLength(2);
    expect(new Set(everyQuestion.map(({ question }) => question)).size).toBe(60);
  });

  it("have their evidence in the conversation, as many messages and sessions as their kind wants", () => {
    for (const { qa, sessions } of conversations) {
      const ids = new Set(sessions.flatMap(({ messages }) => messages.map(({ dia_id }) => dia_id)));
      for (const { question, answer, evidence, category } of qa) {
        for (const id of evidence) expect(ids, question).toContain(id);
        expect(new Set(evidence).size, question).toBe(evidence.length);
        const among = new Set(evidence.map((id) => id.split(":")[0])).size;
        expect(answer === "not said", question).toBe(category === "unanswerable");
        expect(evidence.length === 0, question).toBe(category === "unanswerable");
        if (category === "one session") expect(among, question).toBe(1);
        if (category === "changed facts") expect(evidence, question).toHaveLength(1);
        if (category === "several sessions") {
          expect(among, question).toBeGreaterThan(1);
          expect(among, question).toBe(evidence.length);
        }
      }
    }
  });

  it("share a word that few messages have with their evidence in at most half of the cases", () => {
    let sharing = 0;
    for (const { qa, sessions } of conversations) {
      const texts = new Map(
        sessions.flatMap(({ messages }) => messages.map((one) => [one.dia_id, words(one.text)])),
      );
      const rare = (word: string): boolean =>
        word.length > 2 && [...texts.values()].filter((text) => text.has(word)).length <= 3;
      for (const { question, evidence } of qa)
        if (
          evidence.some((id) => [...words(question)].some((word) => texts.get(id)!.has(word) && rare(word)))
        )
          sharing++;
    }
    expect(sharing).toBeLessThanOrEqual(24);
  });
});
