// A model request as a text for people: everything that is in it, in the order in which the model reads it.

import type { Call } from "../../../domain/event.ts";
import type { ModelRequest, ToolSpec, Turn } from "../../../domain/model.ts";

export function promptText({ system, tools, turns, pinned }: ModelRequest): string {
  return [
    part("SYSTEM", system),
    ...(tools.length > 0 ? [part("TOOLS", tools.map(describeTool).join("\n\n"))] : []),
    ...turns.map(describeTurn),
    ...(pinned === "" ? [] : [part("USER (pinned messages)", pinned)]),
  ].join("\n\n");
}

function part(title: string, text: string): string {
  return `=== ${title} ===\n${text}`;
}

function describeTool({ name, description, parameters }: ToolSpec): string {
  return `${name}: ${description}\n${JSON.stringify(parameters)}`;
}

function describeTurn(turn: Turn): string {
  if (turn.role === "user") return part("USER", turn.text);
  if (turn.role === "assistant") {
    return part(
      "ASSISTANT",
      [turn.text, ...turn.calls.map(describeCall)].filter((text) => text !== "").join("\n"),
    );
  }
  const results = turn.results.map(({ call, content, isError }) => {
    return `[${call}${isError ? ", error" : ""}] ${content}`;
  });
  return part("RESULTS", results.join("\n"));
}

function describeCall({ id, action, parameters }: Call): string {
  return `[${id}] ${action} ${JSON.stringify(parameters)}`;
}
