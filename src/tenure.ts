import type { AgentId } from "./message.ts";

/** The right to run one agent, as far as this process knows. */
export interface Tenure {
  readonly agent: AgentId;
  /** Grows with every taking. */
  readonly epoch: number;
  /** What every commit shows. */
  readonly token: string;
  /** `renewed`: what was acknowledged before may be lost, so its log goes on as another one. */
  readonly past: "whole" | "renewed";
  /** Throws STORAGE unless the right is surely there at this moment. Call it right before what cannot be taken back. */
  check(): void;
  /** Aborts when the right is gone, or may be. */
  readonly lost: AbortSignal;
  /** Something about the agent is not as this process knew it: `lost` aborts, and nothing is done under this right any more. */
  end(why: string): void;
  /** Gives it back, so that another process can go on at once. */
  release(): Promise<void>;
}
