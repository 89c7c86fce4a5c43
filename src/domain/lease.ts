import { setMaxListeners } from "node:events";
import { LegionError } from "../base/errors.ts";
import { displayName, type AgentId } from "./message/message.ts";

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

/** What decides over a right from outside. */
export interface Terms {
  /** Called by every `check`: calls `end` if the time is over. */
  judge?(): void;
  /** Lets others take it. Never rejects. */
  giveBack?(): Promise<void>;
}

/** A right that holds until it is ended, given back, or over by its terms. */
export function createTenure(
  right: Pick<Tenure, "agent" | "epoch" | "token" | "past">,
  terms: Terms = {},
): Tenure {
  const losing = new AbortController();
  const lost = losing.signal;
  setMaxListeners(0, lost);
  const end = (why: string): void => {
    const who = displayName(right.agent);
    losing.abort(new LegionError("STORAGE", `This process does not run ${who} any more: ${why}.`));
  };
  let givingBack: Promise<void> | undefined;
  return {
    ...right,
    lost,
    end,
    check() {
      terms.judge?.();
      lost.throwIfAborted();
    },
    release() {
      end("it was given back");
      return (givingBack ??= Promise.resolve(terms.giveBack?.()));
    },
  };
}
