// The view of a node that a person has by default: what concerns them scrolls by, and below stands what everybody does.

import type { Event, EventOf } from "../../../domain/event/event.ts";
import type { AgentState, Inspect } from "../../../domain/inspection.ts";
import {
  CONTROL,
  displayName,
  laneOf,
  parseMessageId,
  type AgentId,
} from "../../../domain/message/message.ts";
import type { Spent } from "../../../past/spending.ts";
import { letterRemarks, noticeRemark, personMailRemark, stateRemark } from "../narration/narration.ts";
import { questionRemark } from "../narration/questions.ts";
import { createPage, type ConsolePage, type PageOptions, type Remark } from "../narration/page.ts";
import { createAgentActivities } from "./activity.ts";
import { liveRows, type LiveAgent } from "./live-rows.ts";

export interface LiveOptions extends PageOptions {
  /** Puts rows to the bottom of the screen. */
  readonly show: (rows: readonly string[]) => void;
  /** The size of the screen. */
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Those that run here at this moment, in their order. */
  readonly hosted: () => readonly AgentId[];
  /** What an agent has spent so far; `undefined`: nobody knows. */
  readonly spent: (agent: AgentId) => Spent | undefined;
  /** Where those that are open stand. */
  readonly questions: "at the prompt" | "on the page";
}

export interface Live {
  readonly see: Inspect;
  /** The person says `text` here, and has seen it already; what it gives back is to be called once that is done. */
  expect(text: string): () => void;
  /** The size of the screen is another. */
  changed(): void;
  /** Takes the rows away. */
  close(): void;
}

/** The share of the screen that is painted over, as a divisor. */
const SHARE = 2;

export function createLive(options: LiveOptions): Live {
  const { show, size, hosted, spent, paint, agents } = options;
  const page = createPage(options);
  const activities = createAgentActivities(Date.now);
  const expected: string[] = [];
  const tell = createBrief(page, { here: new Set(agents), expected, questions: options.questions });
  const repaint = createRepaint(() => {
    const { columns, rows } = size();
    const live = hosted().map((id): LiveAgent => ({
      id,
      activity: activities.of(id),
      look: page.lookOf(id),
    }));
    const maxRows = Math.max(2, Math.floor(rows / SHARE));
    const drawn = liveRows(live, { columns, maxRows, now: Date.now(), paint, spent });
    show(drawn.length === 0 ? drawn : [paint("dim", "─".repeat(columns)), ...drawn]);
    return live.some(({ activity }) => activity.since !== undefined) ? "timed" : "still";
  });
  return {
    see(inspection) {
      tell(inspection);
      page.flush();
      activities.see(inspection);
      repaint.changed();
    },
    expect(text) {
      expected.push(text);
      return () => void expected.splice(expected.indexOf(text), 1);
    },
    changed: repaint.changed,
    close() {
      repaint.close();
      show([]);
    },
  };
}

interface BriefOptions extends Pick<LiveOptions, "questions"> {
  /** The agents that run here. */
  readonly here: ReadonlySet<AgentId>;
  /** What the person says here, and has seen already. */
  readonly expected: readonly string[];
}

/** Puts on the page only what concerns the person. */
function createBrief(page: ConsolePage, { here, expected, questions }: BriefOptions): Inspect {
  const states = new Map<AgentId, string>();
  const tellState = (agent: AgentId, state: AgentState, reason?: string): void => {
    const remark = state === "retrying" ? undefined : stateRemark(agent, state, reason);
    if (remark?.text !== states.get(agent)) page.say(agent, remark);
    if (remark) states.set(agent, remark.text);
    else states.delete(agent);
  };
  const tellPerson = (event: Event): void => {
    if (event.kind === "message") page.say(CONTROL, personMailRemark(event.message, here));
    else if (event.kind === "notice" && event.reason === "said" && !expected.includes(event.content))
      page.say(CONTROL, saidRemark(event));
  };
  const tellAgent = (agent: AgentId, event: Event): void => {
    if (event.kind === "decision" || event.kind === "result")
      for (const remark of letterRemarks(event.sends)) page.say(agent, remark);
    else if (event.kind === "notice" && !isRoutine(event)) page.say(agent, noticeRemark(event));
  };
  return (inspection) => {
    const { agent, kind } = inspection;
    if (kind === "live:state") tellState(agent, inspection.state, inspection.reason);
    else if (kind === "question" && (inspection.ended || questions === "on the page"))
      page.say(agent, questionRemark(inspection));
    else if (kind === "event" && agent === CONTROL) tellPerson(inspection.event);
    else if (kind === "event") tellAgent(agent, inspection.event);
  };
}

/** What needs nobody: `legion inbox --dead` has the dead letters, and what may be done again is done again after a crash. */
function isRoutine({ reason, details }: EventOf<"notice">): boolean {
  return reason === "undeliverable" || (reason === "restarted" && details === "again");
}

/** What the person said elsewhere; of an answer to a question its end tells. */
function saidRemark({ content, sends = [] }: EventOf<"notice">): Remark | undefined {
  const to = sends
    .filter((message) => laneOf(message) !== "verdict")
    .map(({ id }) => displayName(parseMessageId(id).to));
  if (to.length === 0) return undefined;
  const whom = to.length > 3 ? `${to.length} agents` : to.join(", ");
  const { delivery = "normal" } = sends[0] ?? {};
  const lane = delivery === "normal" ? "" : ` (${delivery})`;
  return { mark: "→", text: `${whom}${lane}: ${content}`, maxRows: 4, look: "cyan" };
}

const SHORTEST_MS = 100;
const SECOND_MS = 1_000;

/**
 * Paints the rows at once after a change, but at most ten times a second; once a second while something is timed; and never
 * otherwise.
 *
 * @param paint gives back whether anything that it shows changes with time alone
 */
function createRepaint(paint: () => "timed" | "still") {
  let timer: NodeJS.Timeout | undefined;
  let dueMs = Infinity;
  let paintedMs = -Infinity;
  const paintAt = (ms: number): void => {
    if (ms >= dueMs) return;
    clearTimeout(timer);
    dueMs = ms;
    timer = setTimeout(run, Math.max(0, ms - performance.now())).unref();
  };
  const run = (): void => {
    dueMs = Infinity;
    paintedMs = performance.now();
    if (paint() === "timed") paintAt(paintedMs + SECOND_MS);
  };
  return {
    changed: (): void => paintAt(paintedMs + SHORTEST_MS),
    close(): void {
      clearTimeout(timer);
      // Nothing is earlier.
      dueMs = -Infinity;
    },
  };
}
