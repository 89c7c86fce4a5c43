// What the legion came to: by agent, by first message, by model, and over time.

import type { JSX } from "preact";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import { displayName } from "../../src/domain/message/message.ts";
import { keepReading } from "../connection/reading.ts";
import { grouped, moment, money, short } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { LimitTable } from "./limits.tsx";
import { addressOf } from "../place.ts";

type Costs = ReadingAnswer<"costs">;
type Spent = Pick<Costs["agents"][number], "steps" | "input" | "output" | "cacheRead" | "cost">;

/** The newest bars; a name in a list. */
const MOST_BARS = 60;
const MOST_NAMES = 5;

const costs = keepReading<"costs">("/costs");

export function Cost(): JSX.Element {
  costs.use();
  return (
    <main class="area">
      <div class="scroll" tabIndex={0} aria-label="Cost">
        <h1 tabIndex={-1}>Cost</h1>
        {costs.trouble.value !== null && <p class="trouble">{oneLine(costs.trouble.value)}</p>}
        <LimitTable />
        {costs.answer.value && <Bill costs={costs.answer.value} />}
      </div>
    </main>
  );
}

function Bill({ costs: { agents, causes, models, spans, unread } }: { readonly costs: Costs }): JSX.Element {
  return (
    <>
      {unread.map(({ agent, why }) => (
        <p key={agent} class="trouble">
          What {oneLine(displayName(agent))} spent is missing: {oneLine(why)}
        </p>
      ))}
      <Course spans={spans} />
      <Share title="By first message" what="Message" rows={causes} nameOf={causeName} />
      <Share
        title="By agent"
        what="Agent"
        rows={agents}
        nameOf={({ id, name }) => <a href={addressOf({ area: "agent", agent: id })}>{oneLine(name)}</a>}
      />
      <Share
        title="By model"
        what="Model"
        rows={models}
        nameOf={({ model }) => oneLine(model || "nobody's")}
      />
    </>
  );
}

function causeName({ root, said, opening, agents }: Costs["causes"][number]): JSX.Element {
  const more = agents.length > MOST_NAMES ? ` and ${agents.length - MOST_NAMES} more` : "";
  return (
    <>
      {root === null ? (
        "before any message"
      ) : (
        <a href={addressOf({ area: "chain", message: root })}>{oneLine(opening ?? root)}</a>
      )}
      <span class="aside">
        {said !== null && ` ${moment(said)}`} · {agents.slice(0, MOST_NAMES).map(displayName).join(", ")}
        {more}
      </span>
    </>
  );
}

interface ShareProps<R> {
  readonly title: string;
  readonly what: string;
  readonly rows: readonly R[];
  readonly nameOf: (row: R) => JSX.Element | string;
}

function Share<R extends Spent>({ title, what, rows, nameOf }: ShareProps<R>): JSX.Element {
  const byCost = rows.toSorted((a, b) => (b.cost ?? 0) - (a.cost ?? 0) || b.steps - a.steps);
  return (
    <table class="bill">
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">{what}</th>
          <th scope="col">Steps</th>
          <th scope="col">Tokens in</th>
          <th scope="col">of it cached</th>
          <th scope="col">Tokens out</th>
          <th scope="col">Cost</th>
        </tr>
      </thead>
      <tbody>
        {byCost.map((row, index) => (
          <tr key={index}>
            <th scope="row">{nameOf(row)}</th>
            <td>{grouped(row.steps)}</td>
            <td>{short(row.input)}</td>
            <td>{short(row.cacheRead)}</td>
            <td>{short(row.output)}</td>
            <td>{money(row.cost)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What was spent when: money where anything costs, else tokens. */
function Course({ spans }: Pick<Costs, "spans">): JSX.Element | null {
  const shown = spans.slice(-MOST_BARS);
  if (shown.length === 0) return null;
  const isPaid = shown.some(({ cost }) => (cost ?? 0) > 0);
  const valueOf = ({ cost, input, output }: Costs["spans"][number]): number =>
    isPaid ? (cost ?? 0) : input + output;
  const most = shown.reduce((a, b) => (valueOf(b) > valueOf(a) ? b : a));
  const said = (span: Costs["spans"][number]): string =>
    `${isPaid ? money(span.cost) : `${short(span.input + span.output)} tokens`} at ${moment(span.at)}`;
  return (
    <figure class="course">
      <figcaption>
        {isPaid ? "Money" : "Tokens"} over time, since {moment(shown[0]!.at)}. At most {said(most)}.
      </figcaption>
      <div class="bars" aria-hidden="true">
        {shown.map((span) => (
          <span
            key={`${span.at} ${span.minutes}`}
            title={said(span)}
            style={{ height: `${Math.max(2, (100 * valueOf(span)) / (valueOf(most) || 1))}%` }}
          />
        ))}
      </div>
    </figure>
  );
}
