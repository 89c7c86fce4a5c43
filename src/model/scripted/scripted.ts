// The public test double: a model that answers from a list or a function, and remembers what it was asked.

import { randomUUID } from "node:crypto";
import { LegionError, type ErrorCode, type Refusal } from "../../base/errors.ts";
import { aborted } from "../../base/process/signals.ts";
import type { Stop, Usage } from "../../domain/event/event.ts";
import type { Completion, Model, ModelProfile, ModelRequest, ModelRun, RawCall } from "../../domain/model.ts";
import { estimateUsage } from "../tokens/tokens.ts";

export interface ScriptedCall {
  readonly action: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

export type ScriptedAnswer =
  | string
  | {
      readonly text?: string;
      /** Native calls: for agents with the protocol `tools`. */
      readonly calls?: readonly ScriptedCall[];
      readonly thoughts?: string;
      /** Estimated unless given. */
      readonly usage?: Usage;
      readonly stop?: Stop;
      /** Thrown in place of an answer. */
      readonly error?: Error | ScriptedError;
    };

export interface ScriptedError {
  readonly code: ErrorCode;
  readonly message?: string;
  readonly retryAfterMs?: number;
  /** Refused before anything was served; without a status for want of a connection. */
  readonly refused?: Refusal;
}

/** Answers in order, or what makes each from the request and its index, from 0. */
export type Script =
  | readonly ScriptedAnswer[]
  | ((request: ModelRequest, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>);

export interface ScriptedOptions extends Partial<ModelProfile> {
  /** Default `scripted`. */
  readonly name?: string;
  /** How many of the newest requests it keeps. Default 1,000. */
  readonly remember?: number;
}

export interface ScriptedModel extends Model {
  /** What it was asked, oldest first. */
  readonly requests: readonly ModelRequest[];
}

const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** A free model. When its list is used up, it has nothing more to do: `noop` as text or as a call, whatever is asked. */
export function createScriptedModel(script: Script, options: ScriptedOptions = {}): ScriptedModel {
  const { name = "scripted", remember = 1_000, ...described } = options;
  const requests: ModelRequest[] = [];
  let asked = 0;
  return {
    name,
    provider: "scripted",
    isInside: true,
    profile: { window: 128_000, maxOutput: 4_096, price: FREE, tools: true, summarises: true, ...described },
    requests,
    async complete(request, run) {
      run.signal.throwIfAborted();
      // The runtime's own array of turns goes on growing.
      requests.push({ ...request, turns: [...request.turns] });
      if (requests.length > remember) requests.shift();
      const index = asked++;
      const answer =
        typeof script === "function" ? script(request, index) : (script[index] ?? nothing(request));
      const given = answer instanceof Promise ? await unlessAborted(answer, run.signal) : answer;
      return perform(typeof given === "string" ? { text: given } : given, request, run);
    },
  };
}

function nothing({ tools }: ModelRequest): ScriptedAnswer {
  if (tools.length === 0) return "noop";
  return tools.some((tool) => tool.name === "noop") ? { calls: [{ action: "noop" }] } : { text: "" };
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const refused = aborted(signal).then((): never => {
    throw signal.reason;
  });
  return Promise.race([promise, refused]);
}

function perform(
  answer: Exclude<ScriptedAnswer, string>,
  request: ModelRequest,
  { onDelta }: ModelRun,
): Completion {
  const { text = "", thoughts, error } = answer;
  if (error)
    throw error instanceof Error ? error : new LegionError(error.code, error.message ?? "scripted", error);
  const calls = (answer.calls ?? []).map(({ action, parameters = {} }): RawCall => ({
    id: `call_${randomUUID()}`,
    name: action,
    arguments: JSON.stringify(parameters),
  }));
  if (calls.length > 0 && request.tools.length === 0) {
    throw new LegionError(
      "CONFIG",
      "The script has calls, but this agent writes its actions as text: use text.",
    );
  }
  if (thoughts) onDelta?.({ kind: "thoughts", text: thoughts });
  if (text) onDelta?.({ kind: "text", text });
  for (const { id, name } of calls) onDelta?.({ kind: "call", id, name });
  return {
    text,
    ...(thoughts && { thoughts }),
    calls,
    usage:
      answer.usage ?? estimateUsage(request, [text, thoughts ?? "", ...calls.map((call) => call.arguments)]),
    stop: answer.stop ?? (calls.length > 0 ? "calls" : "end"),
  };
}
