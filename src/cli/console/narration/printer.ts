// What happens, for people: completions as they stream, calls as they run with what they tell and change, remarks on all else
// that is committed. The only agent there is is shown row by row; where there are others, whole sentences, so that nobody cuts
// theirs.

import type { Call, DecisionEvent, Event, ProtocolName, ResultEvent } from "../../../domain/event/event.ts";
import type { Spent } from "../../../past/limits/spending.ts";
import type { Inspect, Inspection } from "../../../domain/inspection.ts";
import { CONTROL, type AgentId } from "../../../domain/message/message.ts";
import { HUMAN } from "../../../domain/supervision.ts";
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
  type SeenState,
  type WaysOn,
} from "./narration.ts";
import { questionRemark } from "./questions.ts";
import { createPage, type PageOptions, type Remark, type StreamedRow } from "./page.ts";
import { createCallOutputs, type CallOutputs } from "./call-output.ts";
import { diffRows } from "./diff.ts";
import { touchedWords } from "./touched.ts";
import { createCompletionStream, type CompletionStream } from "./completion.ts";

export interface PrinterOptions extends Omit<PageOptions, "agents">, WaysOn {
  /** The agents that run here. */
  readonly agents: ReadonlyMap<AgentId, { readonly protocol: { readonly name: ProtocolName } }>;
  /** What an agent has spent so far. */
  readonly spent: (agent: AgentId) => Spent;
  /** Absolute: where they work. */
  readonly root: string;
  /** Where those that are open stand. */
  readonly questions: "at the prompt" | "on the page";
}

/** What is shown of a changed line where nothing has to fit. */
const MAX_COLUMNS = 400;

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
  readonly outputs: CallOutputs;
  readonly go: (rows: readonly StreamedRow[]) => void;
  readonly textColumns: () => number;
  readonly ways: WaysOn;
  /** The calls of the newest decision, and which of them were shown. */
  readonly calls: Map<string, Call>;
  readonly shown: Set<string>;
  /** What is to be said of its cost with the first of them. */
  cost: number;
  /** The call that was shown last. */
  newest: string | undefined;
  /** Has it done anything since it was last said to wait? */
  hasActed: boolean;
  /** The newest remark on its state. */
  state: string;
  /** It is told why its next call did not run. */
  isRefusalTold: boolean;
}

export function createPrinter({ agents, spent, root, questions, ...options }: PrinterOptions): Printer {
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
        outputs: createCallOutputs(agent, page),
        go: (rows) => rows.forEach((row) => page.go(agent, row)),
        textColumns: page.textColumns,
        ways: options,
        calls: new Map(),
        shown: new Set(),
        cost: 0,
        newest: undefined,
        hasActed: false,
        state: "",
        isRefusalTold: false,
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
    else if (kind === "live:call") tellCall(story, inspection, root);
    else if (kind === "live:progress") story.outputs.hear(inspection.call, inspection.text);
    else if (kind === "event") tellEvent(story, inspection.event);
    else if (kind === "live:state") tellState(story, inspection);
    else if (kind === "question" && (inspection.ended || questions === "on the page")) {
      story.say(questionRemark(inspection, options.run));
      story.isRefusalTold = inspection.ended !== undefined && inspection.ended.verdict !== "approved";
    }
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
  story.cost = decision.cost === undefined ? 0 : story.spent().cost;
  story.calls.clear();
  story.shown.clear();
  for (const call of decision.calls) {
    story.calls.set(call.id, call);
    // An action that is written as text was shown while it was written, and what a person typed when they typed it.
    if (decision.protocol === "text" || decision.model === HUMAN) story.shown.add(call.id);
  }
  story.newest = decision.calls[0]?.id;
  story.say(answerRemark(decision));
}

type SeenCall = Extract<Inspection, { readonly kind: "live:call" }>;

/** A call is shown when it runs, with what it touches. */
function tellCall(story: Story, seen: SeenCall, root: string): void {
  if (seen.phase === "written") return story.completion.pause();
  if (seen.phase === "ended") return story.outputs.end(seen.call);
  const { call, action, touches } = seen;
  story.outputs.begin(call);
  showCall(
    story,
    story.calls.get(call) ?? { id: call, action, parameters: undefined },
    touchedWords(touches, root),
  );
}

function showCall(story: Story, call: Call, touched?: readonly string[]): void {
  if (story.shown.has(call.id)) return;
  story.shown.add(call.id);
  story.newest = call.id;
  const remark = callRemark(call, { cost: story.cost, touched });
  if (remark) story.cost = 0;
  story.say(remark);
}

/** One that did not run is shown with what came of it; where several ran side by side, which one it is. */
function tellResult(story: Story, result: ResultEvent): void {
  const { isRefusalTold } = story;
  story.isRefusalTold = false;
  if (isRefusalTold && (result.outcome === "error" || result.outcome === "idle")) return;
  const call = result.call === null ? undefined : story.calls.get(result.call);
  if (call) showCall(story, call);
  const action = call && story.newest !== call.id ? call.action : undefined;
  const isTold = call !== undefined && story.outputs.wasHeard(call.id);
  const letters = letterRemarks(result.sends);
  for (const remark of letters.length > 0 ? letters : [resultRemark(result, { action, isTold })])
    story.say(remark);
  story.go(diffRows(result.details, Math.min(MAX_COLUMNS, story.textColumns())));
}

function tellState(story: Story, seen: SeenState): void {
  const { state } = seen;
  story.completion.cut();
  const remark = stateRemark(seen, story.ways);
  if (state === "retrying" || remark?.text !== story.state) story.say(remark);
  if (state === "idle" && story.hasActed) {
    story.say(idleRemark(story.spent()));
    story.hasActed = false;
  }
  story.state = remark?.text ?? "";
}
