// Another limit in the place of one: of an agent, or of all together.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { formatDuration } from "../../src/base/text/duration.ts";
import { parseLimit } from "../../src/domain/limits.ts";
import type { Targets } from "../../src/control/api/routes.ts";
import type { Against } from "../parts/limit.tsx";
import { oneLine } from "../parts/shown.ts";
import { LiveOnly } from "../time/live-only.tsx";
import { setLimit } from "./acts.ts";

const UNITS: Readonly<Record<Against["name"], string>> = {
  steps: "steps",
  tokens: "tokens",
  cost: "US dollars",
  time: "such as 8h",
};

interface RaiseProps {
  /** `undefined`: all together. */
  readonly targets: Targets | undefined;
  readonly against: Against;
}

/** The same function each time, so it is called once for a field. */
function focused(field: HTMLInputElement | null): void {
  field?.select();
}

export function Raise({ targets, against: { name, limit } }: RaiseProps): JSX.Element {
  const isOpen = useSignal(false);
  const text = useSignal("");
  const trouble = useSignal("");
  const open = (): void => {
    text.value = name === "time" ? formatDuration(2 * limit) : String(2 * limit);
    trouble.value = "";
    isOpen.value = true;
  };
  const set = async (): Promise<void> => {
    try {
      const heard = await setLimit(targets, name, parseLimit(name, text.value));
      if (heard.outcome === "done") isOpen.value = false;
    } catch (error) {
      trouble.value = error instanceof Error ? error.message : String(error);
    }
  };
  return (
    <LiveOnly>
      {isOpen.value ? (
        <form
          class="raise"
          onSubmit={(event) => (event.preventDefault(), void set())}
          onKeyDown={(event) => event.key === "Escape" && (isOpen.value = false)}
        >
          <label>
            New limit, {UNITS[name]}{" "}
            <input
              size={10}
              value={text.value}
              ref={focused}
              onInput={(event) => (text.value = event.currentTarget.value)}
            />
          </label>
          <button type="submit">Set</button>
          <button type="button" class="quiet" onClick={() => (isOpen.value = false)}>
            Leave it
          </button>
          {trouble.value !== "" && <span class="trouble">{oneLine(trouble.value)}</span>}
        </form>
      ) : (
        <button type="button" class="quiet" aria-label={`Change the limit of ${name}`} onClick={open}>
          change
        </button>
      )}
    </LiveOnly>
  );
}
