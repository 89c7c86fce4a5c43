// The whole legion: what it comes to, and each agent.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { AGENT_STATES } from "../../src/domain/inspection.ts";
import { Desk } from "../control/desk.tsx";
import { againstLimits, LimitBar, type Against } from "../parts/limit.tsx";
import { count, grouped, money, short } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { StateMark } from "../parts/state-mark.tsx";
import { Activity } from "./activity.tsx";
import * as choice from "./choice.ts";
import { COLUMNS } from "./columns.ts";
import { everyone, overview } from "./overview.ts";
import { AgentTable } from "./table.tsx";

export function Legion(): JSX.Element {
  const ids = choice.chosen.value;
  return (
    <main class="area legion">
      <h1 tabIndex={-1} class="unseen">
        Legion
      </h1>
      <Totals />
      <Finding />
      {overview.value && everyone.value.length === 0 ? (
        <p class="nobody">There are no agents yet. `legion start 3` makes some.</p>
      ) : (
        <AgentTable />
      )}
      <Desk targets={ids.length === 0 ? undefined : choice.targets()} onDone={choice.chooseNone} />
    </main>
  );
}

function Totals(): JSX.Element {
  const all = everyone.value;
  const sum = (value: (status: (typeof all)[number]) => number): number =>
    all.reduce((total, status) => total + value(status), 0);
  const isUnknown = all.some(({ cost }) => cost === null);
  const cost = sum((status) => status.cost ?? 0);
  const { nodes = [], servers = [], limits } = overview.value ?? {};
  const spent = { steps: sum((status) => status.steps), tokens: sum((status) => status.tokens), cost };
  const against = againstLimits(limits, spent);
  const of = (name: Against["name"]): Against | undefined => against.find((one) => one.name === name);
  return (
    <div class="totals">
      <div class="states" role="group" aria-label="Show only agents that are">
        {AGENT_STATES.map((state) => {
          const many = all.filter((status) => status.state === state).length;
          const isOn = choice.states.value.has(state);
          if (many === 0 && !isOn) return null;
          return (
            <button
              key={state}
              type="button"
              class="chip"
              aria-pressed={isOn}
              onClick={() => choice.toggleState(state)}
            >
              <StateMark state={state} /> <b>{grouped(many)}</b>
            </button>
          );
        })}
      </div>
      <dl class="sums">
        <Sum title="Agents" value={grouped(all.length)} />
        <Sum title="Steps" value={short(spent.steps)} against={of("steps")} />
        <Sum title="Tokens" value={short(spent.tokens)} against={of("tokens")} />
        <Sum
          title="Cost"
          value={isUnknown ? (cost > 0 ? `${money(cost)} + ?` : "?") : money(cost)}
          against={of("cost")}
        />
        <Sum title="Nodes" value={nodes.length === 0 ? "none" : nodes.map(oneLine).join(", ")} />
      </dl>
      <Activity />
      {servers.length > 0 && <Servers />}
    </div>
  );
}

interface SumProps {
  readonly title: string;
  readonly value: string;
  /** The limit that it stands under. */
  readonly against?: Against;
}

function Sum({ title, value, against }: SumProps): JSX.Element {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{against ? <LimitBar against={against} /> : value}</dd>
    </div>
  );
}

function Servers(): JSX.Element {
  const servers = overview.value?.servers ?? [];
  const ready = servers.filter(({ state }) => state === "ready").length;
  return (
    <details class="servers">
      <summary>
        {count(servers.length, "server")}, {grouped(ready)} ready
      </summary>
      <ul>
        {servers.map(({ name, node, state, reason, tools, withheld }) => (
          <li key={`${node} ${name}`}>
            <b>{oneLine(name)}</b> is {state}
            {tools !== null && `, ${count(tools, "tool")}`}
            {withheld.length > 0 && `, ${grouped(withheld.length)} withheld`}
            <span class="dim">
              {" "}
              {oneLine(node)} {oneLine(reason)}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Finding(): JSX.Element {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyping = (event.target as HTMLElement).matches("input, textarea, select");
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      box.current?.select();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const shown = choice.rows.value;
  const many = everyone.value.length;
  const ids = choice.chosen.value.length;
  return (
    <form class="finding" role="search" onSubmit={(event) => (event.preventDefault(), toFirst())}>
      <label>
        <span class="unseen">Find agents by id or text</span>
        <input
          ref={box}
          type="search"
          placeholder="Find by id or text  ( / )"
          spellcheck={false}
          autocomplete="off"
          value={choice.search.value}
          onInput={(event) => (choice.search.value = event.currentTarget.value)}
        />
      </label>
      <label class="narrow-only">
        Sort by{" "}
        <select
          value={choice.sorting.value.key}
          onChange={(event) => choice.sortBy(event.currentTarget.value)}
        >
          {COLUMNS.map(({ key, title }) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <span class="dim">
        {shown.length === many ? "" : `${grouped(shown.length)} of ${count(many, "agent")}`}
      </span>
      <span class="spring" />
      <button type="button" class="quiet" disabled={shown.length === 0} onClick={choice.chooseShown}>
        {ids > 0 && ids === shown.length ? "Choose none" : `Choose all ${grouped(shown.length)}`}
      </button>
    </form>
  );
}

/** Enter in the search goes to what it found. */
function toFirst(): void {
  choice.current.value = choice.rows.value[0]?.id;
  document.getElementById("agents")?.focus();
}
