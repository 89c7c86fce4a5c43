// Which files the commands of a call changed.

import type { JSX } from "preact";
import type { EventOf } from "../../src/domain/event/event.ts";
import { LongText } from "../parts/long-text.tsx";
import { count } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";

interface ByCommandsProps {
  readonly changed: NonNullable<EventOf<"result">["changed"]>;
}

export function ByCommands({ changed }: ByCommandsProps): JSX.Element {
  const { files, more = 0, isShared, unknown } = changed;
  const lines = files.map(
    ({ path, does, from }) => `${does} ${from === undefined ? "" : `${oneLine(from)} → `}${oneLine(path)}`,
  );
  if (more > 0) lines.push(`and ${more} more`);
  return (
    <>
      {lines.length > 0 && (
        <details>
          <summary>
            Changed {count(files.length + more, "file")}
            {isShared && ", or another command that ran meanwhile did"}
          </summary>
          <LongText text={lines.join("\n")} chars={4_000} isCode />
        </details>
      )}
      {unknown !== undefined && (
        <p class="line dim">Which files it changed is not known: {oneLine(unknown)}</p>
      )}
    </>
  );
}
