export interface MemorySettings {
  readonly strategy: StrategyName;
  /** Up to 1: a share of the model's window; above: tokens. */
  readonly threshold: number;
  readonly pin: PinPosition;
}

export type StrategyName = "legion" | "rounds" | "recent";

/** `newest`: pinned messages close the prompt. `top`: they open it, at the price of the provider's cache. */
export type PinPosition = "newest" | "top";
