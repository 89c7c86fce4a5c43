// What happens, for people: remarks on what is committed, completions as they stream. The only agent there is is shown row
// by row; where there are others, whole sentences, so that nobody cuts theirs.

import type { Call, DecisionEvent, Event, ProtocolName, ResultEvent } from "../../../domain/event.ts";
import type { Spent } from "../../../past/usage.ts";
import type { AgentState, Inspect, Inspection } from "../../../domain/inspection.ts";
import { CONTROL, type AgentId } from "../../../domain/message.ts";
import {
  answerRemark,
  callRemark,
  idleRemark,
  letterRemarks,
  mailRemark,
  noticeRemark,
  resultRemark,
  stateRemark,
  summaryRemark,
} from "./narration.ts";
import { createPage, type PageOptions, type Remark } from "./page.ts";
import { createCompletionStream, type CompletionStream } from "./completion-stream.ts";

export interface PrinterOptions extends Omit<PageOptions, "agents"> {
  /** The agents that run here. */
  readonly agents: ReadonlyMap<AgentId, PrintedAgent>;
  /** What an agent has spent so far. */
  readonly spent: (agent: AgentId) => Spent;
}

export interface PrintedAgent {
  readonly protocol: { readonly name: ProtocolName };
}

export interface Printer {
  readonly see: Inspect;
  /** Prints what was held back of completions that did not end. */
  close(): void;
}

/** One agent as its readers follow it. */
interface Story {
  readonly agent: AgentId;
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
  const tell: PrinterSink = { say: (agent, remark) => remark && page.say(agent, remark), spent };
  const storyOf = (agent: AgentId, { protocol }: PrintedAgent): Story => {
    let story = stories.get(agent);
    if (!story) {
      const completion = createCompletionStream({ agent, protocol: protocol.name, page, company });
      stories.set(agent, (story = { agent, completion, calls: [], hasActed: false, state: "" }));
    }
    return story;
  };
  const see: Inspect = (inspection) => {
    const { agent, kind } = inspection;
    const hosted = agents.get(agent);
    if (!hosted) return tellOfOthers(inspection, agents, tell);
    // Of thousands of agents most may have nothing to do.
    if (kind === "live:state" && inspection.state === "idle" && !stories.has(agent)) return;
    const story = storyOf(agent, hosted);
    if (kind === "live:delta") story.completion.hear(inspection.delta);
    else if (kind === "event") tellEvent(story, inspection.event, tell);
    else if (kind === "live:state") tellState(story, inspection, tell);
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

interface PrinterSink {
  readonly say: (agent: AgentId, remark: Remark | undefined) => void;
  readonly spent: PrinterOptions["spent"];
}

/** Mail to the person from agents that do not run here; that of the others was shown when they sent it. */
function tellOfOthers(
  inspection: Inspection,
  here: ReadonlyMap<AgentId, unknown>,
  { say }: PrinterSink,
): void {
  if (inspection.kind !== "event" || inspection.event.kind !== "message") return;
  const { message } = inspection.event;
  if (message.source.type === "user" || !here.has(message.source.id)) say(CONTROL, mailRemark(message));
}

function tellEvent(story: Story, event: Event, { say, spent }: PrinterSink): void {
  const { agent } = story;
  if (event.kind === "message") say(agent, mailRemark(event.message));
  else if (event.kind === "decision") tellDecision(story, event, { say, spent });
  else if (event.kind === "result") tellResult(story, event, { say, spent });
  else if (event.kind === "summary") say(agent, summaryRemark(event));
  else if (event.kind === "notice") say(agent, noticeRemark(event));
}

function tellDecision(story: Story, decision: DecisionEvent, { say, spent }: PrinterSink): void {
  const { agent, completion } = story;
  completion.conclude(decision);
  story.hasActed = true;
  // An action that is written as text was shown while it was written.
  story.calls = decision.protocol === "text" ? [] : decision.calls;
  say(agent, callRemark(story.calls[0], decision.cost === undefined ? 0 : spent(agent).cost));
  say(agent, answerRemark(decision));
}

/** The next call stands after the result of the one before, as it runs only then. */
function tellResult(story: Story, result: ResultEvent, { say }: PrinterSink): void {
  const { agent } = story;
  const letters = letterRemarks(result.sends);
  for (const remark of letters.length > 0 ? letters : [resultRemark(result)]) say(agent, remark);
  story.calls = story.calls.slice(1);
  say(agent, callRemark(story.calls[0]));
}

function tellState(
  story: Story,
  { state, reason }: { readonly state: AgentState; readonly reason?: string },
  { say, spent }: PrinterSink,
): void {
  const { agent, completion, hasActed } = story;
  completion.cut();
  const remark = stateRemark(agent, state, reason);
  if (remark && (state === "retrying" || remark.text !== story.state)) say(agent, remark);
  if (state === "idle" && hasActed) {
    say(agent, idleRemark(spent(agent)));
    story.hasActed = false;
  }
  story.state = remark?.text ?? "";
}
