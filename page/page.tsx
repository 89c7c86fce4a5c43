// The page of a legion: who does what, one agent at a time, and the person's word to them.

import { effect } from "@preact/signals";
import { render, type JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { describeKnot, UNTIED } from "../src/domain/message/knot.ts";
import { displayName } from "../src/domain/message/message.ts";
import { Agent } from "./agent/agent.tsx";
import { isFile, savedAt, savedOnly } from "./connection/record.ts";
import { access } from "./connection/token.ts";
import { Changes } from "./changes/changes.tsx";
import { Chain } from "./conversation/chain.tsx";
import { Conversation } from "./conversation/conversation.tsx";
import { Cost } from "./cost/cost.tsx";
import { Inbox } from "./control/inbox.tsx";
import { inbox, keepMailroom, questions, seenUntil } from "./control/mailroom.ts";
import { Questions } from "./control/questions.tsx";
import { watchActivity } from "./legion/activity.tsx";
import { Differences } from "./differences/differences.tsx";
import { Report } from "./report/report.tsx";
import { Legion } from "./legion/legion.tsx";
import { broken, overview, untold, watchLegion, watchPast } from "./legion/overview.ts";
import { Announcer } from "./parts/announce.tsx";
import { startBeat } from "./parts/now.ts";
import { moment } from "./parts/numbers.ts";
import { oneLine } from "./parts/shown.ts";
import { addressOf, asOf, followAddress, pathOf, place, type Place } from "./place.ts";
import { TimeBar, TimeButton } from "./time/time-bar.tsx";

function Page(): JSX.Element {
  if (access.value !== "granted") return <Locked />;
  return (
    <>
      <Top />
      <TimeBar />
      <Part />
      <Trouble />
      <Knots />
      <Area />
      <Announcer />
    </>
  );
}

function Locked(): JSX.Element {
  const why =
    access.value === "missing"
      ? "This tab has no token."
      : "The token of this tab counts no more: the program has been started anew.";
  return (
    <main class="locked">
      <h1>AI Legion</h1>
      <p role="alert">
        {why} Open the address that `legion start --dashboard` or `legion dashboard` printed, with all that
        stands behind its #.
      </p>
    </main>
  );
}

function Top(): JSX.Element {
  if (savedOnly.value.report)
    return (
      <header class="top">
        <b class="alone">AI Legion</b>
        <span class="spring" />
        <span class="link">A report, from a file</span>
      </header>
    );
  return <Areas />;
}

function Areas(): JSX.Element {
  const isNew = ({ sentAt }: { readonly sentAt: string }): boolean => sentAt > seenUntil.value;
  const letters = inbox.value?.messages.filter(isNew).length ?? 0;
  const open = questions.value.filter(({ isAnswered }) => !isAnswered).length;
  return (
    <header class="top">
      <nav aria-label="Areas">
        <Way to={{ area: "report" }} words="Report" />
        <Way to={{ area: "legion" }} words="Legion" />
        <Way to={{ area: "conversation" }} words="Conversation" />
        <Way to={{ area: "inbox" }} words="Inbox" many={letters} ofWhat="new" />
        <Way to={{ area: "questions" }} words="Questions" many={open} ofWhat="open" />
        <Way to={{ area: "changes" }} words="Changes" />
        <Way to={{ area: "cost" }} words="Cost" />
        {!isFile && <Way to={{ area: "differences", sides: "" }} words="Differences" />}
      </nav>
      <span class="spring" />
      {isFile ? <OfFile /> : <Connection />}
    </header>
  );
}

/** What it is that somebody was sent. */
function OfFile(): JSX.Element {
  const when = savedAt.value === undefined ? "" : ` of ${moment(savedAt.value)}`;
  return <span class="link">A record{when}, from a file</span>;
}

/** Where only a part of the record was asked for. */
function Part(): JSX.Element | null {
  const { root, agents, since } = savedOnly.value;
  const parts = [
    agents && `what ${agents.map(displayName).join(", ")} did`,
    root !== undefined && `what message ${oneLine(root)} set off`,
    since !== undefined && `what was since ${moment(since)}`,
  ].filter(Boolean);
  if (parts.length === 0) return null;
  return (
    <p class="part">
      Of the record it holds {parts.join(", and of that ")}. Goals, notes and memories are those of the end.
    </p>
  );
}

function Connection(): JSX.Element {
  return (
    <>
      <TimeButton />
      <span class={broken.value === null ? "link" : "link off"}>
        {broken.value !== null ? "✕ not connected" : overview.value ? "● live" : "… connecting"}
      </span>
    </>
  );
}

/** Areas that stand below another one. */
const UNDER: Readonly<Partial<Record<Place["area"], Place["area"]>>> = {
  agent: "legion",
  chain: "conversation",
};

interface WayProps {
  readonly to: Place;
  readonly words: string;
  readonly many?: number;
  readonly ofWhat?: string;
}

function Way({ to, words, many = 0, ofWhat = "" }: WayProps): JSX.Element {
  const here = place.value.area;
  const isHere = here === to.area || UNDER[here] === to.area;
  return (
    <a href={addressOf(to)} aria-current={isHere ? "page" : undefined}>
      {words}
      {many > 0 && (
        <span class="many">
          {many}
          <span class="unseen"> {ofWhat}</span>
        </span>
      )}
    </a>
  );
}

function Trouble(): JSX.Element | null {
  const why = broken.value;
  const away = overview.value?.away;
  if (why !== null)
    return (
      <p class="trouble" role="alert">
        {isFile
          ? `This record cannot be shown: ${oneLine(why)}.`
          : `Not connected: ${oneLine(why)}. What you see is as it was; it is tried again.`}
      </p>
    );
  if (untold.value !== null)
    return (
      <p class="trouble" role="alert">
        That time cannot be shown: {oneLine(untold.value)}
      </p>
    );
  if (away == null) return null;
  return (
    <p class="trouble" role="alert">
      The legion is away: {oneLine(away)}
    </p>
  );
}

/** Of those of whom nobody goes on by themselves, what unties them. */
function Knots(): JSX.Element | null {
  const knots = overview.value?.knots ?? [];
  if (knots.length === 0) return null;
  return (
    <p class="trouble" role="status">
      {knots.map((knot) => oneLine(`${describeKnot(knot)} ${UNTIED}`)).join(" ")}
    </p>
  );
}

function Area(): JSX.Element {
  const { value } = place;
  useArrival(pathOf(value));
  if (savedOnly.value.report) return <Report />;
  switch (value.area) {
    case "agent":
      return <Agent key={`${value.agent}/${value.seq} ${asOf.value}`} agent={value.agent} seq={value.seq} />;
    case "conversation":
      return <Conversation />;
    case "chain":
      return <Chain key={`${value.message} ${asOf.value}`} message={value.message} />;
    case "inbox":
      return <Inbox />;
    case "questions":
      return <Questions />;
    case "report":
      return <Report />;
    case "changes":
      return <Changes />;
    case "cost":
      return <Cost />;
    case "differences":
      return <Differences key={value.sides} sides={value.sides} />;
    default:
      return <Legion />;
  }
}

/** Whoever goes to another area is in it: the focus does not stay with what is gone. */
function useArrival(address: string): void {
  const before = useRef(address);
  useEffect(() => {
    if (before.current === address) return;
    before.current = address;
    (document.getElementById("agents") ?? document.querySelector<HTMLElement>("main h1"))?.focus();
  }, [address]);
}

followAddress();
startBeat();
if (access.value === "granted") {
  watchLegion();
  watchPast();
  watchActivity();
  keepMailroom();
}
effect(() => {
  const open = questions.value.filter(({ isAnswered }) => !isAnswered).length;
  document.title = open > 0 ? `(${open}) AI Legion` : "AI Legion";
});
render(<Page />, document.getElementById("page")!);
