// How what a person says joins the work: a follow-up is held until its reader has nothing else to do, and then released, or is
// withdrawn by a steer; no call begins while a steer is unread.

import type { Call, Event, EventOf, Outcome } from "../../src/domain/event/event.ts";
import type { NoticeReason } from "../../src/domain/event/notice.ts";
import type { MailLane, Message } from "../../src/domain/message/message.ts";
import type { Told } from "./evidence.ts";
import type { LaneFigures, Report } from "./fault.ts";
import { isLeftOut } from "./carrier.ts";
import { read } from "./parcel.ts";
import { withdrawnBy } from "./withdrawals.ts";

type Counts = { -readonly [K in keyof LaneFigures]: number };

/** @param heardMs so long after it was acknowledged, what Control said is known to its recipient's process */
export function checkLanes({ agents, fed }: Told, report: Report, heardMs = 0): LaneFigures {
  const heard = new Map(fed.flatMap(({ name, said, at }) => (said ? [[name, at + heardMs] as const] : [])));
  const counts: Counts = { steers: 0, aborts: 0, released: 0, withdrawn: 0, leftOut: 0, looks: 0 };
  for (const [id, { log }] of agents) {
    if (id === "0") continue;
    checkHolding(log.records, { counts, report: (fault, text) => report(fault, `${id}: ${text}`) });
    checkSteers(log.records, heard, (text) => report("not stopped", `${id}: ${text}`));
    for (const event of log.records) {
      if (event.kind === "message" && laneOf(event.message) === "steer") counts.steers++;
      if (event.kind === "message" && laneOf(event.message) === "abort") counts.aborts++;
      if (event.kind !== "result") continue;
      if (event.outcome === "idle" && isLeftOut(event.content)) counts.leftOut++;
    }
  }
  return counts;
}

function laneOf({ id, delivery }: Message): MailLane {
  return id.startsWith("0>") ? delivery : "normal";
}

function isReader(call: Call | undefined): boolean {
  return call?.action === "look" || call?.action === "askedLook";
}

interface Books {
  readonly counts: Counts;
  readonly report: Report;
}

/** What stands between an agent and its rest, as its log says. */
interface Standing {
  /** By the event that took it in; oldest first. */
  readonly held: Map<number, Message>;
  /** Held when a steer was taken in: what withdraws them may stand in front of it, or of a later one of the same commit. */
  overtaken: readonly Message[];
  /** Listed, and no steer was taken in since. */
  withdrawing: readonly Message[];
  /** Parcels that it may not know of. */
  readonly hidden: Set<string>;
  calls: readonly Call[];
  outcomes: readonly Outcome[];
  /** Since the newest decision. */
  mail: boolean;
  aborted: boolean;
  halt: NoticeReason | undefined;
}

const HALTS: readonly NoticeReason[] = ["parked", "parked-mail", "parked-limit", "paused", "halted"];

/** What comes after mail and what it withdraws. */
const WORK: readonly Event["kind"][] = ["released", "decision", "result"];

function checkHolding(events: readonly Event[], books: Books): void {
  const standing: Standing = {
    held: new Map(),
    overtaken: [],
    withdrawing: [],
    hidden: new Set(),
    calls: [],
    outcomes: [],
    mail: false,
    aborted: false,
    halt: undefined,
  };
  for (const event of events) {
    if (WORK.includes(event.kind)) checkWithdrawn(standing, books);
    if (event.kind === "message") take(standing, event, books);
    else if (event.kind === "released") release(standing, event, books);
    else if (event.kind === "decision") decide(standing, event, books);
    else if (event.kind === "notice") heed(standing, event, books);
    else if (event.kind === "result") {
      standing.outcomes = [...standing.outcomes, event.outcome];
      if (isReader(standing.calls.find(({ id }) => id === event.call))) books.counts.looks++;
    }
  }
  checkWithdrawn(standing, books);
  for (const { id } of standing.held.values()) books.report("lost", `${id} is held at the end`);
  for (const { id } of standing.withdrawing) books.report("withdrawn", `${id}, by nothing`);
}

function take(standing: Standing, { seq, message, held }: EventOf<"message">, { report }: Books): void {
  const lane = laneOf(message);
  if (lane === "follow-up" && !held) report("shown early", `${message.id} is not held`);
  if (held) {
    standing.held.set(seq, message);
    const parcel = read(message.content);
    if (parcel) standing.hidden.add(parcel.name);
  } else show(standing, message);
  if (lane !== "steer") return;
  standing.withdrawing = [];
  standing.overtaken = [...standing.held.values()].filter((one) => laneOf(one) === "follow-up");
}

function checkWithdrawn(standing: Standing, { report }: Books): void {
  const held = [...standing.held.values()];
  for (const one of standing.overtaken)
    if (held.includes(one)) report("withdrawn", `${one.id} is not listed, and a steer came after it`);
  standing.overtaken = [];
}

function release(
  standing: Standing,
  { seq, messages }: EventOf<"released">,
  { report, counts }: Books,
): void {
  for (const taken of messages) {
    const message = standing.held.get(taken);
    if (!message) {
      report("twice", `event ${taken} is released at ${seq}, and not held`);
      continue;
    }
    const lane = laneOf(message);
    const isOfItsKind = (one: Message): boolean => (laneOf(one) === "follow-up") === (lane === "follow-up");
    const oldest = [...standing.held].find(([, one]) => isOfItsKind(one));
    if (oldest?.[0] !== taken) report("out of order", `${message.id} is released before ${oldest?.[1].id}`);
    const reason = lane === "follow-up" && whyBusy(standing);
    if (reason) report("shown early", `${message.id} is released at ${seq}, ${reason}`);
    if (lane === "follow-up") counts.released++;
    standing.held.delete(taken);
    standing.hidden.delete(read(message.content)?.name ?? "");
    show(standing, message);
  }
}

/** What else it had to do, or why nothing; `undefined` if it would have rested. */
function whyBusy({ calls, outcomes, mail, aborted, halt, withdrawing }: Standing): string | undefined {
  if (outcomes.length < calls.length) return "in the middle of a decision";
  if (withdrawing.length > 0) return "in the middle of withdrawing others";
  if (mail) return "after other mail";
  if (aborted) return "after an abort";
  if (halt) return `while it is ${halt}`;
  return outcomes.every((outcome) => outcome === "idle") ? undefined : "after a decision that acted";
}

function show(standing: Standing, message: Message): void {
  const lane = laneOf(message);
  if (lane === "abort") standing.aborted = true;
  if (lane === "abort" || lane === "verdict") return;
  standing.mail = true;
  if (standing.halt === "parked-mail") standing.halt = undefined;
}

function decide(standing: Standing, { seq, calls }: EventOf<"decision">, { report }: Books): void {
  for (const { parameters } of calls) {
    const { name, parcel } = parameters as { readonly name?: string; readonly parcel?: string };
    const known = name ?? parcel ?? "";
    if (standing.hidden.has(known)) report("shown early", `${known} is known at ${seq}`);
  }
  Object.assign(standing, { calls, outcomes: [], mail: false, aborted: false });
}

function heed(standing: Standing, event: EventOf<"notice">, { report, counts }: Books): void {
  if (HALTS.includes(event.reason)) standing.halt = event.reason;
  if (event.reason === "resumed") standing.halt = undefined;
  const withdrawn = withdrawnBy(event);
  if (!withdrawn) return;
  const [seq] = [...standing.held].find(([, one]) => one.content === withdrawn.content) ?? [];
  if (seq === undefined) report("withdrawn", `${withdrawn.id} is listed at ${event.seq}, and not held`);
  else {
    standing.held.delete(seq);
    standing.withdrawing = [...standing.withdrawing, withdrawn];
    counts.withdrawn++;
  }
}

interface Ran {
  readonly seq: number;
  /** Milliseconds since 1970: it began then, or later. */
  readonly since: number;
}

/** What else is noted, such as that a message has arrived, may be noted while a call runs. */
function mayPrecedeCall({ kind }: Event): boolean {
  return kind === "opened" || kind === "decision" || kind === "result" || kind === "approval";
}

/** What went well before a steer was taken in, had begun before the steer was known. */
function checkSteers(
  events: readonly Event[],
  heard: ReadonlyMap<string, number>,
  report: (text: string) => void,
): void {
  const calls = new Map<string | null, Call>();
  const ran: Ran[] = [];
  /** Calls that only read may have begun before their neighbours were done. */
  let since = 0;
  for (const event of events) {
    if (event.kind === "decision") for (const call of event.calls) calls.set(call.id, call);
    if (event.kind === "result" && event.outcome === "ok") ran.push({ seq: event.seq, since });
    if (mayPrecedeCall(event) && !(event.kind === "result" && isReader(calls.get(event.call))))
      since = Date.parse(event.at);
    if (event.kind !== "message" || laneOf(event.message) !== "steer") continue;
    const knownAt = heard.get(read(event.message.content)?.name ?? "") ?? Infinity;
    for (const one of ran)
      if (one.since > knownAt)
        report(
          `${event.message.id} was there ${one.since - knownAt} ms before the call of result ${one.seq}`,
        );
  }
}
