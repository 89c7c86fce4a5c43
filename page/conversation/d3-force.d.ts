// The part of d3-force that is used here: the package has no types of its own.

declare module "d3-force" {
  export interface ForceNode {
    x?: number;
    y?: number;
  }
  export interface Force<N> {
    strength(strength: number | ((one: N) => number)): this;
  }
  export interface LinkForce<L> {
    id(of: (node: never) => string): this;
    distance(distance: (link: L) => number): this;
    strength(strength: (link: L) => number): this;
  }
  export interface ChargeForce<N> extends Force<N> {
    distanceMax(distance: number): this;
  }
  export interface Simulation<N> {
    force(name: string, force: unknown): this;
    alpha(alpha: number): this;
    stop(): this;
    tick(iterations: number): this;
    nodes(): N[];
  }
  export function forceSimulation<N extends ForceNode>(nodes: N[]): Simulation<N>;
  export function forceLink<L>(links: L[]): LinkForce<L>;
  export function forceManyBody<N>(): ChargeForce<N>;
  export function forceCollide<N>(radius: (node: N) => number): Force<N>;
  export function forceX<N>(x?: number): Force<N>;
  export function forceY<N>(y?: number): Force<N>;
}
