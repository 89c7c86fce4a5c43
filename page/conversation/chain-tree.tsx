// A chain, drawn as a tree: the list below says the same, and is what keys and screen readers have.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { nameOf } from "../legion/overview.ts";
import { grouped } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { BOX, drawTree, type ChainLetter, type DrawnBox } from "./tree.ts";

const MOST = 150;

interface ChainTreeProps {
  /** Oldest first. */
  readonly letters: readonly ChainLetter[];
  /** The one that the person came for. */
  readonly at: string;
}

export function ChainTree({ letters, at }: ChainTreeProps): JSX.Element | null {
  const shape = letters.map(({ id, parent }) => `${id} ${parent}`).join("\n");
  const tree = useMemo(() => drawTree(letters.slice(0, MOST)), [shape]);
  if (letters.length < 2) return null;
  const known = new Map(letters.map((letter) => [letter.id, letter]));
  return (
    <figure class="tree">
      <div class="canvas" tabIndex={0} role="group" aria-label="The chain, drawn; the list says the same">
        <div
          class="boxes"
          aria-hidden="true"
          style={{ width: `${tree.width}px`, height: `${tree.height}px` }}
        >
          <svg width={tree.width} height={tree.height}>
            {tree.ways.map(({ key, path }) => (
              <path key={key} d={path} />
            ))}
          </svg>
          {tree.boxes.map((box) => (
            <BoxOf
              key={box.letter.id}
              box={{ ...box, letter: known.get(box.letter.id) ?? box.letter }}
              at={at}
            />
          ))}
        </div>
      </div>
      {letters.length > MOST && (
        <figcaption>
          The first {MOST} of {grouped(letters.length)} messages are drawn.
        </figcaption>
      )}
    </figure>
  );
}

function BoxOf({
  box: { letter, left, top },
  at,
}: {
  readonly box: DrawnBox;
  readonly at: string;
}): JSX.Element {
  const { id, from, to, opening, state } = letter;
  const show = (): void => {
    const row = document.getElementById(`said-${id}`);
    row?.scrollIntoView({ block: "center" });
    row?.focus({ preventScroll: true });
  };
  return (
    <div
      class={`box-of f-${state}${id === at ? " on" : ""}`}
      style={{ left: `${left}px`, top: `${top}px`, width: `${BOX.width}px`, height: `${BOX.height}px` }}
      title={oneLine(opening)}
      onClick={show}
    >
      <b>
        {state === "undelivered" && "✕ "}
        {oneLine(nameOf(from))} → {oneLine(nameOf(to))}
      </b>
      <span>{oneLine(opening)}</span>
    </div>
  );
}
