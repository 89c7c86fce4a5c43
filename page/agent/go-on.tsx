// From an earlier event an agent goes on in another way, or a new one does with that past. It is asked before it is done.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { forkFrom } from "../control/acts.ts";
import { nameOf, overview } from "../legion/overview.ts";
import { oneLine } from "../parts/shown.ts";

interface GoOnProps {
  readonly agent: string;
  readonly seq: number;
  onDone(): void;
}

export function GoOn({ agent, seq, onDone }: GoOnProps): JSX.Element {
  const way = useSignal<"branch" | "new">("branch");
  const id = useSignal(freeId(agent));
  const isSending = useSignal(false);
  const name = oneLine(nameOf(agent));
  const isNew = way.value === "new";
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isSending.value) return;
    isSending.value = true;
    const heard = await forkFrom({ agent, at: seq, as: isNew ? id.value.trim() : undefined });
    isSending.value = false;
    if (heard.outcome === "done") onDone();
  };
  return (
    <form class="go-on" aria-label={`Go on from event ${seq}`} onSubmit={(event) => void send(event)}>
      <label>
        <input type="radio" checked={!isNew} onChange={() => (way.value = "branch")} /> {name} itself, on a
        new branch: it forgets what came after event {seq}; its log keeps that
      </label>
      <label>
        <input type="radio" checked={isNew} onChange={() => (way.value = "new")} /> a new agent with this
        past; {name} stays as it is
      </label>
      {isNew && (
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
      )}
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

/** The first of `2b`, `2c`, … that nobody has. */
function freeId(agent: string): string {
  const free = "bcdefghijklmnopqrstuvwxyz".split("").map((letter) => agent + letter);
  return free.find((id) => !overview.peek()?.agents.has(id)) ?? "";
}
