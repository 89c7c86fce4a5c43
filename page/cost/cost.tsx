// What the legion came to: by agent, by first message, by model, and over time.

import { useSignal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import { displayName } from "../../src/domain/message/message.ts";
import { keepReading } from "../connection/reading.ts";
import { count, grouped, moment, money, short } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { Course } from "./course.tsx";
import { LimitTable } from "./limits.tsx";
import { addressOf } from "../place.ts";

type Costs = ReadingAnswer<"costs">;
type Spent = Pick<
  Costs["agents"][number],
  "steps" | "input" | "output" | "cacheRead" | "cost" | "unparsed" | "retried"
>;

/** Names in a list. */
const MOST_NAMES = 5;
/** Rows that are shown before somebody asks for more. */
const FIRST = 100;

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
      <Sentences rows={agents} />
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

/** What the provider's cache served, and what was asked in vain. */
function Sentences({ rows }: { readonly rows: readonly Spent[] }): JSX.Element {
  const sum = (of: (row: Spent) => number): number => rows.reduce((all, row) => all + of(row), 0);
  const [input, cached] = [sum((row) => row.input), sum((row) => row.cacheRead)];
  const [unparsed, retried] = [sum((row) => row.unparsed), sum((row) => row.retried)];
  const share =
    cached === 0
      ? "Nothing was served from a provider's cache."
      : `${percent(cached, input)} of all tokens in were served from the provider's cache (${short(cached)} of ${short(input)}).`;
  return (
    <p class="sentences">
      {input > 0 && share}
      {unparsed > 0 && ` From ${count(unparsed, "answer")} no action could be read.`}
      {retried > 0 && ` ${count(retried, "call")} came to nothing and had to be made again.`}
    </p>
  );
}

function percent(some: number, all: number): string {
  const share = (100 * some) / Math.max(all, 1);
  return share > 0 && share < 1 ? "under 1%" : `${Math.round(share)}%`;
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

function byCost(a: Spent, b: Spent): number {
  return (b.cost ?? 0) - (a.cost ?? 0) || b.steps - a.steps;
}

interface ShareProps<R> {
  readonly title: string;
  readonly what: string;
  readonly rows: readonly R[];
  readonly nameOf: (row: R) => JSX.Element | string;
}

function Share<R extends Spent>({ title, what, rows, nameOf }: ShareProps<R>): JSX.Element {
  const many = useSignal(FIRST);
  const shown = rows.toSorted(byCost).slice(0, many.value);
  const isUnparsed = rows.some(({ unparsed }) => unparsed > 0);
  const isRetried = rows.some(({ retried }) => retried > 0);
  return (
    <>
      <table class="bill">
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{what}</th>
            <th scope="col" class="spare">
              Steps
            </th>
            <th scope="col">Tokens in</th>
            <th scope="col" class="spare">
              of it cached
            </th>
            <th scope="col" class="spare">
              Tokens out
            </th>
            {isUnparsed && (
              <th scope="col" class="spare">
                Unparsed
              </th>
            )}
            {isRetried && (
              <th scope="col" class="spare">
                Made again
              </th>
            )}
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row, index) => (
            <tr key={index}>
              <th scope="row">{nameOf(row)}</th>
              <td class="spare">{grouped(row.steps)}</td>
              <td>{short(row.input)}</td>
              <td class="spare">
                {short(row.cacheRead)}
                {row.cacheRead > 0 && <span class="aside"> {percent(row.cacheRead, row.input)}</span>}
              </td>
              <td class="spare">{short(row.output)}</td>
              {isUnparsed && <td class="spare">{grouped(row.unparsed)}</td>}
              {isRetried && <td class="spare">{grouped(row.retried)}</td>}
              <td>{money(row.cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Others many={many} left={rows.length - many.value} title={title} />
    </>
  );
}

interface OthersProps {
  readonly many: Signal<number>;
  readonly left: number;
  readonly title: string;
}

function Others({ many, left, title }: OthersProps): JSX.Element | null {
  if (left <= 0) return null;
  return (
    <button type="button" class="quiet" onClick={() => (many.value += 10 * FIRST)}>
      {grouped(left)} more<span class="unseen">: {title}</span>
    </button>
  );
}
