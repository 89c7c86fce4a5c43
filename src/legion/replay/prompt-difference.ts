// What a model would be shown today against what it was shown when it was recorded.

import type { Difference } from "./difference.ts";
import { withoutNumbers } from "./difference.ts";
import { isLegionError, messageOf } from "../../base/errors.ts";
import type { EventOf } from "../../domain/event.ts";
import type { AgentId } from "../../domain/message.ts";
import type { ModelRequest, Turn } from "../../domain/model.ts";
import { promptAt } from "./past-prompt.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { textOf } from "../../past/view.ts";

type Sides = Pick<Difference, "part" | "recorded" | "today">;

export interface ShownPrompt {
  readonly request: ModelRequest;
  readonly prompted: Pick<EventOf<"prompted">, "prompt" | "introduction">;
}

/** The first part that differs; `undefined` if none does. `pinned` is what was pinned when `recorded` was. */
export async function comparePrompts(
  { reader, agent }: { readonly reader: Reader; readonly agent: AgentId },
  { recorded, pinned }: { readonly recorded: EventOf<"prompted">; readonly pinned: string },
  { request, prompted }: ShownPrompt,
): Promise<Sides | undefined> {
  const isSame = prompted.introduction === recorded.introduction && prompted.prompt === recorded.prompt;
  const pins: Sides = { part: "pinned messages", recorded: pinned, today: request.pinned };
  if (isSame) return pinned === request.pinned ? undefined : pins;
  let before: ModelRequest;
  try {
    before = await promptAt(reader, agent, recorded.seq);
  } catch (error) {
    if (!isLegionError(error, "REFUSED")) throw error;
    const today = toText({ ...request, turns: [] });
    return { part: "prompt", recorded: `(${messageOf(error)})`, today };
  }
  for (const sides of [...introductions(before, request), ...histories(before.turns, request.turns), pins])
    if (!isAlike(sides)) return sides;
  return undefined;
}

function isAlike({ recorded, today }: Sides): boolean {
  return recorded === today || withoutNumbers(recorded) === withoutNumbers(today);
}

function introductions(before: ModelRequest, now: ModelRequest): readonly Sides[] {
  return [
    { part: "system prompt", recorded: before.system, today: now.system },
    { part: "tools", recorded: toText(before.tools), today: toText(now.tools) },
  ];
}

function* histories(before: readonly Turn[], now: readonly Turn[]): Generator<Sides> {
  for (let index = 0; index < Math.max(before.length, now.length); index++) {
    const [recorded, today] = [before[index], now[index]].map(showTurn);
    yield { part: `turn ${index + 1}`, recorded: recorded!, today: today! };
  }
}

function showTurn(turn: Turn | undefined): string {
  return turn ? `${turn.role}:\n${textOf(turn)}` : "(no such turn)";
}

function toText(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
