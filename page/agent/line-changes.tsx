// What is different between two texts, line by line; of what is the same only the neighbourhood, until somebody wants all of it.

import { useSignal } from "@preact/signals";
import { diffLines } from "diff";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { LongText } from "../parts/long-text.tsx";
import { count } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";

/** So many lines beside each difference. */
const NEAR = 2;
/** Texts that differ in more lines are not compared. */
const MOST_CHANGES = 4_000;

interface LineChangesProps {
  readonly before: string;
  readonly now: string;
  /** All of it is what is there now, or every line of either. */
  readonly whole?: "now" | "both";
}

interface Line {
  readonly sign: "+" | "-" | " ";
  readonly text: string;
}

export function LineChanges({ before, now, whole = "now" }: LineChangesProps): JSX.Element {
  const isWhole = useSignal(false);
  const lines = useMemo(() => linesOf(before, now), [before, now]);
  const isBoth = whole === "both";
  if (!lines || (isWhole.value && !isBoth))
    return (
      <>
        {lines && <Turn words="Only what changed" onTurn={() => (isWhole.value = false)} />}
        {isBoth && <LongText text={`- ${before}`} chars={8_000} isCode />}
        <LongText text={isBoth ? `+ ${now}` : now} chars={8_000} isCode />
      </>
    );
  return (
    <>
      <Turn
        words={isWhole.value ? "Only what changed" : "All of it"}
        onTurn={() => (isWhole.value = !isWhole.value)}
      />
      <pre class="difference" tabIndex={0}>
        {(isWhole.value ? lines : nearChanges(lines)).map((one, index) =>
          typeof one === "number" ? (
            <span key={index} class="dim">
              … {count(one, "line")} the same{"\n"}
            </span>
          ) : (
            <span key={index} class={one.sign === "+" ? "added" : one.sign === "-" ? "removed" : undefined}>
              {one.sign} {oneLine(one.text)}
              {"\n"}
            </span>
          ),
        )}
      </pre>
    </>
  );
}

function Turn({ words, onTurn }: { readonly words: string; onTurn(): void }): JSX.Element {
  return (
    <button type="button" class="quiet" onClick={onTurn}>
      {words}
    </button>
  );
}

/** `undefined`: they have too little in common. */
function linesOf(before: string, now: string): readonly Line[] | undefined {
  // Or the last line would differ where only another one follows it.
  const pieces = diffLines(ended(before), ended(now), { maxEditLength: MOST_CHANGES });
  return pieces?.flatMap(({ added, removed, value }) => {
    const sign = added ? "+" : removed ? "-" : " ";
    return value
      .replace(/\n$/, "")
      .split("\n")
      .map((text): Line => ({ sign, text }));
  });
}

function ended(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

/** Of what is the same and lies apart from any difference only how many lines it is. */
function nearChanges(lines: readonly Line[]): readonly (Line | number)[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - NEAR), at + NEAR + 1).some(({ sign }) => sign !== " "),
  );
  const shown: (Line | number)[] = [];
  for (const [at, line] of lines.entries()) {
    const last = shown.at(-1);
    if (isNear[at]) shown.push(line);
    else if (typeof last === "number") shown[shown.length - 1] = last + 1;
    else shown.push(1);
  }
  return shown;
}
