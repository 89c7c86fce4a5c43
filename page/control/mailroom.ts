// What waits for the person: their inbox, dead letters and open questions. They are read again when agents have moved on, and
// not while nothing happens.

import { effect, signal } from "@preact/signals";
import type { LookedUp, ReadingAnswer } from "../../src/control/api/readings.ts";
import { read } from "../connection/api.ts";
import { asked, changes } from "../legion/overview.ts";
import { announce } from "../parts/announce.tsx";
import { count } from "../parts/numbers.ts";
import { asOf, place } from "../place.ts";

export const inbox = signal<ReadingAnswer<"inbox"> | undefined>(undefined);
/** `undefined`: nobody has looked; every log is read for it. */
export const dead = signal<ReadingAnswer<"dead">["letters"] | undefined>(undefined);
export const questions = signal<ReadingAnswer<"questions">["questions"]>([]);
/** Why one of them could not be read; `null`: they were. */
export const unread = signal<string | null>(null);

const SEEN = "legion-inbox-seen";
/** When the newest message was said that the person has had before them. */
export const seenUntil = signal(sessionStorage.getItem(SEEN) ?? "");

/** So long apart while the person looks at it, and while they do not. */
const LOOKED_AT_MS = 1_000;
const ASIDE_MS = 4_000;

export const lookAtInbox = createLook<"inbox">("inbox", "/inbox", (answer) => {
  const before = asOf.peek() === undefined ? inbox.peek()?.messages.length : undefined;
  inbox.value = answer;
  const more = answer.messages.length - (before ?? answer.messages.length);
  if (more > 0) announce(`${count(more, "new message")} in your inbox`);
});

export const lookAtQuestions = createLook<"questions">("questions", "/questions", (answer) => {
  questions.value = answer.questions;
});

export async function lookAtDead(): Promise<void> {
  const heard = await read<"dead">("/dead");
  if (heard.outcome === "done") dead.value = heard.answer.letters;
  else unread.value = heard.why;
}

export function keepMailroom(): void {
  effect(() => {
    void asked.value;
    void asOf.value;
    lookAtQuestions();
  });
  effect(() => {
    void changes.value;
    void asOf.value;
    lookAtInbox();
  });
}

export function markSeen(): void {
  const newest = inbox.peek()?.messages.at(-1)?.sentAt ?? "";
  if (newest <= seenUntil.peek() || asOf.peek() !== undefined) return;
  seenUntil.value = newest;
  sessionStorage.setItem(SEEN, newest);
}

/** One look at a time; what is asked for meanwhile is one more look afterwards. */
function createLook<K extends LookedUp>(
  area: "inbox" | "questions",
  path: string,
  take: (answer: ReadingAnswer<K>) => void,
): () => void {
  let state: "at rest" | "looking" | "again" = "at rest";
  const look = async (): Promise<void> => {
    state = "looking";
    const heard = await read<K>(path);
    if (heard.outcome === "done") take(heard.answer);
    unread.value = heard.outcome === "done" ? null : heard.why;
    const apartMs = area === "questions" || place.peek().area === area ? LOOKED_AT_MS : ASIDE_MS;
    setTimeout(() => {
      if (state === "again") void look();
      else state = "at rest";
    }, apartMs);
  };
  return () => {
    if (state === "at rest") void look();
    else state = "again";
  };
}
