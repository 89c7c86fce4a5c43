// What the model was shown, or would be shown now: part by part, what is different from the prompt before, and what the call came to.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import { part, read, type Heard } from "../connection/api.ts";
import { LongText } from "../parts/long-text.tsx";
import { count, grouped, money } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { LineChanges } from "./line-changes.tsx";

type Shown = ReadingAnswer<"prompt">;
type Part = Shown["parts"][number];

/** @param at an event; absent: what would be shown now */
export function Prompt({ agent, at }: { readonly agent: string; readonly at?: number }): JSX.Element {
  const heard = useSignal<Heard<Shown> | undefined>(undefined);
  useEffect(() => {
    const query = at === undefined ? "" : `?at=${at}`;
    void read<"prompt">(`/agents/${part(agent)}/prompt${query}`).then((found) => (heard.value = found));
  }, []);
  const { value } = heard;
  return (
    <section class="prompt" aria-label={at === undefined ? "The prompt now" : `The prompt at event ${at}`}>
      {!value && <p class="dim">Reading…</p>}
      {value && value.outcome !== "done" && <p class="trouble">{oneLine(value.why)}</p>}
      {value?.outcome === "done" && <Parts shown={value.answer} asked={at} />}
    </section>
  );
}

function Parts({ shown, asked }: { readonly shown: Shown; readonly asked: number | undefined }): JSX.Element {
  const { at, before, parts, gone, call } = shown;
  const all = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const cached = call ? servedFrom(parts, call) : 0;
  const groups = groupsOf(parts);
  return (
    <>
      <p>
        {at === null ? "It would be shown" : "It was shown"} about <b>{count(all, "token")}</b>
        {at !== null && at !== asked && ` for event ${at}, the newest prompt by then`}, in this order.{" "}
        {differenceWords(shown)}
      </p>
      {call && <CallWords call={call} />}
      {groups.map(({ start, parts: some }) => (
        <div key={start}>
          <Group parts={some} all={all} isFirst={before === null} />
          {start < cached && cached <= start + some.length && (
            <p class="cache-end">↑ about so far the provider's cache served it</p>
          )}
        </div>
      ))}
      {gone.length > 0 && (
        <details>
          <summary class="gone">
            <span class="tag o-error">− no more</span> {count(gone.length, "part")} of the prompt before
          </summary>
          {gone.map(({ title, text }, index) => (
            <div key={index}>
              <b>{oneLine(title)}</b>
              <LongText text={text} chars={2_000} isCode />
            </div>
          ))}
        </details>
      )}
    </>
  );
}

function differenceWords({ before, parts, gone }: Shown): string {
  if (before === null) return "There is no prompt before it to compare it with.";
  const many = (change: Part["change"]): number => parts.filter((one) => one.change === change).length;
  const words = [
    many("changed") > 0 && `${many("changed")} changed`,
    many("new") > 0 && `${many("new")} new`,
    gone.length > 0 && `${gone.length} no more`,
  ].filter(Boolean);
  return `Against the prompt of event ${before}: ${words.join(", ") || "all the same"}.`;
}

function CallWords({ call }: { readonly call: NonNullable<Shown["call"]> }): JSX.Element {
  const { model, input, output, cacheRead, cacheWrite, cost } = call;
  return (
    <dl class="sums call-sums">
      <Came title="Model" value={oneLine(model)} />
      <Came title="Tokens in" value={grouped(input)} />
      <Came
        title="from the cache"
        value={cacheRead > 0 ? `${grouped(cacheRead)} (${percent(cacheRead, input)})` : "none"}
      />
      {cacheWrite > 0 && <Came title="put into the cache" value={grouped(cacheWrite)} />}
      <Came title="read anew" value={grouped(Math.max(0, input - cacheRead))} />
      <Came title="out" value={grouped(output)} />
      {cost !== null && <Came title="cost" value={money(cost)} />}
    </dl>
  );
}

function Came({ title, value }: { readonly title: string; readonly value: string }): JSX.Element {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function percent(some: number, all: number): string {
  return `${Math.round((100 * some) / Math.max(all, 1))}%`;
}

/** How many parts from the first on lie within what the cache served, as far as estimates tell. */
function servedFrom(parts: readonly Part[], { cacheRead, input }: NonNullable<Shown["call"]>): number {
  const all = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const served = cacheRead === 0 ? 0 : (all * cacheRead) / Math.max(input, 1);
  let end = 0;
  const first = parts.findIndex(({ tokens }) => (end += tokens) > served * 1.02);
  return first === -1 ? parts.length : first;
}

const CHANGES = {
  same: ["=", "same"],
  changed: ["~", "changed"],
  new: ["+", "new"],
} as const;

/** So many parts after one another that are as they were are one line. */
const MANY = 4;

interface PartGroup {
  /** The index of the first. */
  readonly start: number;
  readonly parts: readonly Part[];
}

function isTool(title: string): boolean {
  return title.startsWith("Tool ");
}

/** Tools that are the same, and turns that are the same, are told together. */
function groupsOf(parts: readonly Part[]): readonly PartGroup[] {
  const kindOf = ({ title, change }: Part): string => (isTool(title) ? "tools" : "turns") + change;
  const groups: { start: number; parts: Part[] }[] = [];
  for (const [start, one] of parts.entries()) {
    const last = groups.at(-1);
    const isAlone = one.title === "System" || one.title === "Pinned messages" || one.change === "changed";
    const before = last?.parts[0];
    if (last && before && !isAlone && before.title !== "System" && kindOf(before) === kindOf(one))
      last.parts.push(one);
    else groups.push({ start, parts: [one] });
  }
  return groups.flatMap((group) => {
    const [first] = group.parts;
    const isTold = group.parts.length >= MANY && (first!.change === "same" || isTool(first!.title));
    return isTold ? [group] : group.parts.map((one, at) => ({ start: group.start + at, parts: [one] }));
  });
}

function Group({ parts, all, isFirst }: GroupProps): JSX.Element {
  const [first] = parts;
  if (parts.length === 1) return <PartOf part={first!} all={all} isFirst={isFirst} />;
  const tokens = parts.reduce((sum, one) => sum + one.tokens, 0);
  const what = isTool(first!.title) ? "tool" : "turn";
  return (
    <details class="group">
      <Heading title={count(parts.length, what)} change={first!.change} {...{ tokens, all, isFirst }} />
      {parts.map((part, index) => (
        <PartOf key={index} part={part} all={all} isFirst={isFirst} />
      ))}
    </details>
  );
}

interface GroupProps extends Omit<PartProps, "part"> {
  readonly parts: readonly Part[];
}

interface HeadingProps extends Omit<PartProps, "part">, Pick<Part, "title" | "tokens" | "change"> {}

function Heading({ title, tokens, change, all, isFirst }: HeadingProps): JSX.Element {
  const [sign, words] = CHANGES[change];
  return (
    <summary>
      <span class="part-title">{oneLine(title)}</span>
      <span class="part-change">
        {!isFirst && (
          <span class={`tag change-${change}`}>
            <span aria-hidden="true">{sign} </span>
            {words}
          </span>
        )}
      </span>
      <span class="dim part-tokens">{count(tokens, "token")}</span>
      <span class="share" aria-hidden="true">
        <span style={{ width: `${(100 * tokens) / Math.max(all, 1)}%` }} />
      </span>
    </summary>
  );
}

interface PartProps {
  readonly part: Part;
  readonly all: number;
  /** There is nothing to compare it with. */
  readonly isFirst: boolean;
}

function PartOf({ part: one, all, isFirst }: PartProps): JSX.Element {
  const { title, text, tokens, change } = one;
  const isOpen = useSignal(false);
  return (
    <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <Heading {...{ title, tokens, change, all, isFirst }} />
      {isOpen.value && one.change === "changed" && <LineChanges before={one.was} now={text} />}
      {isOpen.value && one.change !== "changed" && <LongText text={text} chars={8_000} isCode />}
    </details>
  );
}
