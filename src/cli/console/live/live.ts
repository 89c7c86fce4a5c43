// The view of a node that a person has by default: what concerns them scrolls by, and below stands what everybody does.

import type { Event, EventOf } from "../../../domain/event/event.ts";
import type { Inspect } from "../../../domain/inspection.ts";
import {
  CONTROL,
  displayName,
  laneOf,
  parseMessageId,
  type AgentId,
} from "../../../domain/message/message.ts";
import {
  letterRemarks,
  noticeRemark,
  personMailRemark,
  resultRemark,
  stateRemark,
  type SeenState,
  type WaysOn,
} from "../narration/narration.ts";
import { HUMAN } from "../../../domain/supervision.ts";
import { questionRemark } from "../narration/questions.ts";
import { createPage, type ConsolePage, type PageOptions, type Remark } from "../narration/page.ts";
import { createAgentRows, type AgentRowsOptions } from "./agent-rows.ts";

export interface LiveOptions extends PageOptions, Omit<AgentRowsOptions, "lookOf">, WaysOn {
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

export function createLive(options: LiveOptions): Live {
  const { agents, hosted } = options;
  const page = createPage(options);
  const expected: string[] = [];
  // Others may come while it runs, such as those that another program starts.
  const here = { has: (id: AgentId): boolean => agents.includes(id) || hosted().includes(id) };
  const tell = createBrief(page, { ...options, here, expected });
  const rows = createAgentRows({ ...options, lookOf: page.lookOf });
  return {
    see(inspection) {
      tell(inspection);
      page.flush();
      rows.see(inspection);
    },
    expect(text) {
      expected.push(text);
      return () => void expected.splice(expected.indexOf(text), 1);
    },
    changed: rows.changed,
    close: rows.close,
  };
}

/** Of what came of an action that the person typed. */
const MAX_TYPED_ROWS = 20;

interface BriefOptions extends Pick<LiveOptions, "questions">, WaysOn {
  /** The agents that run here. */
  readonly here: { has(agent: AgentId): boolean };
  /** What the person says here, and has seen already. */
  readonly expected: readonly string[];
}

/** Puts on the page only what concerns the person. */
function createBrief(page: ConsolePage, options: BriefOptions): Inspect {
  const { here, expected, questions, run } = options;
  const states = new Map<AgentId, string>();
  const tellState = (seen: SeenState): void => {
    const { agent } = seen;
    const remark = seen.state === "retrying" ? undefined : stateRemark(seen, options);
    if (remark?.text !== states.get(agent)) page.say(agent, remark);
    if (remark) states.set(agent, remark.text);
    else states.delete(agent);
  };
  const tellPerson = (event: Event): void => {
    if (event.kind === "message") page.say(CONTROL, personMailRemark(event.message, here));
    else if (event.kind === "notice" && event.reason === "said" && !expected.includes(event.content))
      page.say(CONTROL, saidRemark(event));
  };
  const typed = new Set<AgentId>();
  const tellAgent = (agent: AgentId, event: Event): void => {
    if (event.kind === "decision") typed[event.model === HUMAN ? "add" : "delete"](agent);
    const remark = event.kind === "result" && typed.has(agent) ? resultRemark(event) : undefined;
    page.say(agent, remark && { ...remark, maxRows: MAX_TYPED_ROWS });
    if (event.kind === "decision" || event.kind === "result")
      for (const remark of letterRemarks(event.sends)) page.say(agent, remark);
    else if (event.kind === "notice" && !isRoutine(event)) page.say(agent, noticeRemark(event));
  };
  return (inspection) => {
    const { agent, kind } = inspection;
    if (kind === "live:state") tellState(inspection);
    else if (kind === "question" && (inspection.ended || questions === "on the page"))
      page.say(agent, questionRemark(inspection, run));
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
  const { delivery, taint } = sends[0]!;
  const how = taint === undefined ? delivery : "another program";
  const mark = how === "normal" ? "" : ` (${how})`;
  return { mark: "→", text: `${whom}${mark}: ${content}`, maxRows: 4, look: "cyan" };
}
