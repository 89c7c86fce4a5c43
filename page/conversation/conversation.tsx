// Who talks to whom, and what they say.

import type { JSX } from "preact";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import { keepReading } from "../connection/reading.ts";
import { nameOf } from "../legion/overview.ts";
import { grouped } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { Graph } from "./graph.tsx";
import { Pairs } from "./pairs.tsx";
import { Stream } from "./stream.tsx";

type Talk = ReadingAnswer<"conversation">;

const talk = keepReading<"conversation">("/conversation");

export function Conversation(): JSX.Element {
  talk.use();
  return (
    <main class="area">
      <div class="scroll talk" tabIndex={0} role="group" aria-label="Conversation">
        <h1 tabIndex={-1}>Conversation</h1>
        {talk.trouble.value !== null && <p class="trouble">{oneLine(talk.trouble.value)}</p>}
        {talk.answer.value && <Told talk={talk.answer.value} />}
      </div>
    </main>
  );
}

function Told({
  talk: { pairs, otherPairs, messages, since, unread },
}: {
  readonly talk: Talk;
}): JSX.Element {
  const parties = [...new Set(pairs.flatMap(({ from, to }) => [from, to]))];
  return (
    <>
      <Unread unread={unread} />
      {pairs.length === 0 ? (
        <p class="nobody">Nobody has said anything yet.</p>
      ) : (
        <>
          <div class="who">
            <Graph pairs={pairs} />
            <Pairs pairs={pairs} />
          </div>
          {otherPairs > 0 && (
            <p class="aside">{grouped(otherPairs)} more pairs say least and are left out.</p>
          )}
          <Stream letters={messages} since={since} parties={parties} />
        </>
      )}
    </>
  );
}

export function Unread({ unread }: Pick<Talk, "unread">): JSX.Element {
  return (
    <>
      {unread.map(({ agent, why }) => (
        <p key={agent} class="trouble">
          What {oneLine(nameOf(agent))} said is missing: {oneLine(why)}
        </p>
      ))}
    </>
  );
}
