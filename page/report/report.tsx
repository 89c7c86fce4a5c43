// What happened while the person did not look, on one page: what matters most first.

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { keepReading } from "../connection/reading.ts";
import { isFile } from "../connection/record.ts";
import { count, moment, short } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { Asked, Changed, Command, Odd, STATES, Waiting, spentWords, type Told } from "./items.tsx";

const HOUR_MS = 3_600_000;
/** In hours; none: all that is recorded. */
const SPANS = { "8 hours": 8, "24 hours": 24, "7 days": 168, "all of it": undefined } as const;
type SpanName = keyof typeof SPANS;

/** Why it is not known what commands changed: each once. */
const MOST_REASONS = 3;

const chosen = signal<SpanName>("24 hours");
const report = keepReading<"report">(pathNow);

/** A file has one report alone. */
function pathNow(): string {
  const hours = SPANS[chosen.value];
  if (isFile || hours === undefined) return "/report";
  return `/report?since=${new Date(Date.now() - hours * HOUR_MS).toISOString()}`;
}

export function Report(): JSX.Element {
  report.use();
  const told = report.answer.value;
  return (
    <main class="area">
      <div class="scroll" tabIndex={0} aria-label="Report">
        <div class="report">
          <div class="span">
            <h1 tabIndex={-1}>{told ? title(told) : "Report"}</h1>
            {!isFile && <Spans />}
          </div>
          {report.trouble.value !== null && <p class="trouble">{oneLine(report.trouble.value)}</p>}
          {told && <Parts told={told} />}
        </div>
      </div>
    </main>
  );
}

function title({ since, until }: Told): string {
  if (since === null) return `All that is recorded, until ${moment(until)}`;
  return `Since ${moment(since)}, until ${moment(until)}`;
}

function Spans(): JSX.Element {
  return (
    <label>
      <span class="unseen">How far back</span>
      <select
        value={chosen.value}
        onChange={(event) => {
          chosen.value = event.currentTarget.value as SpanName;
          report.again();
        }}
      >
        {Object.keys(SPANS).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

function Parts({ told }: { readonly told: Told }): JSX.Element {
  const { waiting, asked, odd, changed, commands } = told;
  // Else it would be said of each that it is not.
  const isAnyKnown = commands.items.some(({ files }) => files !== null);
  return (
    <>
      <p class="sums">{sums(told)}</p>
      <Part name="Waits for you" group={waiting} show={(item) => <Waiting item={item} />} />
      <Part name="What was asked" group={asked} show={(item) => <Asked item={item} />} />
      <Part name="What was odd" group={odd} show={(item) => <Odd item={item} />} />
      <Part name="Files that were changed" group={changed} show={(item) => <Changed item={item} />} />
      <Part
        name="Commands"
        group={commands}
        show={(item) => <Command item={item} isAnyKnown={isAnyKnown} />}
      />
      {commands.total > 0 && !isAnyKnown && <p class="dim">What they changed is not known.</p>}
      {[...new Set(commands.items.flatMap(({ unknown }) => unknown ?? []))]
        .slice(0, MOST_REASONS)
        .map((why) => (
          <p key={why} class="dim">
            not known: {oneLine(why)}
          </p>
        ))}
    </>
  );
}

interface PartProps<T> {
  readonly name: string;
  readonly group: { readonly items: readonly T[]; readonly total: number; readonly isMore: boolean };
  readonly show: (item: T) => JSX.Element;
}

function Part<T>({ name, group: { items, total, isMore }, show }: PartProps<T>): JSX.Element {
  if (total === 0) return <p class="sums dim">{name}: nothing.</p>;
  const more = total - items.length;
  const least = isMore ? "at least " : "";
  return (
    <section aria-label={name}>
      <h2>
        {name} ({least}
        {total})
      </h2>
      <ol>
        {items.map((item, index) => (
          <li key={index}>{show(item)}</li>
        ))}
        {more > 0 && (
          <li class="dim">
            and {least}
            {more} more: <code class="way">legion report --all</code>
          </li>
        )}
      </ol>
    </section>
  );
}

function sums({ states, agents, worked, spent }: Told): string {
  const parts = Object.entries(STATES).flatMap(([state, [words]]) => {
    const many = states[state as keyof typeof STATES];
    return many ? [`${many} ${words}`] : [];
  });
  const asked = Object.values(states).reduce((sum, many) => sum + many, 0);
  const total = asked === 0 ? "Nothing was asked." : `${asked} asked: ${parts.join(", ")}.`;
  if (spent.steps === 0) return total;
  const all = [...spentWords(spent), `${short(spent.tokens)} tokens`];
  return `${total} ${worked} of ${count(agents, "agent")} worked: ${all.join(", ")}.`;
}
