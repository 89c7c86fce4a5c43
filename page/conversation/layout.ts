// Where those who talk are drawn: near to whom they talk to. Pure, and the same for the same order; it takes a while where there are
// many, so pages have a worker do it.

import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type ForceNode,
} from "d3-force";

export interface Spot {
  readonly x: number;
  readonly y: number;
}

export interface LayoutOrder {
  /** Each with its radius, and where it was drawn before. */
  readonly nodes: readonly { readonly id: string; readonly radius: number; readonly spot?: Spot }[];
  /** Each with how strong it is, from 0 to 1. */
  readonly links: readonly { readonly from: string; readonly to: string; readonly strength: number }[];
  /** How many times as wide as high it is to become. */
  readonly aspect: number;
}

export type Spots = ReadonlyMap<string, Spot>;

interface MovedNode extends ForceNode {
  readonly id: string;
  readonly radius: number;
}

interface MovedLink {
  readonly source: string;
  readonly target: string;
  readonly strength: number;
}

const TICKS = 300;
/** What was drawn before moves less. */
const LATER_TICKS = 80;
const LATER_ALPHA = 0.25;
/** Room for a name. */
const APART = 14;

export function layOut({ nodes, links, aspect }: LayoutOrder): Spots {
  const isLater = nodes.some(({ spot }) => spot);
  const moved = nodes.map(({ id, radius, spot }): MovedNode => ({
    id,
    radius,
    ...(spot ?? besides(id, nodes, links)),
  }));
  const pulls = links.map(({ from, to, strength }): MovedLink => ({ source: from, target: to, strength }));
  const link = forceLink(pulls)
    .id(({ id }: MovedNode) => id)
    .distance(({ strength }) => 110 - 50 * strength)
    .strength(({ strength }) => 0.05 + 0.25 * strength);
  forceSimulation(moved)
    .stop()
    .force("link", link)
    .force("charge", forceManyBody<MovedNode>().strength(-160).distanceMax(700))
    .force(
      "apart",
      forceCollide<MovedNode>(({ radius }) => radius + APART),
    )
    .force("x", forceX<MovedNode>().strength(0.06 / aspect))
    .force("y", forceY<MovedNode>().strength(0.06 * aspect))
    .alpha(isLater ? LATER_ALPHA : 1)
    .tick(isLater ? LATER_TICKS : TICKS);
  return new Map(moved.map(({ id, x = 0, y = 0 }) => [id, { x, y }]));
}

/** Whoever is new begins beside somebody whom they talk to. */
function besides(id: string, nodes: LayoutOrder["nodes"], links: LayoutOrder["links"]): Partial<Spot> {
  const peers = new Set(links.flatMap(({ from, to }) => (from === id ? [to] : to === id ? [from] : [])));
  const spot = nodes.find((node) => node.spot && peers.has(node.id))?.spot;
  return spot ? { x: spot.x + 20, y: spot.y + 20 } : {};
}
