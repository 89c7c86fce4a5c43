// What is said to an agent, and what comes of it: the prompt is over when the agent rests.

import { LegionError } from "../base/errors.ts";
import { aborted } from "../base/process/signals.ts";
import { formatDuration } from "../base/text/duration.ts";
import { inTurns } from "../base/turns.ts";
import type { Inspect } from "../domain/inspection.ts";
import { until } from "../legion/quiescence.ts";
import { watchWork, type PromptAnswer } from "./prompt-work.ts";
import { isDone, stateOf, type WorkingAgent } from "../legion/observing/work-state.ts";

export interface PromptOptions {
  /** Gives up when it aborts: the agent is stopped, and the prompt rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Gives up after so many milliseconds, with a `TimeoutError`. Default: never. */
  readonly timeout?: number;
}

/** What it rejects with stands at `LegionAgent.prompt`. */
export type PromptFunction = (text: string, options?: PromptOptions) => Promise<PromptAnswer>;

/** The longest that a timer can wait: 24 days. */
const FOREVER_MS = 2 ** 31 - 1;

interface PromptedAgent extends WorkingAgent {
  /** Stops what it is at. */
  readonly abort: () => Promise<void>;
}

/** Returns what prompts an agent, one prompt after the other. */
export function createPrompt(agent: PromptedAgent): PromptFunction {
  const inTurn = inTurns();
  return async (text, options = {}) => {
    checkText("prompt", text);
    const patience = createPatience(options);
    const { signal } = patience;
    const work = async (): Promise<PromptAnswer> => {
      signal.throwIfAborted();
      return ask(agent, text, signal);
    };
    // Whoever gives up does not wait for a turn.
    return Promise.race([inTurn(work), rejected(signal)]).finally(patience.end);
  };
}

/** Throws USAGE. */
export function checkText(where: string, text: string): void {
  if (typeof text === "string" && text.trim() !== "") return;
  throw new LegionError("USAGE", `${where}: expected a text that says something`);
}

async function ask(agent: PromptedAgent, text: string, signal: AbortSignal): Promise<PromptAnswer> {
  const { id, abort } = agent;
  const { inspector, control } = agent.legion;
  const before = stateOf(agent);
  if (before.kind === "stuck" && !before.wakesOnMail) throw before.error;
  const works = watchWork(inspector, id);
  try {
    const [message] = await control.say([id], text);
    const isOver = (): boolean => {
      const state = stateOf(agent);
      if (state.kind === "stuck" && !state.wakesOnMail) return true;
      return state.kind !== "works" && works.of(message!) !== undefined;
    };
    await until(isOver, (look) => inspector.watch(unlessStreaming(look)), signal);
    if (!isOver()) {
      await abort();
      throw signal.reason;
    }
    const work = works.of(message!);
    const after = stateOf(agent);
    if (after.kind === "stuck" && !(work && isDone(agent))) throw after.error;
    return work!.answer();
  } finally {
    works.close();
  }
}

function unlessStreaming(look: () => void): Inspect {
  return ({ kind }) => {
    if (kind !== "live:delta") look();
  };
}

/** One signal for all that makes a prompt give up. While somebody waits for it, the process does not end by itself. */
function createPatience({ signal: given, timeout }: PromptOptions) {
  if (timeout !== undefined && !(timeout > 0 && timeout <= FOREVER_MS))
    throw new LegionError("USAGE", `prompt: timeout: expected milliseconds above 0, up to ${FOREVER_MS}`);
  const lost = new AbortController();
  const give = (): void => lost.abort(given?.reason);
  const expire = (): void => {
    const text = `the agent did not come to rest within ${formatDuration(timeout!)}`;
    if (timeout !== undefined) lost.abort(new DOMException(text, "TimeoutError"));
  };
  const timer = setTimeout(expire, timeout ?? FOREVER_MS);
  if (given?.aborted) give();
  given?.addEventListener("abort", give, { once: true });
  return {
    signal: lost.signal,
    end(): void {
      clearTimeout(timer);
      given?.removeEventListener("abort", give);
    },
  };
}

async function rejected(signal: AbortSignal): Promise<never> {
  await aborted(signal);
  throw signal.reason;
}
