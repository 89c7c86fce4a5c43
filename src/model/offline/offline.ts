// The built-in model that needs no key: rules instead of reasoning. A pure function of the request, so that it is asked,
// logged, limited and replayed like every other model.

import { CONTROL } from "../../domain/message.ts";
import { estimateTokens } from "../tokens/tokens.ts";
import type { Completion, Model, ModelProfile, ModelRequest, ToolSpec, Turn } from "../../domain/model.ts";
import type { Wanted } from "./commands.ts";
import { errandMoves } from "./errands.ts";
import { sendMessage, type Move } from "./move.ts";
import { openShares, shareMove } from "./survey/share.ts";
import { openSurveys, surveyMove } from "./survey/survey.ts";
import { readView, remember, type OfflineView } from "./prompt-reader.ts";

const PROFILE: ModelProfile = {
  window: 200_000,
  // A survey of many files is written down as a whole.
  maxOutput: 32_768,
  price: { input: 0, output: 0 },
  tools: true,
  summarises: false,
};

/** Understands the commands that OFFLINE_HELP lists. Always gives the same answer to the same request. */
export function createOfflineModel(): Model {
  return {
    name: "offline",
    provider: "offline",
    profile: PROFILE,
    complete: async (request, { signal, onDelta }) => {
      signal.throwIfAborted();
      const completion = toCompletion(request, decide(request));
      if (completion.text) onDelta?.({ kind: "text", text: completion.text });
      for (const { name } of completion.calls) onDelta?.({ kind: "call", name });
      return completion;
    },
  };
}

interface Decision {
  /** Without calls: the plain answer. */
  readonly text: string;
  readonly calls: readonly Wanted[];
}

const WAIT: Decision = { text: "", calls: [{ action: "noop", parameters: {} }] };
const NOTHING: Decision = { text: "There is nothing for me to do.", calls: [] };

function decide(request: ModelRequest): Decision {
  const view = readView(request);
  if (request.tools.length === 0) return refuseText(view);
  const moves = movesOf(view);
  const { value: move } = moves.next();
  if (!move) return view.tools.has("noop") ? WAIT : NOTHING;
  if (move.kind === "act") return move;
  return tell(view, move, moves.next().done ? "then wait" : "then go on");
}

/** What there is to do, most urgent first. */
function* movesOf(view: OfflineView): Generator<Move, undefined> {
  yield* errandMoves(view, () => waitsOf(view));
  const team = [
    ...openShares(view).map((share) => () => shareMove(view, share)),
    ...openSurveys(view).map((survey) => () => surveyMove(view, survey)),
  ];
  for (const next of team) {
    const move = next();
    // An agent may lack the actions for its part; then there is nothing to do.
    if (move.kind === "tell" || (move.kind === "act" && move.calls.length > 0)) yield move;
  }
}

function waitsOf(view: OfflineView): readonly string[] {
  return openSurveys(view)
    .map((survey) => surveyMove(view, survey))
    .flatMap((move) => (move.kind === "wait" ? [move.text] : []));
}

/** A plain answer goes to whoever wrote last and lets the agent wait; everything else is a message. */
function tell(
  view: OfflineView,
  { replies }: Move & { kind: "tell" },
  then: "then wait" | "then go on",
): Decision {
  const [reply, another] = replies;
  const asker = view.mails.at(-1)?.mail.from;
  const isPlain = then === "then wait" && !another && reply?.to.join() === asker;
  if (isPlain || !view.tools.has("sendMessage")) {
    return { text: replies.map(({ text }) => text).join("\n\n"), calls: [] };
  }
  return { text: "", calls: replies.map(sendMessage) };
}

/** With the text protocol results do not tell what they are results of, so it is beyond rules. */
function refuseText({ mails, decisions }: OfflineView): Decision {
  const newest = mails.at(-1);
  const isNew = newest !== undefined && newest.at > (decisions.at(-1)?.at ?? -1);
  if (!isNew || newest.mail.from !== CONTROL) return { text: "noop", calls: [] };
  const message =
    "I run on the offline model, which needs the protocol `tools`; set it in the agent's definition.";
  return { text: `sendMessage\ntargetAgentId: ${CONTROL}\nmessage: ${message}`, calls: [] };
}

function toCompletion(request: ModelRequest, { text, calls }: Decision): Completion {
  const raw = calls.map(({ action, parameters }, index) => ({
    id: `call-${index + 1}`,
    name: action,
    arguments: JSON.stringify(parameters),
  }));
  const output = raw.reduce(
    (sum, call) => sum + estimateTokens(call.name + call.arguments),
    estimateTokens(text),
  );
  return {
    text,
    calls: raw,
    usage: { input: inputTokens(request), output },
    stop: raw.length > 0 ? "calls" : "end",
  };
}

function inputTokens({ system, tools, turns, pinned }: ModelRequest): number {
  const history = turns.reduce((sum, turn) => sum + turnTokens(turn), 0);
  return estimateTokens(system) + toolTokens(tools) + history + estimateTokens(pinned);
}

const toolTokens = remember((tools: readonly ToolSpec[]) => estimateTokens(JSON.stringify(tools)));

const turnTokens = remember((turn: Turn) => {
  if (turn.role === "user") return estimateTokens(turn.text);
  if (turn.role === "results")
    return turn.results.reduce((sum, { content }) => sum + estimateTokens(content), 0);
  return estimateTokens(turn.text) + estimateTokens(JSON.stringify(turn.calls));
});
