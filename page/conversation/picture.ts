// A layout as it fits into a box: where each party and each line is, and which names have room. Pure.

import type { Spot, Spots } from "./layout.ts";
import type { Drawing, Line, Party } from "./traffic.ts";

export interface Box {
  readonly width: number;
  readonly height: number;
}

export interface DrawnParty extends Party, Spot {}

export interface DrawnLine extends Line {
  /** Of an SVG. */
  readonly path: string;
  readonly arrow: string;
  readonly width: number;
}

export interface DrawnName extends Spot {
  readonly id: string;
}

export interface Picture {
  readonly parties: readonly DrawnParty[];
  readonly lines: readonly DrawnLine[];
}

const MARGIN_PX = 44;
/** Few parties are not drawn far apart. */
const LARGEST_SCALE = 2.2;
/** One way it may be drawn so many times as large as the other way, where there is room. */
const MOST_STRETCH = 1.5;
const BEND = 0.13;
const NAME_HEIGHT_PX = 15;
const CHAR_PX = 6.6;

const SMALLEST = 0.55;
/** Where there are more lines than this, they are thin. */
const MANY_LINES = 300;

export function pictureOf({ parties, lines }: Drawing, spots: Spots, box: Box): Picture {
  const fit = fitting(parties, spots, box);
  const drawn = parties.flatMap((party): DrawnParty[] => {
    const spot = spots.get(party.id);
    return spot ? [{ ...party, ...fit.place(spot), radius: party.radius * fit.size }] : [];
  });
  const places = placesOf(drawn);
  const thickest = lines.length > MANY_LINES ? 2 : 4.5;
  return {
    parties: drawn,
    lines: lines.flatMap((line) => {
      const [from, to] = [places.get(line.from), places.get(line.to)];
      return from && to
        ? [lineBetween({ ...line, width: 1 + (thickest - 1) * line.strength }, from, to)]
        : [];
    }),
  };
}

function placesOf(parties: readonly DrawnParty[]): ReadonlyMap<string, DrawnParty> {
  return new Map(parties.map((party) => [party.id, party]));
}

interface Fitting {
  place(spot: Spot): Spot;
  /** How large what stands there is to be drawn. */
  readonly size: number;
}

function fitting(parties: readonly Party[], spots: Spots, { width, height }: Box): Fitting {
  const all = parties.flatMap(({ id }) => spots.get(id) ?? []);
  const [left, right] = ends(all.map(({ x }) => x));
  const [top, bottom] = ends(all.map(({ y }) => y));
  const high = Math.min(LARGEST_SCALE, (height - 2 * MARGIN_PX) / Math.max(1, bottom - top));
  const wide = Math.min(LARGEST_SCALE, (width - 2 * MARGIN_PX) / Math.max(1, right - left));
  const scale = { x: Math.min(wide, high * MOST_STRETCH), y: Math.min(high, wide * MOST_STRETCH) };
  return {
    place: ({ x, y }) => ({
      x: width / 2 + (x - (left + right) / 2) * scale.x,
      y: height / 2 + (y - (top + bottom) / 2) * scale.y,
    }),
    size: Math.min(1, Math.max(SMALLEST, Math.sqrt(Math.min(scale.x, scale.y)))),
  };
}

function ends(values: readonly number[]): readonly [number, number] {
  return values.length === 0 ? [0, 0] : [Math.min(...values), Math.max(...values)];
}

/** Bent to its left, so that the one that leads back lies beside it. */
function lineBetween(line: Omit<DrawnLine, "path" | "arrow">, from: DrawnParty, to: DrawnParty): DrawnLine {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const middle = { x: (from.x + to.x) / 2 + dy * BEND, y: (from.y + to.y) / 2 - dx * BEND };
  const start = towards(from, middle, from.radius + 1);
  const tip = towards(to, middle, to.radius + 1.5);
  const size = 4 + 1.3 * line.width;
  const end = towards(to, middle, to.radius + 1.5 + size);
  const [nx, ny] = [(end.y - tip.y) * 0.45, (tip.x - end.x) * 0.45];
  return {
    ...line,
    path: `M${at(start)}Q${at(middle)} ${at(end)}`,
    arrow: `M${at(tip)}L${at({ x: end.x + nx, y: end.y + ny })} ${at({ x: end.x - nx, y: end.y - ny })}z`,
  };
}

/** So far from one to the other. */
function towards(from: Spot, to: Spot, px: number): Spot {
  const distance = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return { x: from.x + ((to.x - from.x) / distance) * px, y: from.y + ((to.y - from.y) / distance) * px };
}

function at({ x, y }: Spot): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}

/** Of each party the middle of those that it talks with: its name stands on the other side. */
function middleOfPeers(
  lines: readonly Line[],
  places: ReadonlyMap<string, DrawnParty>,
): (party: DrawnParty) => Spot {
  const sums = new Map<string, { x: number; y: number; many: number }>();
  for (const { from, to } of lines)
    for (const [id, peer] of [
      [from, places.get(to)],
      [to, places.get(from)],
    ] as const) {
      if (!peer) continue;
      const { x, y, many } = sums.get(id) ?? { x: 0, y: 0, many: 0 };
      sums.set(id, { x: x + peer.x, y: y + peer.y, many: many + 1 });
    }
  return (party) => {
    const { x, y, many } = sums.get(party.id) ?? { ...party, many: 1 };
    return { x: x / many, y: y / many };
  };
}

interface Taken {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/**
 * Where the middle of each name is that has room: above, below or beside its party, away from its lines.
 *
 * @param parties in the order in which they get room
 */
export function placeNames(
  { lines, parties: all }: Picture,
  parties: readonly DrawnParty[],
  box: Box,
  nameOf: (id: string) => string,
): readonly DrawnName[] {
  const middleOf = middleOfPeers(lines, placesOf(all));
  const taken: Taken[] = parties.map(({ x, y, radius }) => areaOf({ x, y }, 2 * radius, 2 * radius));
  return parties.flatMap((party): DrawnName[] => {
    const { id, x, y, radius } = party;
    const middle = middleOf(party);
    const isAway = (spot: Spot): number => (spot.x - x) * (x - middle.x) + (spot.y - y) * (y - middle.y);
    const width = nameOf(id).length * CHAR_PX + 4;
    const away = radius + 3 + NAME_HEIGHT_PX / 2;
    const beside = radius + 4 + width / 2;
    const spots = [
      { x, y: y + away },
      { x, y: y - away },
      { x: x + beside, y },
      { x: x - beside, y },
    ].sort((a, b) => isAway(b) / Math.hypot(b.x - x, b.y - y) - isAway(a) / Math.hypot(a.x - x, a.y - y));
    for (const spot of spots) {
      const area = areaOf(spot, width, NAME_HEIGHT_PX);
      if (!isInside(area, box) || taken.some((other) => isOver(area, other))) continue;
      taken.push(area);
      return [{ id, ...spot }];
    }
    return [];
  });
}

function areaOf({ x, y }: Spot, width: number, height: number): Taken {
  return { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
}

function isInside({ left, right, top, bottom }: Taken, { width, height }: Box): boolean {
  return left >= 0 && top >= 0 && right <= width && bottom <= height;
}

function isOver(a: Taken, b: Taken): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
