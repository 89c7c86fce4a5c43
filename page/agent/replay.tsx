// An agent's past once more, as today would make it: identical, or the first difference, in its place in the timeline.

import { signal, type Signal } from "@preact/signals";
import type { ComponentChild, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import type { Event } from "../../src/domain/event/event.ts";
import { part, read, type Heard } from "../connection/api.ts";
import { count } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { LineChanges } from "./line-changes.tsx";
import type { AgentRecord } from "./record.ts";

type Difference = NonNullable<ReadingAnswer<"replay">["difference"]>;

/** `undefined`: none was asked for. */
export type Replay = Signal<Heard<ReadingAnswer<"replay">> | "running" | undefined>;

export function useReplay(): Replay {
  const replay = useRef<Replay>(undefined);
  return (replay.current ??= signal(undefined) as Replay);
}

interface ReplayProps {
  readonly agent: string;
  readonly replay: Replay;
}

export function ReplayButton({ agent, replay }: ReplayProps): JSX.Element {
  const run = async (): Promise<void> => {
    if (replay.value === "running") return;
    replay.value = "running";
    replay.value = await read<"replay">(`/agents/${part(agent)}/replay`);
  };
  return (
    <button
      type="button"
      class="quiet"
      title="Against its own record, as its definition and code of today would make it: nothing is asked, run or sent"
      disabled={replay.value === "running"}
      onClick={() => void run()}
    >
      {replay.value === "running" ? "Replaying…" : "Replay"}
    </button>
  );
}

export function ReplayVerdict({
  replay,
  record,
}: Pick<ReplayProps, "replay"> & { readonly record: AgentRecord }): JSX.Element | null {
  const { value } = replay;
  if (value === undefined || value === "running") return null;
  const difference = differenceIn(replay);
  const leave = (
    <button
      type="button"
      class="quiet"
      aria-label="Leave the replay"
      onClick={() => (replay.value = undefined)}
    >
      ×
    </button>
  );
  if (value.outcome !== "done")
    return (
      <p class="verdict trouble" role="alert">
        Not replayed: {oneLine(value.why)} {leave}
      </p>
    );
  const { decisions } = value.answer;
  if (!difference)
    return (
      <p class="verdict identical" role="status">
        ✓ {count(decisions, "decision")}, identical {leave}
      </p>
    );
  return (
    <p class="verdict differs" role="status">
      ✕ Differs at {oneLine(difference.part)}
      {decisions > 0 &&
        `; ${count(decisions, "decision")} before that ${decisions === 1 ? "is" : "are"} identical`}{" "}
      <button type="button" class="quiet" onClick={() => void record.toEvent(difference.seq)}>
        Show it at event {difference.seq}
      </button>{" "}
      {leave}
    </p>
  );
}

/** The entries of `events`, and the first difference behind the one that it was found at. */
export function withDifference(
  entries: readonly ComponentChild[],
  events: readonly Event[],
  replay: Replay,
): readonly ComponentChild[] {
  const difference = differenceIn(replay);
  const index = difference ? events.findLastIndex(({ seq }) => seq <= difference.seq) : -1;
  if (!difference || index < 0) return entries;
  const isBeyond = index === events.length - 1 && events[index]!.seq < difference.seq - 1;
  if (isBeyond) return entries;
  const place = <InPlace key="replay" difference={difference} />;
  return [...entries.slice(0, index + 1), place, ...entries.slice(index + 1)];
}

function InPlace({ difference }: { readonly difference: Difference }): JSX.Element {
  const box = useRef<HTMLLIElement>(null);
  useEffect(() => box.current?.scrollIntoView({ block: "center" }), []);
  return (
    <li class="replayed" ref={box}>
      <h2>Replay: {oneLine(difference.part)}</h2>
      <p class="dim">− as it was recorded · + as it would be today</p>
      <LineChanges before={difference.recorded} now={difference.today} whole="both" />
    </li>
  );
}

function differenceIn({ value }: Replay): Difference | null {
  return typeof value === "object" && value.outcome === "done" ? value.answer.difference : null;
}
