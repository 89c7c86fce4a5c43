// What the model was shown for a decision.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import { part, read, type Heard } from "../connection/api.ts";
import { LongText } from "../parts/long-text.tsx";
import { count } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";

export function Prompt({ agent, at }: { readonly agent: string; readonly at: number }): JSX.Element {
  const heard = useSignal<Heard<ReadingAnswer<"prompt">> | undefined>(undefined);
  useEffect(() => {
    void read<"prompt">(`/agents/${part(agent)}/prompt?at=${at}`).then((found) => (heard.value = found));
  }, []);
  const { value } = heard;
  if (!value) return <p class="dim">Reading…</p>;
  if (value.outcome !== "done") return <p class="trouble">{oneLine(value.why)}</p>;
  const { parts } = value.answer;
  const all = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  return (
    <section class="prompt" aria-label="The prompt it was shown">
      <p class="dim">It was shown about {count(all, "token")}, in this order:</p>
      {parts.map(({ title, text, tokens }, index) => (
        <details key={index}>
          <summary>
            {oneLine(title)} <span class="dim">{count(tokens, "token")}</span>
            <span class="share" aria-hidden="true">
              <span style={{ width: `${(100 * tokens) / Math.max(all, 1)}%` }} />
            </span>
          </summary>
          <LongText text={text} chars={8_000} isCode />
        </details>
      ))}
    </section>
  );
}
