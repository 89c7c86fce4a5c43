// Turns in the form of OpenAI's chat completions, as JSON.

import { toJson, wireName } from "../http/body.ts";
import { createJoiner, joinMembers, type Written } from "../http/turns.ts";
import type { CallResult, ModelRequest, Turn } from "../../domain/model.ts";

/** `alternate`: as many models behind compatible servers ask, neighbouring messages of the user become parts of one. */
export type Roles = "free" | "alternate";

interface WrittenTurn extends Written {
  readonly text?: string;
}

/** Returns what writes the messages of a request, as a JSON array. */
export function createOpenAiHistory(
  roles: Roles,
): (request: Pick<ModelRequest, "system" | "turns" | "pinned">) => string {
  const writeSaid = (text: string): WrittenTurn => ({
    json: text.trim() === "" ? "" : writeUser([text]),
    text,
    kind: roles === "alternate" ? "user" : undefined,
  });
  const join = createJoiner<WrittenTurn>({
    write: (turn) => (turn.role === "user" ? writeSaid(turn.text) : { json: writeTurn(turn) }),
    merge,
    open: 1,
  });
  return ({ system, turns, pinned }) => {
    const { closed, open } = join(turns);
    const last = writeSaid(pinned);
    if (last.json !== "") {
      if (last.kind !== undefined && open.at(-1)?.[0]?.kind === last.kind) open.at(-1)!.push(last);
      else open.push([last]);
    }
    const opening = system.trim() === "" ? "" : toJson({ role: "system", content: system });
    return `[${joinMembers(opening, closed, ...open.map(merge)) || writeUser(["(no message)"])}]`;
  };
}

function merge(neighbours: readonly WrittenTurn[]): string {
  return neighbours.length === 1 ? neighbours[0]!.json : writeUser(neighbours.map(({ text = "" }) => text));
}

function writeUser(texts: readonly string[]): string {
  const content = texts.length === 1 ? texts[0] : texts.map((text) => ({ type: "text", text }));
  return toJson({ role: "user", content });
}

function writeTurn(turn: Exclude<Turn, { role: "user" }>): string {
  if (turn.role === "results") return joinMembers(...turn.results.map(writeResult));
  const content = turn.text.trim() === "" ? null : turn.text;
  if (turn.calls.length === 0) return content === null ? "" : toJson({ role: "assistant", content });
  const calls = turn.calls.map(({ id, action, parameters }) => ({
    id: wireName(id),
    type: "function",
    function: { name: wireName(action), arguments: writeArguments(parameters) },
  }));
  return toJson({ role: "assistant", content, tool_calls: calls });
}

function writeResult({ call, content }: CallResult): string {
  return toJson({ role: "tool", tool_call_id: wireName(call), content });
}

/** What was no object is quoted by the error that followed it; servers read this as JSON. */
function writeArguments(parameters: unknown): string {
  return typeof parameters === "object" && parameters !== null ? JSON.stringify(parameters) : "{}";
}
