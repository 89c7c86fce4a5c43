// Who talks to whom, and what they say.

import { signal, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import { part } from "../connection/api.ts";
import { keepReading } from "../connection/reading.ts";
import { nameOf } from "../legion/overview.ts";
import { grouped } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { chosen } from "./filter.ts";
import { Graph } from "./graph.tsx";
import { Pairs } from "./pairs.tsx";
import { Stream } from "./stream.tsx";

type Talk = ReadingAnswer<"conversation">;

/** What was read last, whoever was chosen then. */
const latest = signal<Talk | undefined>(undefined);
const trouble = signal<string | null>(null);

export function Conversation(): JSX.Element {
  const of = chosen.value?.from;
  return (
    <main class="area">
      <div class="scroll talk" tabIndex={0} role="group" aria-label="Conversation">
        <h1 tabIndex={-1}>Conversation</h1>
        <Reading key={of} of={of} />
        {trouble.value !== null && <p class="trouble">{oneLine(trouble.value)}</p>}
        {latest.value && <Told talk={latest.value} />}
      </div>
    </main>
  );
}

/** Reads what the person wants to see; until it is there, they see what there was. */
function Reading({ of }: { readonly of: string | undefined }): null {
  const query = of === undefined ? "" : `?of=${part(of)}`;
  const talk = useMemo(() => keepReading<"conversation">(`/conversation${query}`), []);
  talk.use();
  useSignalEffect(() => {
    latest.value = talk.answer.value ?? latest.peek();
    trouble.value = talk.trouble.value;
  });
  return null;
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
            <p class="aside">{grouped(otherPairs)} more pairs, which said least, are left out.</p>
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
