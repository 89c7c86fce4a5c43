// What happens, for people: remarks on what is committed, completions as they stream. The only agent there is is shown row
// by row; where there are others, whole sentences, so that nobody cuts theirs.

import type { Call, DecisionEvent, Event, ProtocolName, ResultEvent } from "../../../domain/event/event.ts";
import type { Spent } from "../../../past/spending.ts";
import type { Inspect, Inspection } from "../../../domain/inspection.ts";
import { CONTROL, type AgentId } from "../../../domain/message/message.ts";
import {
  answerRemark,
  callRemark,
  idleRemark,
  letterRemarks,
  mailRemark,
  noticeRemark,
  personMailRemark,
  releaseRemark,
  resultRemark,
  stateRemark,
  summaryRemark,
} from "./narration.ts";
import { questionRemark } from "./questions.ts";
import { createPage, type PageOptions, type Remark } from "./page.ts";
import { createCompletionStream, type CompletionStream } from "./completion.ts";

export interface PrinterOptions extends Omit<PageOptions, "agents"> {
  /** The agents that run here. */
  readonly agents: ReadonlyMap<AgentId, { readonly protocol: { readonly name: ProtocolName } }>;
  /** What an agent has spent so far. */
  readonly spent: (agent: AgentId) => Spent;
}

export interface Printer {
  readonly see: Inspect;
  /** Prints what was held back of completions that did not end. */
  close(): void;
}

/** One agent as its readers follow it. */
interface Story {
  readonly agent: AgentId;
  readonly say: (remark: Remark | undefined) => void;
  /** What it has spent so far. */
  readonly spent: () => Spent;
  readonly completion: CompletionStream;
  /** Calls of the newest decision that have no result yet. */
  calls: readonly Call[];
  /** Has it done anything since it was last said to wait? */
  hasActed: boolean;
  /** The newest remark on its state. */
  state: string;
}

export function createPrinter({ agents, spent, ...options }: PrinterOptions): Printer {
  const page = createPage({ ...options, agents: [...agents.keys()] });
  const company = agents.size > 1 ? "others" : "alone";
  const stories = new Map<AgentId, Story>();
  const storyOf = (agent: AgentId, protocol: ProtocolName): Story => {
    let story = stories.get(agent);
    if (!story) {
      story = {
        agent,
        say: (remark) => page.say(agent, remark),
        spent: () => spent(agent),
        completion: createCompletionStream({ agent, protocol, page, company }),
        calls: [],
        hasActed: false,
        state: "",
      };
      stories.set(agent, story);
    }
    return story;
  };
  const see: Inspect = (inspection) => {
    const { agent, kind } = inspection;
    const hosted = agents.get(agent);
    if (!hosted) {
      if (kind === "event" && inspection.event.kind === "message")
        page.say(CONTROL, personMailRemark(inspection.event.message, agents));
      return;
    }
    // Of thousands of agents most may have nothing to do.
    if (kind === "live:state" && inspection.state === "idle" && !stories.has(agent)) return;
    const story = storyOf(agent, hosted.protocol.name);
    if (kind === "live:delta") story.completion.hear(inspection.delta);
    else if (kind === "live:call" && inspection.phase === "written") story.completion.pause();
    else if (kind === "event") tellEvent(story, inspection.event);
    else if (kind === "live:state") tellState(story, inspection);
    else if (kind === "question") story.say(questionRemark(inspection));
  };
  return {
    see(inspection) {
      see(inspection);
      page.flush();
    },
    close() {
      for (const { completion } of stories.values()) completion.cut();
      page.flush();
    },
  };
}

function tellEvent(story: Story, event: Event): void {
  if (event.kind === "message") story.say(mailRemark(event.message, event.held ? "later" : "now"));
  else if (event.kind === "released") story.say(releaseRemark(event));
  else if (event.kind === "decision") tellDecision(story, event);
  else if (event.kind === "result") tellResult(story, event);
  else if (event.kind === "summary") story.say(summaryRemark(event));
  else if (event.kind === "notice") story.say(noticeRemark(event));
}

function tellDecision(story: Story, decision: DecisionEvent): void {
  story.completion.conclude(decision);
  story.hasActed = true;
  // An action that is written as text was shown while it was written.
  story.calls = decision.protocol === "text" ? [] : decision.calls;
  story.say(callRemark(story.calls[0], decision.cost === undefined ? 0 : story.spent().cost));
  story.say(answerRemark(decision));
}

/** The next call stands after the result of the one before, as it runs only then. */
function tellResult(story: Story, result: ResultEvent): void {
  const letters = letterRemarks(result.sends);
  for (const remark of letters.length > 0 ? letters : [resultRemark(result)]) story.say(remark);
  story.calls = story.calls.slice(1);
  story.say(callRemark(story.calls[0]));
}

function tellState(
  story: Story,
  { state, reason }: Extract<Inspection, { readonly kind: "live:state" }>,
): void {
  story.completion.cut();
  const remark = stateRemark(story.agent, state, reason);
  if (state === "retrying" || remark?.text !== story.state) story.say(remark);
  if (state === "idle" && story.hasActed) {
    story.say(idleRemark(story.spent()));
    story.hasActed = false;
  }
  story.state = remark?.text ?? "";
}
