// What agents said to the person, and what could not be delivered.

import type { JSX } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import { nameOf } from "../legion/overview.ts";
import { LongText } from "../parts/long-text.tsx";
import { count, moment } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { addressOf, asOf, isLive } from "../place.ts";
import { LiveOnly } from "../time/live-only.tsx";
import { TimeLink } from "../time/time-link.tsx";
import { resend } from "./acts.ts";
import { Desk } from "./desk.tsx";
import { Outcomes } from "./outcomes.tsx";
import { dead, inbox, lookAtDead, lookAtInbox, markSeen, unread } from "./mailroom.ts";

const FIRST = 50;

type Letter = ReadingAnswer<"inbox">["messages"][number];
type Dead = ReadingAnswer<"dead">["letters"][number];

export function Inbox(): JSX.Element {
  const many = useSignal(FIRST);
  const to = useSignal<string | undefined>(undefined);
  const messages = inbox.value?.messages ?? [];
  const letters = dead.value ?? [];
  useEffect(() => {
    lookAtInbox();
    void lookAtDead();
  }, [asOf.value]);
  useEffect(markSeen);
  // Whoever replies writes next.
  useEffect(() => document.querySelector<HTMLElement>(".desk textarea")?.focus(), [to.value]);
  const newest = messages.slice(-many.value).toReversed();
  return (
    <main class="area">
      <div class="scroll" tabIndex={0} aria-label="Inbox">
        <h1 tabIndex={-1}>Inbox</h1>
        {unread.value !== null && <p class="trouble">{oneLine(unread.value)}</p>}
        {letters.length > 0 && <DeadLetters letters={letters} />}
        {inbox.value && messages.length === 0 && <p class="nobody">Nobody has said anything to you yet.</p>}
        <ol class="letters">
          {newest.map((letter) => (
            <Said key={letter.id} letter={letter} onReply={(id) => (to.value = id)} />
          ))}
        </ol>
        {messages.length > many.value && (
          <button type="button" onClick={() => (many.value += FIRST)}>
            Older ones ({messages.length - many.value})
          </button>
        )}
      </div>
      {to.value === undefined ? (
        <Outcomes />
      ) : (
        <Desk key={to.value} targets={[to.value]} onDone={() => (to.value = undefined)} />
      )}
    </main>
  );
}

/** `2` of `2>0#7`. */
function senderOf(letter: Letter): string {
  return letter.id.split(">")[0]!;
}

interface SaidProps {
  readonly letter: Letter;
  onReply(agent: string): void;
}

function Said({ letter, onReply }: SaidProps): JSX.Element {
  const sender = senderOf(letter);
  const isAgent = sender !== "0";
  const marks = marksOf(letter);
  return (
    <li class="letter">
      <header>
        {isAgent ? (
          <a href={addressOf({ area: "agent", agent: sender })}>{oneLine(nameOf(sender))}</a>
        ) : (
          <b>The runtime</b>
        )}
        <TimeLink at={letter.sentAt} />
        <span class="dim">{oneLine(letter.id)}</span>
        {marks !== "" && <span class="outside">{oneLine(marks)}</span>}
        <span class="spring" />
        <a href={addressOf({ area: "chain", message: letter.id })}>Chain</a>
        {isAgent && isLive.value && (
          <button type="button" class="quiet" onClick={() => onReply(sender)}>
            Reply
          </button>
        )}
      </header>
      {letter.receiptsToday && <Receipts receipts={letter.receiptsToday} />}
      <LongText text={letter.content} chars={2_000} />
    </li>
  );
}

/** Beside the words, and no judgement on them. Each opens its proof. */
function Receipts({ receipts }: { readonly receipts: NonNullable<Letter["receiptsToday"]> }): JSX.Element {
  return (
    <ul class="receipts" aria-label="Receipts">
      {receipts.map(({ agent, seq, verdict, why, today }) => (
        <li key={`${agent}.${seq}`} class={today.verdict}>
          {seq === 0 ? (
            "no receipt"
          ) : (
            <a href={addressOf({ area: "agent", agent, seq })}>{`#${oneLine(agent)}.${seq}`}</a>
          )}
          {` ${oneLine(wordFor({ verdict, why }))}`}
          {today.verdict !== verdict && `; today ${oneLine(wordFor(today))}`}
        </li>
      ))}
      {!receipts.some(({ verdict }) => verdict === "proven") && (
        <li class="unproven">unproven: no result that it cites was proven when it was sent</li>
      )}
    </ul>
  );
}

function wordFor({ verdict, why }: { readonly verdict: string; readonly why?: string | undefined }): string {
  return why ? `${verdict}, ${why}` : verdict;
}

function marksOf({ taint }: Letter): string {
  if (taint === true) return "after words from outside";
  return Array.isArray(taint) ? `after words from outside: ${taint.join(", ")}` : "";
}

function DeadLetters({ letters }: { readonly letters: readonly Dead[] }): JSX.Element {
  return (
    <section class="dead" aria-labelledby="dead">
      <header>
        <h2 id="dead">{count(letters.length, "message")} could not be delivered</h2>
        <LiveOnly>
          <button type="button" onClick={() => void again(letters.map(({ id }) => id))}>
            Send all again
          </button>
        </LiveOnly>
      </header>
      <ol class="letters">
        {letters.map(({ id, to, since, why, content }) => (
          <li class="letter" key={id}>
            <header>
              <b>{oneLine(id)}</b>
              <span>to {oneLine(to.map(nameOf).join(", "))}</span>
              <time dateTime={since}>{moment(since)}</time>
              <span class="spring" />
              <LiveOnly>
                <button type="button" onClick={() => void again([id])}>
                  Send again
                </button>
              </LiveOnly>
            </header>
            <p class="why">{oneLine(why)}</p>
            <LongText text={content} />
          </li>
        ))}
      </ol>
    </section>
  );
}

async function again(ids: readonly string[]): Promise<void> {
  await resend(ids);
  await lookAtDead();
}
