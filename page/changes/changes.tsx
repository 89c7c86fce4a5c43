// Which files agents changed, by whom and for what, and the difference.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import { part, read } from "../connection/api.ts";
import { keepReading } from "../connection/reading.ts";
import { moment } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { addressOf } from "../place.ts";

type Change = ReadingAnswer<"changes">["changes"][number];

const FIRST = 100;

const changes = keepReading<"changes">("/changes");

export function Changes(): JSX.Element {
  const many = useSignal(FIRST);
  changes.use();
  const all = changes.answer.value?.changes ?? [];
  return (
    <main class="area">
      <div class="scroll" tabIndex={0} aria-label="Changes">
        <h1 tabIndex={-1}>Changes</h1>
        {changes.trouble.value !== null && <p class="trouble">{oneLine(changes.trouble.value)}</p>}
        <p class="aside">
          What agents did to files by their file actions and by commands, newest first. What commands did is
          known of git repositories, in a sandbox.
        </p>
        {changes.answer.value && all.length === 0 && <p class="nobody">Nobody has changed a file yet.</p>}
        <ol class="changes">
          {all.slice(0, many.value).map((change) => (
            <li key={`${change.agent} ${change.seq} ${change.path}`}>
              <ChangeOf change={change} />
            </li>
          ))}
        </ol>
        {all.length > many.value && (
          <button type="button" onClick={() => (many.value += FIRST)}>
            Older ones ({all.length - many.value})
          </button>
        )}
      </div>
    </main>
  );
}

function ChangeOf({ change }: { readonly change: Change }): JSX.Element {
  const { agent, name, path, from, does, seq, at, opening, cause, command, more, isTakenBack } = change;
  const difference = useSignal<string | undefined>(command === undefined ? undefined : "");
  const show = async (): Promise<void> => {
    const heard = await read<"log">(`/agents/${part(agent)}/log?from=${seq}&limit=1`);
    difference.value = heard.outcome === "done" ? differenceIn(heard.answer.events[0]) : heard.why;
  };
  const moved = from === undefined ? "" : `${oneLine(from)} → `;
  return (
    <details onToggle={() => void (difference.value === undefined && show())}>
      <summary>
        <b>{does}</b> <code>{moved + oneLine(path)}</code> {isTakenBack && "(taken back) "}
        <span class="aside">
          by {command !== undefined && "a command of "}
          {oneLine(name)}, {moment(at)}
          {cause !== null && `, for: ${oneLine(opening ?? cause)}`}
          {more !== undefined && `; it changed ${more} more`}
        </span>
      </summary>
      {difference.value !== undefined && (
        <>
          {command === undefined ? (
            <Difference text={difference.value} />
          ) : (
            <ByCommand command={command} isShared={change.isShared} event={`${agent}.${seq}`} />
          )}
          <a href={addressOf({ area: "agent", agent })}>
            {oneLine(name)}, event {seq}
          </a>
        </>
      )}
    </details>
  );
}

interface ByCommandProps {
  readonly command: string;
  readonly isShared?: boolean | undefined;
  /** The result that tells of it. */
  readonly event: string;
}

/** What is known in the place of a difference. */
export function ByCommand({ command, isShared, event }: ByCommandProps): JSX.Element {
  return (
    <p>
      By <code>{oneLine(command)}</code>
      {isShared && ", or by another command that ran meanwhile: nobody knows which"}. No difference is
      recorded; to take back: <code class="way">legion undo {oneLine(event)} --dry-run</code>
    </p>
  );
}

/** The signs at the beginning of the lines say it; colour says it again. */
export function Difference({ text }: { readonly text: string }): JSX.Element {
  return (
    <pre class="difference" tabIndex={0}>
      {text.split("\n").map((line, index) => (
        <span
          key={index}
          class={line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : undefined}
        >
          {oneLine(line)}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}

function differenceIn(event: Readonly<Record<string, unknown>> | undefined): string {
  const { diff } = Object(event?.["details"]) as { readonly diff?: unknown };
  return typeof diff === "string" && diff !== "" ? diff : "No difference was recorded.";
}
