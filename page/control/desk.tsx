// From here the person speaks to agents and steers them.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { MODES } from "../../src/domain/supervision.ts";
import type { Targets } from "../../src/control/api/routes.ts";
import { oneLine } from "../parts/shown.ts";
import { isLive } from "../place.ts";
import { named, order, say, setMode, type SpokenLane } from "./acts.ts";
import { Outcomes } from "./outcomes.tsx";

interface DeskProps {
  /** `undefined`: nobody is chosen. */
  readonly targets: Targets | undefined;
  onDone?(): void;
}

const LANES: readonly (readonly [SpokenLane, string, string])[] = [
  ["normal", "Say", "It is read with the next mail."],
  ["steer", "Steer", "What runs is finished, nothing further begins, then this is read."],
  ["follow-up", "Follow up", "It is read when the agent would otherwise rest."],
  ["abort", "Interrupt", "What runs is stopped at once, then this is read."],
];
/** What `legion abort` says. */
const ABORT = "Stop what you are doing at once, leave it as it is, and wait for mail.";

export function Desk({ targets, onDone }: DeskProps): JSX.Element | null {
  // Nobody can be told anything in the past, or from a file.
  if (!isLive.value) return null;
  return (
    <section class="desk" aria-label="Steer">
      <Outcomes />
      {targets === undefined ? (
        <p class="dim">Nobody is chosen: choose agents with Space or their box to speak to them.</p>
      ) : (
        <>
          <div class="desk-head">
            <span class="to">
              To <b>{oneLine(named(targets))}</b>
            </span>
            {onDone && (
              <button type="button" class="quiet" onClick={onDone}>
                Choose none
              </button>
            )}
            <span class="spring" />
            <Orders targets={targets} />
          </div>
          <Speech targets={targets} />
        </>
      )}
    </section>
  );
}

function Speech({ targets }: { readonly targets: Targets }): JSX.Element {
  const text = useSignal("");
  const lane = useSignal<SpokenLane>("normal");
  const isSending = useSignal(false);
  const hint = LANES.find(([key]) => key === lane.value)![2];
  const send = async (): Promise<void> => {
    if (text.value.trim() === "" || isSending.value) return;
    isSending.value = true;
    const heard = await say(targets, text.value, lane.value);
    isSending.value = false;
    // What was not heard stays to be said again.
    if (heard.outcome === "done") text.value = "";
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void send();
  };
  return (
    <form class="speech" onSubmit={(event) => (event.preventDefault(), void send())}>
      <label>
        <span class="unseen">How it is said</span>
        <select
          title={hint}
          value={lane.value}
          onChange={(event) => (lane.value = event.currentTarget.value as SpokenLane)}
        >
          {LANES.map(([key, title]) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label class="words">
        <span class="unseen">What to say</span>
        <textarea
          rows={1}
          value={text.value}
          placeholder={hint}
          onInput={(event) => (text.value = event.currentTarget.value)}
          onKeyDown={onKey}
        />
      </label>
      <button type="submit" class="main" disabled={text.value.trim() === "" || isSending.value}>
        Send
      </button>
    </form>
  );
}

function Orders({ targets: to }: { readonly targets: Targets }): JSX.Element {
  return (
    <div class="orders" role="group" aria-label="Orders">
      <Sure words="Abort" onSure={() => void say(to, ABORT, "abort")} />
      <button type="button" onClick={() => void order(to, "pause")}>
        Pause
      </button>
      <button type="button" onClick={() => void order(to, "resume")}>
        Resume
      </button>
      <Sure words="Stop" onSure={() => void order(to, "stop")} />
      <label>
        <span class="unseen">Mode</span>
        <select
          value=""
          onChange={({ currentTarget }) => {
            const mode = MODES.find((one) => one === currentTarget.value);
            currentTarget.value = "";
            if (mode) void setMode(to, mode);
          }}
        >
          <option value="">Mode…</option>
          {MODES.map((mode) => (
            <option key={mode} value={mode}>
              {mode}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

interface SureProps {
  readonly words: string;
  onSure(): void;
}

/** A button that asks once more before it does what cannot be taken back. */
function Sure({ words, onSure }: SureProps): JSX.Element {
  const isAsked = useSignal(false);
  const press = (): void => {
    if (isAsked.value) onSure();
    isAsked.value = !isAsked.value;
  };
  return (
    <button
      type="button"
      class={isAsked.value ? "sure" : ""}

      onClick={press}
      onBlur={() => (isAsked.value = false)}
      onKeyDown={(event) => event.key === "Escape" && (isAsked.value = false)}
    >
      {isAsked.value ? `${words}: sure?` : words}
    </button>
  );
}
