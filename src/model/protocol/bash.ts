// Actions are commands of a shell: native calls of one tool, or exactly one command in a reply. The history is shown as it stands
// in the log.

import type { Call } from "../../domain/event/event.ts";
import type { CallResult, Completion } from "../../domain/model.ts";
import { fieldsOf } from "../../base/text/json.ts";
import { isCut, readNativeCalls } from "./native-calls.ts";
import type { Parsed, Protocol, ShownDecision, ShownResult } from "./protocol.ts";

/** The one action there is. */
export const BASH = "bash";
/** What of a reply is a command where nobody says otherwise, in Python's syntax: a fence of bash. */
export const FENCE = "```(?:bash|sh|mswea_bash_command)\\s*\\n(.*?)\\n```";

/** Finds in a text what fits an expression in Python's syntax, by its first group if it has one. */
export type FindAll = (expression: string, text: string) => Promise<readonly string[]>;

const LINEAR = { name: BASH, history: "linear", instructions: () => "" } as const;

/** Commands are native calls, any number in a completion. */
export const bashByCalls: Protocol = {
  ...LINEAR,
  form: "bash by calls",
  tools: (actions) => actions.map(({ name, description, parameters }) => ({ name, description, parameters })),
  parse(completion) {
    const calls = readNativeCalls(completion);
    if (calls.length === 0) return unparsed(completion, "There was no call of the tool `bash`.");
    const stranger = calls.find(({ action }) => action !== BASH);
    if (stranger)
      return unparsed(completion, `There is no tool ${JSON.stringify(stranger.action)}: call \`bash\`.`);
    const wrong = calls.map(mistakeIn).find((mistake) => mistake !== undefined);
    if (wrong !== undefined) return unparsed(completion, `${wrong}: it takes a text, {"command": "..."}.`);
    return { kind: "calls", calls: calls.map(withCommandAlone) };
  },
  decision: ({ text, calls, model, provider }) => ({ role: "assistant", text, calls, model, provider }),
  results(results) {
    const ofCalls = results.filter((result): result is CallResult => result.call !== null);
    return ofCalls.length < results.length ? asText(results) : { role: "results", results: ofCalls };
  },
};

/** Models bring along what nobody asked for, such as a description. */
function withCommandAlone(call: Call): Call {
  return { ...call, parameters: { command: commandOf(call) } };
}

/** Why it cannot be run; `undefined` if it can. */
function mistakeIn({ parameters }: Call): string | undefined {
  if (typeof parameters !== "object" || parameters === null || Array.isArray(parameters))
    return "The arguments of the call of `bash` are no object of JSON";
  const { command } = fieldsOf(parameters);
  if (command === undefined) return 'The call of `bash` has no "command"';
  if (typeof command !== "string") return 'The "command" of the call of `bash` is no text';
  return command.trim() === "" ? 'The "command" of the call of `bash` is empty' : undefined;
}

/** A command is what `expression` finds in the text of a completion, which has to be exactly one. */
export function bashByText(expression: string, findAll: FindAll): Protocol {
  return {
    ...LINEAR,
    form: "bash by text",
    tools: () => [],
    async parse(completion) {
      const found = await findAll(expression, completion.text);
      const [command, another] = found;
      if (command === undefined || another !== undefined)
        return unparsed(completion, `Expected exactly one command, found ${found.length}.`, found);
      if (command.trim() === "") return unparsed(completion, "The command is empty.", found);
      return { kind: "calls", calls: [{ id: "1", action: BASH, parameters: { command: command.trim() } }] };
    },
    decision: (decision) => ({ role: "assistant", text: written(decision), calls: [] }),
    results: asText,
  };
}

const CUT =
  "The reply was cut off because it became too long: a command in it would be half of what was meant.";

function unparsed(completion: Completion, reason: string, found: readonly string[] = []): Parsed {
  return { kind: "unparsed", reason: isCut(completion) ? CUT : reason, found };
}

/** `undefined` where a call holds none. */
export function commandOf({ parameters }: Pick<Call, "parameters">): string | undefined {
  const { command } = fieldsOf(parameters);
  return typeof command === "string" ? command : undefined;
}

/** With the commands that the text does not hold itself: those of native calls, and what a person typed. */
function written({ text, calls }: ShownDecision): string {
  const commands = calls.map((call) => commandOf(call) ?? "").filter((command) => !text.includes(command));
  return [text, ...commands.map((command) => `\`\`\`bash\n${command}\n\`\`\``)].filter(Boolean).join("\n\n");
}

function asText(results: readonly ShownResult[]) {
  return { role: "user", text: results.map(({ content }) => content).join("\n\n") } as const;
}
