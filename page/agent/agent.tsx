// One agent: what it does, and beside that what it wants, knows and was.

import { useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import { part, read } from "../connection/api.ts";
import { Desk } from "../control/desk.tsx";
import { QuestionsOf } from "../control/questions.tsx";
import { Raise } from "../control/raise.tsx";
import { limitsOf, whyOf } from "../legion/columns.ts";
import { nameOf, overview } from "../legion/overview.ts";
import { announce } from "../parts/announce.tsx";
import { LimitBar } from "../parts/limit.tsx";
import { now } from "../parts/now.ts";
import { age, count, grouped, money } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { StateMark } from "../parts/state-mark.tsx";
import { openRecord } from "./record.ts";
import type { ChosenBranch } from "./stems.ts";
import { Beside } from "./beside.tsx";
import { Timeline } from "./timeline.tsx";

/** What an agent wants and knows is read with its whole log: not more often. */
const APART_MS = 2_000;

interface AgentProps {
  readonly agent: string;
  /** The event to begin at; absent: the newest. */
  readonly seq?: number;
}

export function Agent({ agent, seq }: AgentProps): JSX.Element {
  const record = useRef<ReturnType<typeof openRecord>>(undefined);
  record.current ??= openRecord(agent);
  const details = useSignal<ReadingAnswer<"agent"> | undefined>(undefined);
  const chosen = useSignal<ChosenBranch | undefined>(undefined);
  const problem = useSignal<string | null>(null);
  const status = useComputed(() => overview.value?.agents.get(agent));
  const looked = useRef<{ next?: ReturnType<typeof setTimeout>; atMs: number }>({ atMs: 0 }).current;
  const look = async (): Promise<void> => {
    looked.next = undefined;
    looked.atMs = Date.now();
    const heard = await read<"agent">(`/agents/${part(agent)}`);
    problem.value = heard.outcome === "done" ? null : heard.why;
    if (heard.outcome === "done") details.value = heard.answer;
  };
  useEffect(() => {
    void record.current!.toEnd().then(() => (seq === undefined ? undefined : record.current!.toEvent(seq)));
    return () => {
      clearTimeout(looked.next);
      record.current!.close();
    };
  }, []);
  const fork = record.current.stretch.value?.events.findLast(({ kind }) => kind === "branch")?.seq;
  const moved = `${status.value?.steps} ${status.value?.state} ${fork}`;
  const { path = [], branches = [] } = details.value ?? {};
  const steadyPath = useMemo(() => path, [path.join()]);
  useEffect(() => {
    looked.next ??= setTimeout(() => void look(), Math.max(0, looked.atMs + APART_MS - Date.now()));
  }, [moved]);
  // Where it goes on anew, that is what the person wants to see.
  useEffect(() => void (chosen.value = undefined), [branches.length]);
  useEffect(
    () => announce(`${nameOf(agent)} is ${status.value?.state ?? "not known"}`),
    [status.value?.state],
  );
  const trouble = problem.value ?? record.current.trouble.value;
  return (
    <main class="area agent">
      <Facts agent={agent} details={details.value} />
      {trouble !== null && (
        <p class="trouble" role="alert">
          {oneLine(trouble)}
        </p>
      )}
      <QuestionsOf agent={agent} />
      <div class="columns">
        <Timeline agent={agent} record={record.current} path={steadyPath} chosen={chosen} />
        <Beside agent={agent} details={details.value} chosen={chosen} />
      </div>
      <Desk targets={[agent]} />
    </main>
  );
}

interface FactsProps {
  readonly agent: string;
  readonly details: ReadingAnswer<"agent"> | undefined;
}

function Facts({ agent, details }: FactsProps): JSX.Element {
  const status = overview.value?.agents.get(agent);
  const why = status ? whyOf(status) : "";
  const { waits = [] } = status ?? {};
  const limits = status ? limitsOf(status) : [];
  const model = status?.model ?? details?.model ?? null;
  return (
    <header class="facts">
      <h1 tabIndex={-1}>{oneLine(nameOf(agent))}</h1>
      {status && <StateMark state={status.state} />}
      {status && <span class="dim">{age(status.since, now.value)}</span>}
      {why !== "" && <span class="why">{oneLine(why)}</span>}
      {waits
        .filter((wait) => wait.for === "limit")
        .map(({ way }) => (
          <span key={way} class="why">
            The way on: <code>{oneLine(way)}</code>
          </span>
        ))}
      <span class="spring" />
      {status && (
        <span class="dim">
          {grouped(status.unread)} unread, {grouped(status.held)} held
          {!limits.some(({ name }) => name === "steps") && ` · ${count(status.steps, "step")}`}
          {!limits.some(({ name }) => name === "tokens") && ` · ${count(status.tokens, "token")}`}
          {!limits.some(({ name }) => name === "cost") && ` · ${money(status.cost)}`}
        </span>
      )}
      {limits.map((against) => (
        <LimitBar key={against.name} against={against}>
          <Raise targets={[agent]} against={against} />
        </LimitBar>
      ))}
      <span class="dim">
        {model !== null && oneLine(model)}
        {status && ` · ${status.node === null ? "no node runs it" : oneLine(status.node)}`}
        {status && status.mode !== "usual" && ` · mode ${status.mode}`}
      </span>
    </header>
  );
}
