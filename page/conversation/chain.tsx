// One chain: from its first message through every agent that it reached, with what it cost.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import { part } from "../connection/api.ts";
import { keepReading } from "../connection/reading.ts";
import { count, grouped, lasting, money, moment, short } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { addressOf } from "../place.ts";
import { ChainTree } from "./chain-tree.tsx";
import { Unread } from "./conversation.tsx";
import { LetterLines, PartyName } from "./letter.tsx";
import { listed, type ChainLetter } from "./tree.ts";

type ChainAnswer = ReadingAnswer<"chain">;

const FIRST = 100;
/** Deeper ones stand no further to the right. */
const MOST_DEPTH = 8;

export function Chain({ message }: { readonly message: string }): JSX.Element {
  const chain = useMemo(() => keepReading<"chain">(`/chains/${part(message)}`), [message]);
  chain.use();
  const { value } = chain.answer;
  return (
    <main class="area">
      <div class="scroll chain" tabIndex={0} role="group" aria-label="Chain">
        <p>
          <a href={addressOf({ area: "conversation" })}>Conversation</a>
        </p>
        <h1 tabIndex={-1}>Chain of {oneLine(value?.root ?? message)}</h1>
        {chain.trouble.value !== null && <p class="trouble">{oneLine(chain.trouble.value)}</p>}
        {value && <Told chain={value} message={message} />}
      </div>
    </main>
  );
}

interface ToldProps {
  readonly chain: ChainAnswer;
  readonly message: string;
}

function Told({ chain, message }: ToldProps): JSX.Element {
  const { messages, otherMessages, agents, unread } = chain;
  const many = useSignal(FIRST);
  const rows = useMemo(() => listed(messages), [messages]);
  return (
    <>
      <Unread unread={unread} />
      <Sums chain={chain} />
      <ChainTree letters={messages} at={message} />
      {otherMessages > 0 && (
        <p class="aside">{count(otherMessages, "more message")}, further from the first one, are left out.</p>
      )}
      <div class="way-and-bill">
        <section aria-labelledby="way">
          <h2 id="way">From message to message</h2>
          <ol class="letters">
            {rows.slice(0, many.value).map(({ letter, depth }) => (
              <li
                key={letter.id}
                id={`said-${letter.id}`}
                class={letter.id === message ? "letter on" : "letter"}
                tabIndex={-1}
                style={{ marginInlineStart: `${1.4 * Math.min(depth, MOST_DEPTH)}em` }}
              >
                <span class="unseen">Step {depth + 1}</span>
                <LetterLines letter={letter} fate={fateOf(letter)} />
              </li>
            ))}
          </ol>
          {rows.length > many.value && (
            <button type="button" onClick={() => (many.value += FIRST)}>
              More ({grouped(rows.length - many.value)})
            </button>
          )}
        </section>
        <Bill agents={agents} />
      </div>
    </>
  );
}

/** How long it waited, where it was taken in. */
function fateOf({ to, at, takenAt, state }: ChainLetter): string | undefined {
  if (takenAt === null || state !== "taken" || to === "0") return undefined;
  // Clocks of two machines may differ.
  return `✓ taken in after ${lasting(Math.max(0, Date.parse(takenAt) - Date.parse(at)))}`;
}

function Sums({ chain: { messages, agents } }: { readonly chain: ChainAnswer }): JSX.Element {
  const moments = messages
    .flatMap(({ at, takenAt }) => [at, ...(takenAt === null ? [] : [takenAt])])
    .toSorted();
  const [first, last] = [moments[0] ?? "", moments.at(-1) ?? ""];
  const total = totalOf(agents);
  return (
    <dl class="sums">
      <Sum title="Begun" value={moment(first)} />
      <Sum title="Lasted" value={lasting(Date.parse(last) - Date.parse(first))} />
      <Sum title="Messages" value={grouped(messages.length)} />
      <Sum title="Agents" value={grouped(agents.length)} />
      <Sum title="Steps" value={grouped(total.steps)} />
      <Sum title="Tokens" value={short(total.input + total.output)} />
      <Sum title="Cost" value={total.cost} />
    </dl>
  );
}

function Sum({ title, value }: { readonly title: string; readonly value: string }): JSX.Element {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function totalOf(agents: ChainAnswer["agents"]) {
  const sum = (of: (agent: ChainAnswer["agents"][number]) => number): number =>
    agents.reduce((all, agent) => all + of(agent), 0);
  const known = sum(({ cost }) => cost ?? 0);
  const isUnknown = agents.some(({ cost }) => cost === null);
  return {
    steps: sum(({ steps }) => steps),
    input: sum(({ input }) => input),
    output: sum(({ output }) => output),
    timeMs: sum(({ timeMs }) => timeMs),
    cost: isUnknown ? (known > 0 ? `${money(known)} + ?` : "?") : money(known),
  };
}

function Bill({ agents }: Pick<ChainAnswer, "agents">): JSX.Element {
  const total = totalOf(agents);
  const inOrder = agents.toSorted((a, b) => (b.cost ?? 0) - (a.cost ?? 0) || b.steps - a.steps);
  return (
    <table class="bill">
      <caption>What each came to</caption>
      <thead>
        <tr>
          <th scope="col">Agent</th>
          <th scope="col">Steps</th>
          <th scope="col">Tokens</th>
          <th scope="col">Time</th>
          <th scope="col">Cost</th>
        </tr>
      </thead>
      <tbody>
        {inOrder.map(({ id, steps, input, output, timeMs, cost }) => (
          <tr key={id}>
            <th scope="row">
              <PartyName id={id} />
            </th>
            <td>{grouped(steps)}</td>
            <td>{short(input + output)}</td>
            <td>{lasting(timeMs)}</td>
            <td>{money(cost)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">In all</th>
          <td>{grouped(total.steps)}</td>
          <td>{short(total.input + total.output)}</td>
          <td>{lasting(total.timeMs)}</td>
          <td>{total.cost}</td>
        </tr>
      </tfoot>
    </table>
  );
}
