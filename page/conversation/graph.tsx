// Who talks to whom, drawn: the table beside says the same, and is what keys and screen readers have.

import { signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { nameOf } from "../legion/overview.ts";
import { count, grouped } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { choose, chosen, isWanted } from "./filter.ts";
import type { Spots } from "./layout.ts";
import { pictureOf, placeNames, type Box, type DrawnLine, type DrawnParty, type Picture } from "./picture.ts";
import { settle } from "./settle.ts";
import { drawingOf, type Drawing, type Pair } from "./traffic.ts";

const MOST_NAME = 22;

export function Graph({ pairs }: { readonly pairs: readonly Pair[] }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const size = useSize(box);
  const drawing = useMemo(() => drawingOf(pairs), [pairs]);
  const spots = useSpots(drawing, size);
  const picture = useMemo(
    () => (size && spots ? pictureOf(drawing, spots, size) : undefined),
    [drawing, spots, size],
  );
  return (
    <figure class="graph">
      <div class="canvas" ref={box}>
        {size && picture && (
          <svg
            role="img"
            aria-label="Who talks to whom, drawn. The table says the same."
            width={size.width}
            height={size.height}
          >
            <Lines picture={picture} />
            <Parties picture={picture} size={size} />
          </svg>
        )}
      </div>
      <figcaption>
        {drawing.left === 0
          ? "A larger circle says and hears more; a thicker line has more messages."
          : `The ${grouped(drawing.lines.length)} lines with most messages; ${grouped(drawing.left)} more are in the table.`}
      </figcaption>
    </figure>
  );
}

/** `undefined` until it is known. */
function useSize(box: { readonly current: HTMLElement | null }): Box | undefined {
  const size = useSignal<Box | undefined>(undefined);
  useEffect(() => {
    const measure = (): void => {
      const { clientWidth: width = 0, clientHeight: height = 0 } = box.current ?? {};
      const { value } = size;
      if (width > 0 && (value?.width !== width || value.height !== height)) size.value = { width, height };
    };
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    measure();
    return () => observer.disconnect();
  }, []);
  return size.value;
}

/** Kept while the person is elsewhere, so that everybody is where they were. */
const spots = signal<Spots | undefined>(undefined);
let settledFor = "";

/** They move only where somebody, or a line, is new or gone. */
function useSpots({ parties, lines }: Drawing, size: Box | undefined): Spots | undefined {
  const isMeasured = size !== undefined;
  const inOrder = parties.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const names = [...inOrder.map(({ id }) => id), ...lines.map(({ key }) => key).toSorted()].join("\n");
  useEffect(() => {
    if (!size || settledFor === names) return;
    settledFor = names;
    const nodes = inOrder.map(({ id, radius }) => ({ id, radius, spot: spots.peek()?.get(id) }));
    void settle({ nodes, links: lines, aspect: size.width / size.height }).then((found) => {
      if (settledFor === names) spots.value = found;
    });
  }, [names, isMeasured]);
  return spots.value;
}

function shortName(id: string): string {
  const name = oneLine(nameOf(id));
  return name.length > MOST_NAME ? `${name.slice(0, MOST_NAME - 1)}…` : name;
}

function Lines({ picture: { lines } }: { readonly picture: Picture }): JSX.Element {
  return (
    <g class="lines">
      {lines.map((line) => (
        <LineOf key={line.key} line={line} />
      ))}
    </g>
  );
}

function LineOf({ line }: { readonly line: DrawnLine }): JSX.Element {
  const { from, to, path, arrow, width, messages, strength } = line;
  return (
    <g class={`line ${lightOf(line)}`} onClick={() => choose({ from, to })}>
      <title>
        {oneLine(nameOf(from))} → {oneLine(nameOf(to))}: {count(messages, "message")}
      </title>
      <path class="way" d={path} stroke-width={width} stroke-opacity={0.2 + 0.4 * strength} />
      <path class="arrow" d={arrow} fill-opacity={0.35 + 0.5 * strength} />
    </g>
  );
}

/** Nobody is faded where nobody is chosen. */
function lightOf(pair: { readonly from: string; readonly to: string }): "" | "lit" | "faded" {
  if (chosen.value === undefined) return "";
  return isWanted(pair) ? "lit" : "faded";
}

function Parties({ picture, size }: { readonly picture: Picture; readonly size: Box }): JSX.Element {
  const { parties, lines } = picture;
  const { value } = chosen;
  const lit = useMemo(() => {
    const near = lines.filter(isWanted).flatMap(({ from, to }) => [from, to]);
    return new Set(value ? [value.from, ...near] : parties.map(({ id }) => id));
  }, [picture, value]);
  const names = useMemo(
    () =>
      placeNames(
        picture,
        parties.filter(({ id }) => lit.has(id)),
        size,
        shortName,
      ),
    [lit, size],
  );
  return (
    <g class="parties">
      {parties.toReversed().map((party) => (
        <PartyOf key={party.id} party={party} light={lit.has(party.id) ? "" : "faded"} />
      ))}
      {names.map(({ id, x, y }) => (
        <text key={id} class="name" x={x} y={y} dy="0.35em">
          {shortName(id)}
        </text>
      ))}
    </g>
  );
}

/** The person is a square. */
function PartyOf({ party, light }: { readonly party: DrawnParty; readonly light: string }): JSX.Element {
  const { id, x, y, radius, messages } = party;
  const isAt = chosen.value?.from === id || chosen.value?.to === id;
  const side = radius * 1.8;
  return (
    <g class={`party ${light}${isAt ? " at" : ""}`} onClick={() => choose({ from: id })}>
      <title>
        {oneLine(nameOf(id))}: {count(messages, "message")}
      </title>
      {id === "0" ? (
        <rect x={x - side / 2} y={y - side / 2} width={side} height={side} rx="3" />
      ) : (
        <circle cx={x} cy={y} r={radius} />
      )}
    </g>
  );
}
