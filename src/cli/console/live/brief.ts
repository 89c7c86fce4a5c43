// What scrolls by where each agent has a row of its own: only what concerns the person.

import type { Event, EventOf } from "../../../domain/event.ts";
import type { AgentState, Inspect } from "../../../domain/inspection.ts";
import { CONTROL, displayName, parseMessageId, type AgentId, type Message } from "../../../domain/message.ts";
import { letterRemarks, mailRemark, noticeRemark, stateRemark } from "../narration/narration.ts";
import { createPage, type PageOptions, type Remark } from "../narration/page.ts";

export interface Brief {
  readonly see: Inspect;
  /** The person says `text` here, and has seen it already; what it gives back is to be called once that is done. */
  expect(text: string): () => void;
}

/** @param options its agents are those that run here */
export function createBrief(options: PageOptions): Brief {
  const page = createPage(options);
  const here = new Set(options.agents);
  const states = new Map<AgentId, string>();
  const expected: string[] = [];
  const say = (agent: AgentId, remark: Remark | undefined): void => {
    if (remark) page.say(agent, remark);
  };
  const tellState = (agent: AgentId, state: AgentState, reason?: string): void => {
    const remark = state === "retrying" ? undefined : stateRemark(agent, state, reason);
    if (remark?.text !== states.get(agent)) say(agent, remark);
    if (remark) states.set(agent, remark.text);
    else states.delete(agent);
  };
  const tellSaid = (event: EventOf<"notice">): void => {
    if (event.reason === "said" && !expected.includes(event.content)) say(CONTROL, saidRemark(event));
  };
  const tellEvent = (agent: AgentId, event: Event): void => {
    if (event.kind === "decision" || event.kind === "result")
      for (const remark of letterRemarks(event.sends)) say(agent, remark);
    if (event.kind === "notice" && agent === CONTROL) tellSaid(event);
    else if (event.kind === "notice" && !isRoutine(event)) say(agent, noticeRemark(event));
    else if (event.kind === "message" && agent === CONTROL && !isFrom(here, event.message))
      say(CONTROL, mailRemark(event.message));
  };
  return {
    see(inspection) {
      const { agent, kind } = inspection;
      if (kind === "live:state") tellState(agent, inspection.state, inspection.reason);
      else if (kind === "event") tellEvent(agent, inspection.event);
      page.flush();
    },
    expect(text) {
      expected.push(text);
      return () => void expected.splice(expected.indexOf(text), 1);
    },
  };
}

/** What needs nobody: `legion inbox --dead` has the dead letters, and what may be done again is done again after a crash. */
function isRoutine({ reason, details }: EventOf<"notice">): boolean {
  return reason === "undeliverable" || (reason === "restarted" && details === "again");
}

/** Their letters were shown when they were sent. */
function isFrom(here: ReadonlySet<AgentId>, { source }: Message): boolean {
  return source.type === "agent" && here.has(source.id);
}

/** What the person said elsewhere. */
function saidRemark({ content, sends = [] }: EventOf<"notice">): Remark | undefined {
  const to = sends.map(({ id }) => displayName(parseMessageId(id).to));
  if (to.length === 0) return undefined;
  const whom = to.length > 3 ? `${to.length} agents` : to.join(", ");
  return { mark: "→", text: `${whom}: ${content}`, maxRows: 4, look: "cyan" };
}
