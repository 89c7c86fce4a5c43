import type { Call } from "../../domain/event.ts";
import type { Completion } from "../../domain/model.ts";
import { repairJson } from "./json.ts";

/** The native calls of a completion, in order. Ids are the provider's where they tell the calls apart. */
export function readNativeCalls(completion: Completion): Call[] {
  const ending = isCut(completion) ? "cut" : "whole";
  const taken = new Set<string>();
  return completion.calls.map((raw, index) => {
    const json = repairJson(raw.arguments, ending);
    const id = raw.id === "" || taken.has(raw.id) ? freeId(taken, index + 1) : raw.id;
    taken.add(id);
    return { id, action: raw.name, parameters: json ? json.value : raw.arguments };
  });
}

/** Was the completion stopped in the middle, so that its end may be half of what was meant? */
export function isCut({ stop }: Completion): boolean {
  return stop === "length" || stop === "refused";
}

function freeId(taken: ReadonlySet<string>, first: number): string {
  let n = first;
  while (taken.has(`n${n}`)) n++;
  return `n${n}`;
}
