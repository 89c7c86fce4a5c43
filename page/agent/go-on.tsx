// From an earlier event an agent goes on in another way, or a new one does with that past. It is asked before it is done.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { Event } from "../../src/domain/event/event.ts";
import { forkAsNew, forkFrom, type NewAgentOrder } from "../control/acts.ts";
import { nameOf, overview } from "../legion/overview.ts";
import { oneLine } from "../parts/shown.ts";

interface GoOnProps {
  readonly agent: string;
  readonly event: Event;
  onDone(): void;
}

export function GoOn({ agent, event, onDone }: GoOnProps): JSX.Element {
  const { seq } = event;
  const way = useSignal<"branch" | "new">("branch");
  const other = useOther(agent, event);
  const isSending = useSignal(false);
  const name = oneLine(nameOf(agent));
  const isNew = way.value === "new";
  const send = async (submitted: SubmitEvent): Promise<void> => {
    submitted.preventDefault();
    if (isSending.value) return;
    isSending.value = true;
    const heard = await (isNew ? forkAsNew(other.order()) : forkFrom({ agent, at: seq }));
    isSending.value = false;
    if (heard.outcome === "done") onDone();
  };
  return (
    <form class="go-on" aria-label={`Go on from event ${seq}`} onSubmit={(said) => void send(said)}>
      <label>
        <input type="radio" checked={!isNew} onChange={() => (way.value = "branch")} /> {name} itself, on a
        new branch: it forgets what came after event {seq}; its log keeps that
      </label>
      <label>
        <input type="radio" checked={isNew} onChange={() => (way.value = "new")} /> a new agent with this
        past; {name} stays as it is
      </label>
      {isNew && <Other other={other} said={wordsOf(event)} />}
      <p>
        <b>What was done outside stays done</b>: files, commands, messages that were sent, and what it cost.
      </p>
      <div class="answering">
        <button type="submit" class="main" disabled={isSending.value}>
          Go on from event {seq}
        </button>
        <button type="button" onClick={onDone}>
          Leave it
        </button>
      </div>
    </form>
  );
}

/** What can have been another: what the agent was told. */
function wordsOf(event: Event): { readonly title: string; readonly content: string } | undefined {
  if (event.kind === "message") return { title: "What if it had said", content: event.message.content };
  return event.kind === "result" ? { title: "What if it had come to", content: event.content } : undefined;
}

/** What the person says of the new agent. */
function useOther(agent: string, event: Event) {
  const content = useSignal(wordsOf(event)?.content ?? "");
  const id = useSignal(freeId(agent));
  const model = useSignal("");
  const isHeld = useSignal(true);
  const order = (): NewAgentOrder => ({
    ...{ agent, at: event.seq, as: id.value.trim() },
    ...(content.value !== (wordsOf(event)?.content ?? "") && { content: content.value }),
    ...(model.value.trim() !== "" && { model: model.value.trim() }),
    ...(isHeld.value && { held: true as const }),
  });
  return { content, id, model, isHeld, order };
}

interface OtherProps {
  readonly other: ReturnType<typeof useOther>;
  readonly said: ReturnType<typeof wordsOf>;
}

function Other({ other: { content, id, model, isHeld }, said }: OtherProps): JSX.Element {
  return (
    <>
      <label class="new-id">
        Its id{" "}
        <input
          type="text"
          required
          maxLength={64}
          pattern="[a-z0-9][a-z0-9._\-]*"
          title="a-z, 0-9, dots, _ and -, such as 2b"
          spellcheck={false}
          autocomplete="off"
          value={id.value}
          onInput={(event) => (id.value = event.currentTarget.value)}
        />
      </label>
      {said && (
        <label class="what-if">
          {said.title}
          <textarea
            rows={Math.min(8, content.value.split("\n").length + 1)}
            value={content.value}
            onInput={(event) => (content.value = event.currentTarget.value)}
          />
        </label>
      )}
      <label class="new-model">
        Its model{" "}
        <input
          type="text"
          placeholder="the same"
          spellcheck={false}
          autocomplete="off"
          value={model.value}
          onInput={(event) => (model.value = event.currentTarget.value)}
        />
      </label>
      <label>
        <input
          type="checkbox"
          checked={isHeld.value}
          onChange={(event) => (isHeld.value = event.currentTarget.checked)}
        />{" "}
        held: its calls with effects ask you, and what it says to others waits until you set its mode to usual
      </label>
    </>
  );
}

/** The first of `2b`, `2c`, … that nobody has. */
function freeId(agent: string): string {
  const free = "bcdefghijklmnopqrstuvwxyz".split("").map((letter) => agent + letter);
  return free.find((id) => !overview.peek()?.agents.has(id)) ?? "";
}
