// What a person can have of one event: the prompt that was shown newest by then, and that the agent goes on from there.

import { useSignal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import type { Event } from "../../src/domain/event/event.ts";
import { isFile } from "../connection/record.ts";
import { GoOn } from "./go-on.tsx";
import { Prompt } from "./prompt.tsx";

interface MoreProps {
  readonly agent: string;
  readonly event: Event;
}

export function MoreButton({
  seq,
  isOpen,
}: {
  readonly seq: number;
  readonly isOpen: Signal<boolean>;
}): JSX.Element {
  return (
    <button
      type="button"
      class="quiet more"
      aria-label={`What can be done with event ${seq}`}
      title="Prompt, go on from here"
      aria-expanded={isOpen.value}
      onClick={() => (isOpen.value = !isOpen.value)}
    >
      ⋯
    </button>
  );
}

export function More({ agent, event }: MoreProps): JSX.Element {
  const { seq } = event;
  const shown = useSignal<"prompt" | "fork" | undefined>(undefined);
  const turn = (to: "prompt" | "fork") => () => (shown.value = shown.value === to ? undefined : to);
  return (
    <div class="event-more">
      <button type="button" aria-expanded={shown.value === "prompt"} onClick={turn("prompt")}>
        Prompt by then
      </button>{" "}
      {!isFile && (
        <button type="button" aria-expanded={shown.value === "fork"} onClick={turn("fork")}>
          Go on from here…
        </button>
      )}
      {shown.value === "prompt" && <Prompt agent={agent} at={seq} />}
      {shown.value === "fork" && (
        <GoOn agent={agent} event={event} onDone={() => (shown.value = undefined)} />
      )}
    </div>
  );
}
