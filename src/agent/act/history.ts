// An agent's own past as its modules may ask for it; read from the log, so nothing of it is ever out of reach.

import type { Event } from "../../domain/event.ts";
import type { ReadablePast } from "../../past/past.ts";
import type { History, PastEvent } from "../../domain/module.ts";
import { renderMessage } from "../../past/view.ts";

export function createHistory(memory: ReadablePast): History {
  return {
    async search(query, limit) {
      const words = query.toLowerCase().split(/\s+/).filter(Boolean);
      const found: PastEvent[] = [];
      let isRecalling = false;
      for await (const event of memory.past()) {
        // Earlier searches would find themselves, and push out what they were looking for.
        if (event.kind === "decision") isRecalling = event.calls.some(({ action }) => action === "recall");
        const past = toPast(event);
        if (!past || (isRecalling && isOfDecision(event))) continue;
        const text = past.text.toLowerCase();
        if (words.every((word) => text.includes(word))) found.push(past);
        if (found.length > limit) found.shift();
      }
      return found.reverse();
    },
    async open(seq) {
      for await (const event of memory.past(seq)) return event.seq === seq ? toPast(event) : undefined;
      return undefined;
    },
    latestInstruction: () => memory.conversation.instruction?.content,
  };
}

function isOfDecision({ kind }: Event): boolean {
  return kind === "decision" || kind === "result";
}

/** What an agent may remember of an event; `undefined` for the runtime's own book-keeping. */
function toPast(event: Event): PastEvent | undefined {
  const text = textOfEvent(event);
  return text === undefined ? undefined : { seq: event.seq, at: event.at, text };
}

function textOfEvent(event: Event): string | undefined {
  if (event.kind === "message") return renderMessage(event.message);
  if (event.kind === "result" || event.kind === "summary") return event.content;
  if (event.kind !== "decision") return undefined;
  const calls = event.calls.map(({ action, parameters }) => `${action} ${JSON.stringify(parameters)}`);
  return [event.text, ...calls].filter(Boolean).join("\n");
}
