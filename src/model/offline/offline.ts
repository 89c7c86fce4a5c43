// The built-in model that needs no key: rules instead of reasoning. A pure function of the request, so that it is asked,
// logged, limited and replayed like every other model.

import { CONTROL } from "../../domain/message/message.ts";
import type { Model, ModelProfile, ModelRequest } from "../../domain/model.ts";
import { estimateUsage } from "../tokens/tokens.ts";
import type { Wanted } from "./commands.ts";
import { errandMove } from "./errands.ts";
import { sendMessage, type Move } from "./move.ts";
import { surveyMove } from "./survey.ts";
import { openSurveys } from "./surveys.ts";
import { readView, type OfflineView } from "./view.ts";

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
    isInside: true,
    profile: PROFILE,
    complete: async (request, { signal, onDelta }) => {
      signal.throwIfAborted();
      const { text, calls: wanted } = decide(request);
      const calls = wanted.map(({ action, parameters }, index) => ({
        id: `call-${index + 1}`,
        name: action,
        arguments: JSON.stringify(parameters),
      }));
      if (text) onDelta?.({ kind: "text", text });
      for (const { id, name } of calls) onDelta?.({ kind: "call", id, name });
      const usage = estimateUsage(request, [text, ...calls.flatMap((call) => [call.name, call.arguments])]);
      return { text, calls, usage, stop: calls.length > 0 ? "calls" : "end" };
    },
  };
}

interface Decision {
  /** Without calls: the plain answer. */
  readonly text: string;
  readonly calls: readonly Wanted[];
}

/** Everything that was asked for, and a step of the first survey that has one to make. */
function decide(request: ModelRequest): Decision {
  const view = readView(request);
  if (request.tools.length === 0) return refuseText(view);
  const surveys = openSurveys(view).map((survey) => surveyMove(view, survey));
  const waits = surveys.filter((move) => !isBusy(move)).map(({ says }) => says);
  const moves = [errandMove(view, waits), surveys.find(isBusy)].flatMap((move) =>
    move && isBusy(move) ? [move] : [],
  );
  const calls = moves.flatMap((move) => move.calls);
  const replies = moves.flatMap((move) => move.replies);
  if (calls.length + replies.length === 0) return idle(view);
  // A plain answer goes to whoever wrote last and lets the agent wait; everything else is a message.
  const [reply, another] = replies;
  const isPlain = calls.length === 0 && !another && reply?.to.join() === view.newest?.from;
  if (isPlain || (calls.length === 0 && !view.tools.has("sendMessage")))
    return { text: replies.map(({ text }) => text).join("\n\n"), calls };
  const letters = view.tools.has("sendMessage") ? replies.map(sendMessage) : [];
  return {
    text: moves
      .map(({ says }) => says)
      .join(" ")
      .trim(),
    calls: [...calls, ...letters],
  };
}

function isBusy({ calls, replies }: Move): boolean {
  return calls.length + replies.length > 0;
}

function idle({ tools }: OfflineView): Decision {
  if (tools.has("noop")) return { text: "", calls: [{ action: "noop", parameters: {} }] };
  return { text: "There is nothing for me to do.", calls: [] };
}

/** With the text protocol results do not tell what they are results of, so it is beyond rules. */
function refuseText({ newest, decisions }: OfflineView): Decision {
  const isNew = newest !== undefined && newest.at > (decisions.at(-1)?.at ?? -1);
  if (!isNew || newest.from !== CONTROL) return { text: "noop", calls: [] };
  const message =
    "I run on the offline model, which needs the protocol `tools`; set it in the agent's definition.";
  return { text: `sendMessage\ntargetAgentId: ${CONTROL}\nmessage: ${message}`, calls: [] };
}
