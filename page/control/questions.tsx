// Calls that wait for the person's word.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import { callLines } from "../../src/domain/policy/question-text.ts";
import type { Question } from "../../src/domain/policy/verdict.ts";
import { nameOf } from "../legion/overview.ts";
import { LongText } from "../parts/long-text.tsx";
import { now } from "../parts/now.ts";
import { age, moment } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { addressOf } from "../place.ts";
import { LiveOnly } from "../time/live-only.tsx";
import { answer } from "./acts.ts";
import { lookAtQuestions, questions, unread } from "./mailroom.ts";
import { Outcomes } from "./outcomes.tsx";

type Open = ReadingAnswer<"questions">["questions"][number] & Partial<Question>;

export function Questions(): JSX.Element {
  useEffect(lookAtQuestions, []);
  return (
    <main class="area">
      <div class="scroll" tabIndex={0} aria-label="Questions">
        <h1 tabIndex={-1}>Questions</h1>
        {unread.value !== null && <p class="trouble">{oneLine(unread.value)}</p>}
        {questions.value.length === 0 && <p class="nobody">No agent waits for your word.</p>}
        {questions.value.map((question) => (
          <Asked key={question.id} question={question} />
        ))}
      </div>
      <Outcomes />
    </main>
  );
}

/** Those of one agent, where it stands. */
export function QuestionsOf({ agent }: { readonly agent: string }): JSX.Element {
  return (
    <>
      {questions.value
        .filter((question) => question.agent === agent)
        .map((question) => (
          <Asked key={question.id} question={question} />
        ))}
    </>
  );
}

function Asked({ question }: { readonly question: Open }): JSX.Element {
  const { id, agent, action, since, rule, taint } = question;
  return (
    <section class="question" aria-label={`Question ${id}`}>
      <h2>
        <a href={addressOf({ area: "agent", agent })}>{oneLine(nameOf(agent))}</a> asks {oneLine(id)}: may I
        call <code>{oneLine(action)}</code>?
      </h2>
      <LongText text={wouldDo(question)} chars={4_000} isCode />
      <p class="dim">
        {rule !== undefined && `because of ${oneLine(rule)}; `}
        asked {moment(since)}, {age(since, now.value)} ago
        {question.expires !== undefined &&
          `; without an answer it is a no from ${moment(question.expires)} on`}
      </p>
      {taint && taint.length > 0 && (
        <p class="outside">after words from outside: {oneLine(taint.join(", "))}</p>
      )}
      {question.isAnswered ? (
        <p>Answered; the agent has not seen that yet.</p>
      ) : (
        <LiveOnly>
          <Answering id={id} />
        </LiveOnly>
      )}
    </section>
  );
}

function Answering({ id }: { readonly id: string }): JSX.Element {
  const reason = useSignal("");
  const isSent = useSignal(false);
  const say = async (verdict: "approved" | "denied"): Promise<void> => {
    if (isSent.value) return;
    isSent.value = true;
    await answer(id, verdict, reason.value.trim());
    isSent.value = false;
    lookAtQuestions();
  };
  return (
    <form class="answering" onSubmit={(event) => (event.preventDefault(), void say("denied"))}>
      <button type="button" class="main" disabled={isSent.value} onClick={() => void say("approved")}>
        Approve
      </button>
      <label>
        <span class="unseen">Why not, for the agent</span>
        <input
          type="text"
          placeholder="why not, for the agent"
          value={reason.value}
          onInput={(event) => (reason.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={isSent.value}>
        Deny
      </button>
    </form>
  );
}

/** What the call would do, in the words of the terminal. */
function wouldDo({ touches = [], besides = [], parameters, action, rule = "" }: Open): string {
  const lines = callLines({ action, touches, besides, rule, parameters }, "whole");
  return lines.map((line) => line.trimStart()).join("\n");
}
