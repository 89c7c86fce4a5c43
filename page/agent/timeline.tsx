// The log of an agent as it goes on. It stays at its end only while the person is there.

import { useSignal, useSignalEffect, type Signal } from "@preact/signals";
import type { ComponentChild, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Event } from "../../src/domain/event/event.ts";
import { LongText } from "../parts/long-text.tsx";
import { isFile } from "../connection/record.ts";
import { oneLine } from "../parts/shown.ts";
import type { ChosenBranch } from "./stems.ts";
import { callsOf } from "./calls.ts";
import { Entry, isMinor } from "./entry.tsx";
import { Prompt } from "./prompt.tsx";
import type { AgentRecord } from "./record.ts";
import { ReplayButton, ReplayVerdict, useReplay, withDifference } from "./replay.tsx";

/** So near to an end counts as there. */
const NEAR_PX = 48;
const NEXT_PX = 400;

interface TimelineProps {
  readonly agent: string;
  readonly record: AgentRecord;
  /** Which numbers lead to the newest event; empty: all. */
  readonly path: readonly (readonly [number, number])[];
  /** The branch that is looked at; `undefined`: the log as it goes on. */
  readonly chosen: Signal<ChosenBranch | undefined>;
}

export function Timeline({ agent, record, path, chosen }: TimelineProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const isWhole = useSignal(false);
  const isNext = useSignal(false);
  const replay = useReplay();
  const { stretch, follows } = record;
  const now = stretch.value;
  const isShort = useScrolling(box, record);
  const branch = useBranch(record, chosen, box);
  const entries = useEntries(agent, branch?.path ?? path);
  const isShown = (event: Event): boolean =>
    (isWhole.value || !isMinor(event)) && (!branch || leadsTo(branch, event.seq));
  const events = (now?.events ?? []).filter(isShown);
  const onScroll = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = box.current!;
    const below = scrollHeight - scrollTop - clientHeight;
    follows.value = below < NEAR_PX && !stretch.value?.hasNewer && !branch;
    if (scrollTop < NEXT_PX) void record.loadOlder();
    const isThere = branch && (stretch.value?.events.at(-1)?.seq ?? 0) >= branch.end;
    if (below < NEXT_PX && !isThere) void record.loadNewer();
  };
  return (
    <section class="timeline" aria-label="Timeline">
      {branch && <BranchBar end={branch.end} onLeave={() => (chosen.value = undefined)} />}
      <div
        class="scroll"
        ref={box}
        tabIndex={0}
        role="group"
        aria-label="Events, the newest at the end"
        onScroll={onScroll}
      >
        {now?.hasOlder && (
          <button type="button" class="quiet older" onClick={() => void record.loadOlder()}>
            {isShort ? "Older events" : "Reading older events…"}
          </button>
        )}
        {now && events.length === 0 && <p class="nobody">Nothing is recorded yet.</p>}
        <ol class="entries">{withDifference(entries(events, now?.events ?? []), events, replay)}</ol>
        {!now?.hasNewer && !branch && <LiveEntry record={record} />}
      </div>
      {isNext.value && <NextPrompt agent={agent} />}
      <ReplayVerdict replay={replay} record={record} />
      <div class="timeline-foot">
        <WholeBox isWhole={isWhole} />
        <NextButton isNext={isNext} />
        {!isFile && <ReplayButton agent={agent} replay={replay} />}
        <span class="spring" />
        {!follows.value && !branch && (
          <button type="button" onClick={() => void toEnd(record, box.current)}>
            ↓ To the newest
          </button>
        )}
      </div>
    </section>
  );
}

function WholeBox({ isWhole }: { readonly isWhole: Signal<boolean> }): JSX.Element {
  return (
    <label>
      <input
        type="checkbox"
        checked={isWhole.value}
        onChange={(event) => (isWhole.value = event.currentTarget.checked)}
      />{" "}
      Every event
    </label>
  );
}

function NextPrompt({ agent }: { readonly agent: string }): JSX.Element {
  return (
    <div class="next-prompt" tabIndex={0} role="group" aria-label="What it would be shown now">
      <Prompt agent={agent} />
    </div>
  );
}

function NextButton({ isNext }: { readonly isNext: Signal<boolean> }): JSX.Element {
  return (
    <button
      type="button"
      class="quiet"
      aria-expanded={isNext.value}
      onClick={() => (isNext.value = !isNext.value)}
    >
      What it would be shown now
    </button>
  );
}

async function toEnd(record: AgentRecord, box: HTMLElement | null): Promise<void> {
  if (record.stretch.value?.hasNewer) await record.toEnd();
  record.follows.value = true;
  box?.scrollTo({ top: box.scrollHeight });
  box?.focus();
}

/** Keeps what the person reads where it is, whatever is added before or behind it. Says whether all fits in sight. */
function useScrolling(box: { readonly current: HTMLDivElement | null }, record: AgentRecord): boolean {
  const before = useRef({ first: 0, height: 0, bottom: 0 });
  const events = record.stretch.value?.events ?? [];
  const first = events[0]?.seq ?? 0;
  void record.live.value;
  useLayoutEffect(() => {
    const { current } = box;
    if (!current) return;
    const { scrollTop, scrollHeight, clientHeight } = current;
    // A browser tells that it was scrolled only when it draws: what is drawn before that must not take the person back.
    const hasLeft = scrollTop < Math.min(before.current.bottom, scrollHeight - clientHeight) - NEAR_PX;
    if (record.follows.peek() && !hasLeft) current.scrollTop = scrollHeight;
    else if (first < before.current.first) current.scrollTop += scrollHeight - before.current.height;
    before.current = { first, height: scrollHeight, bottom: scrollHeight - clientHeight };
  });
  return before.current.bottom <= 0;
}

/** Goes where the chosen branch ends, and back to the newest event when it is left. */
function useBranch(
  record: AgentRecord,
  chosen: Signal<ChosenBranch | undefined>,
  box: { readonly current: HTMLDivElement | null },
): ChosenBranch | undefined {
  const before = useRef<ChosenBranch>(undefined);
  useSignalEffect(() => {
    const { value } = chosen;
    if (value === before.current) return;
    before.current = value;
    void (value ? record.toEvent(value.end) : record.toEnd()).then(() =>
      box.current?.scrollTo({ top: box.current.scrollHeight }),
    );
  });
  return chosen.value;
}

function BranchBar({ end, onLeave }: { readonly end: number; onLeave(): void }): JSX.Element {
  return (
    <p class="branch-bar" role="status">
      A branch that was left: what led to event {end}.
      <button type="button" onClick={onLeave}>
        Back to where it goes on
      </button>
    </p>
  );
}

/** What was made of an event is kept for as long as it is shown: an event does not change. */
function useEntries(
  agent: string,
  path: TimelineProps["path"],
): (events: readonly Event[], all: readonly Event[]) => readonly ComponentChild[] {
  const kept = useRef({ path, made: new Map<number, JSX.Element>() });
  if (kept.current.path !== path) kept.current = { path, made: new Map() };
  return (events, all) => {
    const calls = callsOf(all);
    const made = new Map<number, JSX.Element>();
    for (const event of events) {
      const call = calls.get(event.seq);
      const isLeft = !isOn(path, event.seq);
      const entry = kept.current.made.get(event.seq) ?? (
        <Entry key={event.seq} agent={agent} event={event} call={call} isLeft={isLeft} />
      );
      made.set(event.seq, entry);
    }
    kept.current.made = made;
    return [...made.values()];
  };
}

function leadsTo({ end, path }: ChosenBranch, seq: number): boolean {
  return seq <= end && isOn(path, seq);
}

/** What is newer than the path is on it. */
function isOn(path: TimelineProps["path"], seq: number): boolean {
  const end = path.at(-1)?.[1] ?? 0;
  return seq > end || path.some(([first, last]) => first <= seq && seq <= last);
}

function LiveEntry({ record }: { readonly record: AgentRecord }): JSX.Element | null {
  const { text = "", thoughts = "", calls = [], state } = record.live.value;
  const isAtWork = state === "thinking" || state === "acting" || state === "retrying";
  if (text === "" && thoughts === "" && calls.length === 0 && !isAtWork) return null;
  return (
    <div class="entry live">
      <div class="when">now</div>
      <div class="what">
        <p class="line">
          <b class="kind">{state ?? "live"}</b>
        </p>
        {thoughts !== "" && (
          <details class="thoughts">
            <summary>Thoughts</summary>
            <LongText text={thoughts} chars={6_000} />
          </details>
        )}
        {text !== "" && <LongText text={text} chars={6_000} />}
        {calls.map(({ call, action, phase, output }) => (
          <div class="call" key={call}>
            <code class="action">{oneLine(action)}</code> <span class="dim">{phase}</span>
            {output !== "" && <LongText text={output} chars={6_000} isCode />}
          </div>
        ))}
      </div>
    </div>
  );
}
