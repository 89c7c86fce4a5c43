import { findSpec, parametersOf } from "../../domain/action-spec.ts";
import type { CallResult, Completion, Turn } from "../../domain/model.ts";
import type { ActionSpec } from "../../domain/authoring/host.ts";
import { isCut, readNativeCalls } from "./native-calls.ts";
import type { Parsed, PlainProtocol, ShownDecision, ShownResult } from "./protocol.ts";
import { isWritten, readAction, toCall } from "./text-search.ts";
import type { WrittenAction } from "./text-syntax.ts";
import { REFUSED, textProtocol } from "./text.ts";

/** Actions are the native tools of the provider, any number in a completion; none is a plain answer. */
export const toolsProtocol: PlainProtocol = {
  name: "tools",
  form: "tools",
  history: "told",
  instructions: () => INSTRUCTIONS,
  tools: (actions) => actions.map(({ name, description, parameters }) => ({ name, description, parameters })),
  parse,
  decision: showDecision,
  results: showResults,
};

const INSTRUCTIONS = `You act by calling your tools. You may call several at once: they run one after the other, in the \
order in which you wrote them, and you see all results together.

- Text beside a tool call reaches nobody. A response without any tool call is sent as your answer to whoever wrote to \
you last, and then you wait for mail: end your work with it, and do not only announce in it what you are about to do.
- If there is nothing to do and nothing to say, call \`noop\`.
- You are not a chat bot. You decide yourself what to do next and go on until your work is done.`;

function parse(completion: Completion, actions: readonly ActionSpec[]): Parsed {
  if (completion.calls.length > 0) return { kind: "calls", calls: readNativeCalls(completion) };
  if (completion.text.trim() === "") return { kind: "unparsed", reason: whyEmpty(completion) };
  const written = isCut(completion) ? undefined : readWritten(completion.text, actions);
  if (!written) return { kind: "calls", calls: [] };
  return { kind: "calls", calls: [toCall(written)], thoughts: written.thoughts };
}

function whyEmpty({ stop }: Completion): string {
  if (stop === "refused") return REFUSED;
  return stop === "length" ? USED_UP : EMPTY;
}

const USED_UP =
  "Your response was used up before it held anything: thinking counts, too. Think less at once, then call a tool or " +
  "answer in words.";

const EMPTY =
  "Your response was empty. Call a tool, or answer in words; if there is nothing to do, call `noop`.";

/** Some models write a call as text. Taken for one only where nothing else can be meant. */
function readWritten(text: string, actions: readonly ActionSpec[]): WrittenAction | undefined {
  const reading = readAction(text);
  if (reading.kind !== "action") return undefined;
  const spec = findSpec(reading.action.name, actions);
  if (!spec) return undefined;
  const known = new Set(parametersOf(spec).map(({ name }) => name));
  return Object.keys(reading.action.parameters).every((name) => known.has(name)) ? reading.action : undefined;
}

function showDecision(decision: ShownDecision): Turn {
  const { text, calls, model, provider } = decision;
  // Shown as a native call, so that the model sees the right form and no provider is asked for a call it did not make.
  if (isWritten(decision)) return { role: "assistant", text: "", calls };
  return { role: "assistant", text, calls, model, provider };
}

function showResults(results: readonly ShownResult[]): Turn {
  const ofCalls = results.filter((result): result is CallResult => result.call !== null);
  if (ofCalls.length < results.length) return textProtocol.results(results);
  return {
    role: "results",
    results: ofCalls.map(({ call, content, isError }) => ({ call, content, isError })),
  };
}
