// Which past is compared with which: of an agent here or of a run, up to the end of one of its branches.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import { part, read } from "../connection/api.ts";
import { everyone, nameOf } from "../legion/overview.ts";
import { count } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { open } from "../place.ts";
import { isWhole, writeSides, type Side, type Sides } from "./sides.ts";

type Runs = ReadingAnswer<"runs">;

export function Choose({ sides }: { readonly sides: Sides }): JSX.Element {
  const chosen = useSignal(sides);
  const runs = useSignal<Runs | undefined>(undefined);
  useEffect(() => {
    void read<"runs">("/runs").then((heard) => {
      if (heard.outcome === "done") runs.value = heard.answer;
    });
  }, []);
  const { one, other } = chosen.value;
  const compare = (event: Event): void => {
    event.preventDefault();
    if (isWhole(chosen.value)) open({ area: "differences", sides: writeSides(chosen.value) });
  };
  return (
    <form class="choose" onSubmit={compare}>
      <ChooseSide
        words="One"
        side={one}
        runs={runs.value}
        onChoice={(side) => (chosen.value = { one: side, other })}
      />
      <ChooseSide
        words="The other"
        side={other}
        runs={runs.value}
        onChoice={(side) => (chosen.value = { one, other: side })}
      />
      <button type="submit" class="main" disabled={!isWhole(chosen.value)}>
        Compare
      </button>
    </form>
  );
}

interface ChooseSideProps {
  readonly words: string;
  readonly side: Side;
  readonly runs: Runs | undefined;
  onChoice(side: Side): void;
}

function ChooseSide({ words, side, runs, onChoice }: ChooseSideProps): JSX.Element {
  const { agent, at, run } = side;
  const ends = useEnds(side);
  const all = runs?.runs ?? [];
  const here = everyone.value.map(({ id }) => id);
  const ids = run === "" ? here : (all.find(({ name }) => name === run)?.agents ?? []);
  const turnTo = (name: string): void => {
    const [first = ""] = all.find((known) => known.name === name)?.agents ?? [];
    onChoice({ run: name, agent: first, at: "" });
  };
  return (
    <fieldset>
      <legend>{words}</legend>
      <label>
        of{" "}
        <select value={run} onChange={(event) => turnTo(event.currentTarget.value)}>
          <option value="">this legion</option>
          {withChosen(
            all.map(({ name }) => name),
            run,
          ).map((name) => (
            <option key={name} value={name}>
              run {oneLine(name)}
            </option>
          ))}
        </select>
      </label>{" "}
      <label>
        agent{" "}
        <select
          value={agent}
          onChange={(event) => onChoice({ run, agent: event.currentTarget.value, at: "" })}
        >
          <option value="">choose one</option>
          {withChosen(ids, agent).map((id) => (
            <option key={id} value={id}>
              {oneLine(run === "" ? nameOf(id) : id)}
            </option>
          ))}
        </select>
      </label>{" "}
      <label>
        up to{" "}
        <select value={at} onChange={(event) => onChoice({ run, agent, at: event.currentTarget.value })}>
          <option value="">its newest event</option>
          {ends.map(({ seq, from }) => (
            <option key={seq} value={String(seq)}>
              event {seq}, then it went on from {from}
            </option>
          ))}
          {at !== "" && !ends.some(({ seq }) => String(seq) === at) && <option value={at}>event {at}</option>}
        </select>
      </label>
      {runs && runs.more > 0 && (
        <p class="dim">{count(runs.more, "older run")} can be named in the address.</p>
      )}
    </fieldset>
  );
}

function withChosen(names: readonly string[], chosen: string): readonly string[] {
  return chosen === "" || names.includes(chosen) ? names : [...names, chosen];
}

interface End {
  readonly seq: number;
  /** What the agent went on from instead. */
  readonly from: number;
}

/** Where branches of an agent end that were left. */
function useEnds({ agent, run }: Side): readonly End[] {
  const ends = useSignal<readonly End[]>([]);
  useEffect(() => {
    ends.value = [];
    if (agent === "" || run !== "") return undefined;
    let isGone = false;
    void read<"agent">(`/agents/${part(agent)}`).then((heard) => {
      if (isGone || heard.outcome !== "done") return;
      const { branches } = heard.answer;
      ends.value = branches
        .map(({ seq, to }) => ({ seq: seq - 1, from: to }))
        .filter(({ seq, from }) => seq > from);
    });
    return () => void (isGone = true);
  }, [agent, run]);
  return ends.value;
}
