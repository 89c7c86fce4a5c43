import type { Completion } from "../../domain/model.ts";
import { findSpec, isNamed } from "../../domain/action-spec.ts";
import type { ActionSpec } from "../../domain/authoring/host.ts";
import { escapeHeaders, quote } from "../../base/text/wording.ts";
import { readNativeCalls } from "./native-calls.ts";
import type { Parsed, PlainProtocol, ShownDecision, ShownResult } from "./protocol.ts";
import { findAction, isWritten, toCall } from "./text-search.ts";
import { MULTILINE_DELIMITER, writeAction, type Reading } from "./text-syntax.ts";

/** Actions are written as text, one in a completion. For models that cannot call tools. */
export const textProtocol: PlainProtocol = {
  name: "text",
  form: "text",
  history: "told",
  instructions,
  tools: () => [],
  parse,
  decision: (decision) => ({ role: "assistant", text: textOf(decision), calls: [] }),
  results: (results) => ({ role: "user", text: writeResults(results) }),
};

function instructions(actions: readonly ActionSpec[]): string {
  const { right, wrong } = examplesWith(actions);
  return `You act by writing actions. Each of your responses is exactly one action, from its first character to its last: \
the name of the action alone on the first line, then its parameters, each on a line as \`parameter: value\`.

This is a right response:

${right}

This is a wrong one, because there is more in it than the action:

${wrong}

These are your actions:

${actions.map(({ name, description }) => `${name} - ${description}`).join("\n")}

- Call \`help\` before you use an action for the first time: it shows the parameters of that action.
- Every action also takes \`thoughts\`: the reasoning behind it.
- A value of more than one line goes between two delimiters. The delimiter is \`${MULTILINE_DELIMITER}\`:

\`\`\`
nameOfTheAction
parameter: ${MULTILINE_DELIMITER}
The first line of the value
The second line of the value
${MULTILINE_DELIMITER}
otherParameter: a value of one line
\`\`\`

- Values are taken literally. Only double quotes around a whole value are removed, unless it stands between delimiters.
- Answer every message with an action. If there is nothing to do, that action is \`noop\`.
- You are not a chat bot. You decide yourself what to do next, and what you write outside of an action reaches nobody.`;
}

/** About an action that this agent has: it will try what it is shown. */
function examplesWith(actions: readonly ActionSpec[]): { readonly right: string; readonly wrong: string } {
  const about = actions.find(({ name }) => name !== "help" && name !== "noop")?.name ?? "noop";
  const thoughts = `I have not used ${about} so far, so I look up how to.`;
  return {
    right: fenced(writeAction("help", { aboutAction: about }, thoughts)),
    wrong: fenced(
      `Let me look up how to use ${about} first.\n${writeAction("help", { aboutAction: about })}`,
    ),
  };
}

function fenced(text: string): string {
  return `\`\`\`\n${text}\n\`\`\``;
}

function parse(completion: Completion, actions: readonly ActionSpec[]): Parsed {
  if (completion.calls.length > 0) return { kind: "calls", calls: readNativeCalls(completion) };
  if (completion.stop === "refused") return { kind: "unparsed", reason: REFUSED };
  if (completion.stop === "length") return { kind: "unparsed", reason: CUT };
  const reading = findAction(completion.text, (name) => isNamed(name, actions));
  // Kept as it was written: what is wrong with it is found, and said, when the call is checked.
  if (reading.kind === "broken" && findSpec(reading.name, actions))
    return { kind: "calls", calls: [toCall({ name: reading.name, parameters: reading.text })] };
  if (reading.kind !== "action") return { kind: "unparsed", reason: reasonFor(reading, actions) };
  return { kind: "calls", calls: [toCall(reading.action)], thoughts: reading.action.thoughts };
}

/** Said to a model whose provider let nothing of its answer through. */
export const REFUSED = `Your response was refused by the provider's filter, so nothing was done. \
Go on in another way, or say to whoever waits for you that this cannot be done.`;

const CUT = `Your response was cut off because it was too long, so nothing was done. \
Write a shorter one, and divide what is long over several actions.`;

function reasonFor(reading: Exclude<Reading, { kind: "action" }>, actions: readonly ActionSpec[]): string {
  // A single word before prose reads like a name at first.
  const firstLine = reading.kind === "broken" ? reading.name : reading.firstLine;
  const mistake =
    firstLine === "" ? "it is empty" : `its first line, ${quote(firstLine)}, is not the name of an action`;
  return `Your response could not be read as an action: ${mistake}. \
Your whole response has to be one action, such as this, or \`noop\` if there is nothing to do:\n\n${examplesWith(actions).right}`;
}

function textOf(decision: ShownDecision): string {
  const { text, calls } = decision;
  if (calls.length === 0 || isWritten(decision)) return text;
  const [first, ...others] = calls;
  return [
    writeAction(first!.action, first!.parameters, text.trim()),
    ...others.map((call) => writeAction(call.action, call.parameters)),
  ].join("\n\n");
}

/** What came of a decision, as one text: errors under a header, nothing else that looks like one. */
function writeResults(results: readonly ShownResult[]): string {
  return results
    .map(({ content, isError }) => `${isError ? "--- ERROR ---\n\n" : ""}${escapeHeaders(content)}`)
    .filter((content) => content !== "")
    .join("\n\n");
}
