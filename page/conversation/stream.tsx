// What is said, newest first.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { nameOf } from "../legion/overview.ts";
import { grouped, moment } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { addressOf } from "../place.ts";
import { chosen, isWanted } from "./filter.ts";
import { LetterLines, type Letter } from "./letter.tsx";

const FIRST = 50;
const ORDER = new Intl.Collator("en", { numeric: true });

interface StreamProps {
  readonly letters: readonly Letter[];
  /** Of those before some are missing; `null`: none are. */
  readonly since: string | null;
  readonly parties: readonly string[];
}

export function Stream({ letters, since, parties }: StreamProps): JSX.Element {
  const many = useSignal(FIRST);
  const wanted = letters.filter(isWanted);
  const shown = wanted.slice(0, many.value);
  const gap = since === null ? -1 : wanted.findIndex(({ at }) => at < since);
  return (
    <section aria-labelledby="said">
      <div class="saying">
        <h2 id="said">Messages</h2>
        <Choice parties={parties} />
        {wanted.length > 0 && (
          <span class="dim">
            {since === null ? "all" : "the newest"} {grouped(wanted.length)}
          </span>
        )}
      </div>
      {wanted.length === 0 && <p class="nobody">None of the messages that are kept here are theirs.</p>}
      <ol class="letters">
        {shown.map((letter, index) => (
          <li class="letter" key={`${letter.event.agent} ${letter.event.seq} ${letter.id}`}>
            {index === gap && (
              <p class="gap">Of what was said before {moment(since!)} some is missing here.</p>
            )}
            <LetterLines letter={letter}>
              <a href={addressOf({ area: "chain", message: letter.id })}>Chain</a>
            </LetterLines>
          </li>
        ))}
      </ol>
      {wanted.length > many.value && (
        <button type="button" onClick={() => (many.value += FIRST)}>
          Older ones ({grouped(wanted.length - many.value)})
        </button>
      )}
    </section>
  );
}

/** Whose messages are shown. */
function Choice({ parties }: Pick<StreamProps, "parties">): JSX.Element {
  const { value } = chosen;
  const choose = (id: string): void => void (chosen.value = id === "" ? undefined : { from: id });
  return (
    <>
      <label>
        of{" "}
        <select
          value={value === undefined || value.to !== undefined ? "" : value.from}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          <option value="">{value?.to === undefined ? "everybody" : "this pair"}</option>
          {parties.toSorted(ORDER.compare).map((id) => (
            <option key={id} value={id}>
              {oneLine(nameOf(id))}
            </option>
          ))}
        </select>
      </label>
      {value && (
        <button type="button" class="chip" onClick={() => choose("")}>
          {value.to === undefined
            ? `Only ${oneLine(nameOf(value.from))}`
            : `Only ${oneLine(nameOf(value.from))} → ${oneLine(nameOf(value.to))}`}
          <span aria-hidden="true">✕</span>
          <span class="unseen">: show all again</span>
        </button>
      )}
    </>
  );
}
