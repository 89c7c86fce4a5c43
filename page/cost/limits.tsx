// What may be spent, and what of it is: by the legion, by the person's agents everywhere, and by each agent that is near its end.

import type { JSX } from "preact";
import { Outcomes } from "../control/outcomes.tsx";
import { Raise } from "../control/raise.tsx";
import { keepReading } from "../connection/reading.ts";
import { limitsOf } from "../legion/columns.ts";
import { everyone, overview } from "../legion/overview.ts";
import { againstLimits, LimitBar, type Against } from "../parts/limit.tsx";
import { money } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { addressOf } from "../place.ts";

const MOST_AGENTS = 20;
const PERIODS = {
  day: "Your agents everywhere, today",
  month: "Your agents everywhere, this month",
} as const;

const purse = keepReading<"purse">("/purse");

export function LimitTable(): JSX.Element | null {
  purse.use();
  const all = everyone.value;
  const sum = (of: (one: (typeof all)[number]) => number): number =>
    all.reduce((total, one) => total + of(one), 0);
  const legion = againstLimits(overview.value?.limits, {
    steps: sum(({ steps }) => steps),
    tokens: sum(({ tokens }) => tokens),
    cost: sum(({ cost }) => cost ?? 0),
  });
  const tight = all.filter((status) => limitsOf(status).some(({ standing }) => standing !== ""));
  const periods = purse.answer.value?.periods ?? [];
  if (legion.length === 0 && periods.length === 0 && tight.length === 0)
    return <p class="aside">Nothing limits what this legion spends, as far as anybody here can tell.</p>;
  return (
    <section class="limits" aria-label="Limits">
      <h2>Limits</h2>
      <Outcomes />
      {purse.trouble.value !== null && <p class="trouble">{oneLine(purse.trouble.value)}</p>}
      <dl>
        {legion.length > 0 && <Limited title="This legion" against={legion} raised="all" />}
        {periods.map(({ name, limits, spent, setAside }) => (
          <Limited
            key={name}
            title={PERIODS[name]}
            against={againstLimits(limits, {
              steps: spent.steps + setAside.steps,
              tokens: spent.tokens + setAside.tokens,
              cost: spent.cost + setAside.cost,
            })}
            more={setAside.cost > 0 ? `${money(setAside.cost)} of it is set aside for what runs` : ""}
          />
        ))}
        {tight.slice(0, MOST_AGENTS).map((status) => (
          <Limited
            key={status.id}
            title={<a href={addressOf({ area: "agent", agent: status.id })}>{oneLine(status.name)}</a>}
            against={limitsOf(status).filter(({ standing }) => standing !== "")}
            raised={[status.id]}
          />
        ))}
      </dl>
      {tight.length > MOST_AGENTS && (
        <p class="aside">and {tight.length - MOST_AGENTS} more agents near theirs</p>
      )}
    </section>
  );
}

interface LimitedProps {
  readonly title: JSX.Element | string;
  readonly against: readonly Against[];
  readonly more?: string;
  /** Whose it is; absent: nobody changes it here. */
  readonly raised?: readonly string[] | "all";
}

function Limited({ title, against, more = "", raised }: LimitedProps): JSX.Element {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        {against.map((one) => (
          <LimitBar key={one.name} against={one}>
            {raised && <Raise targets={raised === "all" ? undefined : raised} against={one} />}
          </LimitBar>
        ))}
        {more !== "" && <span class="aside">{more}</span>}
      </dd>
    </div>
  );
}
