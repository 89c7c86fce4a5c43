// What a running action tells of itself: passed on a few times a second, and never more than a screenful at once.

import type { Clock } from "../../base/clock.ts";
import type { Redactor } from "../../base/redaction/redactor.ts";
import type { Call } from "../../domain/event/event.ts";
import type { Presence } from "../parts/presence.ts";

export interface CallProgress {
  /** Never throws, also once the action has ended: what it left in the background may go on to tell. */
  tell(text: string): void;
  /** Shows at once what was held back. */
  settle(): void;
}

const PAUSE_MS = 100;
const MOST_AT_ONCE = 4_096;
/** A pause is short, and whoever ends does not wait for it. */
const NEVER = new AbortController().signal;

/** What it takes to show it. */
interface ProgressSource {
  readonly redactor: Redactor;
  readonly presence: Pick<Presence, "progress">;
  readonly shared: { readonly clock: Pick<Clock, "sleep"> };
}

export function createProgress(
  { presence, shared, redactor }: ProgressSource,
  { id }: Pick<Call, "id">,
): CallProgress {
  const pieces = redactor.pieces();
  let pending = "";
  let isPausing = false;
  const show = (): void => {
    if (pending !== "") presence.progress(id, pending);
    pending = "";
  };
  const hold = (text: string): void => {
    const all = pending + text;
    pending = all.length > MOST_AT_ONCE ? `…${all.slice(-MOST_AT_ONCE)}` : all;
  };
  const showOrPause = (): void => {
    if (isPausing || pending === "") return;
    show();
    isPausing = true;
    void shared.clock.sleep(PAUSE_MS, NEVER).then(() => {
      isPausing = false;
      showOrPause();
    });
  };
  return {
    tell(text) {
      hold(pieces.add(String(text)));
      showOrPause();
    },
    settle() {
      hold(pieces.end());
      show();
    },
  };
}
