// The long-term memories that an agent reaches: what they come to, their newest entries, and what some words find there.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import { displayName, isAgentId } from "../../src/domain/message/message.ts";
import { part, read, type Heard } from "../connection/api.ts";
import { isFile } from "../connection/record.ts";
import { LongText } from "../parts/long-text.tsx";
import { now } from "../parts/now.ts";
import { age, count, grouped, moment } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";

type Memory = ReadingAnswer<"memory">["memories"][number];

export function Memories({ agent }: { readonly agent: string }): JSX.Element {
  const heard = useSignal<Heard<ReadingAnswer<"memory">> | undefined>(undefined);
  const words = useSignal("");
  const asked = useSignal("");
  const look = async (find: string): Promise<void> => {
    const query = find === "" ? "" : `?find=${part(find)}`;
    const found = await read<"memory">(`/agents/${part(agent)}/memory${query}`);
    [asked.value, heard.value] = [find, found];
  };
  useEffect(() => void look(""), []);
  const { value } = heard;
  return (
    <section class="memories" aria-label="Long-term memory">
      {!isFile && (
        <form
          role="search"
          onSubmit={(event) => {
            event.preventDefault();
            void look(words.value.trim());
          }}
        >
          <label>
            <span class="unseen">Find in its memory by words; empty: the newest</span>
            <input
              type="search"
              placeholder="Find by words"
              autocomplete="off"
              value={words.value}
              onInput={(event) => (words.value = event.currentTarget.value)}
            />
          </label>
          <button type="submit">Find</button>
        </form>
      )}
      {!value && <p class="dim">Reading…</p>}
      {value && value.outcome !== "done" && <p class="trouble">{oneLine(value.why)}</p>}
      {value?.outcome === "done" &&
        value.answer.memories.map((memory) => (
          <MemoryOf key={memory.memory} memory={memory} asked={asked.value} />
        ))}
    </section>
  );
}

function MemoryOf({ memory, asked }: { readonly memory: Memory; readonly asked: string }): JSX.Element {
  const { memory: id, entries, at, keeper, context, found, problem } = memory;
  return (
    <>
      <h3>{oneLine(id)}</h3>
      {problem === null ? (
        <p class="dim">
          {entries === 0 ? "no entries yet" : count(entries, "entry").replace(/ys$/, "ies")}
          {at !== null && `, newest ${age(at, now.value)} ago`}
          {keeper !== null && `, kept by ${speakerName(keeper)}`}
        </p>
      ) : (
        <p class="trouble">{oneLine(problem)}</p>
      )}
      {context && (
        <details>
          <summary>
            Context{" "}
            <span class="dim">
              by {speakerName(context.by)}, {moment(context.at)}
            </span>
          </summary>
          <Outside sources={context.outside} />
          <LongText text={context.content} chars={5_000} />
        </details>
      )}
      {asked !== "" && problem === null && (
        <p class="dim">
          {found.length === 0 ? "Nothing" : count(found.length, "entry").replace(/ys$/, "ies")} found for “
          {oneLine(asked)}”
        </p>
      )}
      <ol>
        {found.map((entry) => (
          <li key={entry.seq} class="remembered">
            <p class="line dim">
              <span>#{entry.seq}</span> <time dateTime={entry.said}>{moment(entry.said)}</time>
              <b>{speakerName(entry.speaker)}</b>
              {Object.entries(entry.tags).map(([name, value]) => (
                <span class="tag" key={name}>
                  {oneLine(`${name}=${value}`)}
                </span>
              ))}
              <Outside sources={entry.outside} />
            </p>
            <LongText text={entry.text || "(empty)"} chars={300} />
            {entry.cut > 0 && <p class="dim">{grouped(entry.cut)} more characters are not shown</p>}
          </li>
        ))}
      </ol>
    </>
  );
}

function Outside({ sources }: { readonly sources: readonly string[] }): JSX.Element | null {
  if (sources.length === 0) return null;
  return <span class="tag outside">after words from outside: {oneLine(sources.join(", "))}</span>;
}

/** Agents are called what they are called everywhere. */
function speakerName(speaker: string): string {
  return isAgentId(speaker) || speaker === "0" ? displayName(speaker) : oneLine(speaker);
}
