// What the model of an agent with a director would be asked next: what its rules do before that is only played, with what they
// read now. Nothing is written.

import type { PromptSource } from "../../agent/parts/agent.ts";
import type { Workplace } from "../../agent/parts/workplace.ts";
import { checkCall } from "../../agent/act/check-call.ts";
import { byRules, directionOf, requestFor, standingRequest } from "../../agent/think/direct.ts";
import { LegionError } from "../../base/errors.ts";
import type { Call, NewEvent } from "../../domain/event/event.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import type { ModelRequest } from "../../domain/model.ts";
import { readUnheard } from "../observing/behind.ts";
import type { Observation, UnheardMessage } from "../observing/reading.ts";
import { ending, toDo } from "../observing/sessions.ts";

/** An agent that does not run. */
export interface DormantSource extends PromptSource {
  readonly workplace: Workplace;
  /** Takes an event into account as if it were in the log. */
  see(event: NewEvent): void;
}

type Observer = Pick<Observation, "observer" | "observe" | "reader">;

/** More than any rules do before they ask. */
const MOST_STEPS = 100;

/** Where nothing waits for it, what stands in every question. Throws REFUSED where its rules go on without asking. */
export async function nextQuestion(source: DormantSource, observer: Observer): Promise<ModelRequest> {
  const { invocations } = source.memory.conversation;
  let waiting: UnheardMessage | undefined;
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const { open } = invocations;
    if (!open) {
      waiting ??= await oldestUnheard(observer);
      const next = nextThing(source, waiting);
      if (!next) return standingRequest(source);
      source.see(next);
      continue;
    }
    const direction = directionOf(source, open);
    if (direction.kind === "ask") return requestFor(source, direction);
    const decision = byRules(source, direction);
    source.see(decision);
    for (const call of decision.calls) source.see(await read(source, call, observer.observer));
  }
  throw new LegionError("REFUSED", `${displayName(observer.observer)} asks its model nothing by its rules`);
}

/** The oldest message that waits, or else the end of the session that will be over first; `undefined`: there is neither. */
function nextThing({ memory }: DormantSource, waiting: UnheardMessage | undefined): NewEvent | undefined {
  const { invocations } = memory.conversation;
  if (waiting) return toDo(waiting, invocations);
  const [first] = [...invocations.sessions].sort(([, a], [, b]) => a.saidMs - b.saidMs);
  return first && ending(first[0], first[1].of);
}

async function oldestUnheard({ reader, ...counted }: Observer): Promise<UnheardMessage | undefined> {
  let oldest: UnheardMessage | undefined;
  for await (const one of readUnheard(reader, counted)) if (!oldest || one.at < oldest.at) oldest = one;
  return oldest;
}

/** Throws REFUSED for a call that does more than read. */
async function read({ modules }: DormantSource, call: Call, id: AgentId): Promise<NewEvent> {
  const checked = checkCall(call, modules);
  if (checked.kind === "refused" || checked.ready.action.effects !== "reads")
    throw new LegionError(
      "REFUSED",
      `the next thing that ${displayName(id)} does is ${call.action}, by rules: its model is asked nothing for it`,
    );
  const { action, module, parameters } = checked.ready;
  const result = await action.execute(parameters, modules.host(module));
  return { kind: "result", call: call.id, ...result };
}
