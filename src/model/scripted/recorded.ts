// What a recorded model had to say, as the model said it.

import { LegionError } from "../../base/errors.ts";
import type { Call, DecisionEvent, Stop } from "../../domain/event/event.ts";
import { repairJson } from "../protocol/native-calls.ts";
import { isWritten } from "../protocol/text-search.ts";
import type { Completion, Model, ModelProfile, RawCall } from "../../domain/model.ts";
import { findModel, type ModelDescription } from "../registry/profiles.ts";

const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** The completion that `decision` was read from; `stop` is what its model stopped for. */
export function toCompletion(decision: DecisionEvent, stop: Stop): Completion {
  const { text, thoughts, calls, usage, provider } = decision;
  return {
    text,
    thoughts,
    calls: isText(decision) ? [] : calls.map((call) => toRawCall(call, stop)),
    usage,
    stop,
    provider,
  };
}

/** Ids that a protocol made up tell a call that was written as text from one that was made. */
function isText(decision: DecisionEvent): boolean {
  return /^\d+-c1$/.test(decision.calls[0]?.id ?? "") && isWritten(decision);
}

/** Parameters that are a text are what could not be read as JSON, or, where they can be, JSON that was a text. */
function toRawCall({ id, action, parameters }: Call, stop: Stop): RawCall {
  const isRaw =
    typeof parameters === "string" && !repairJson(parameters, stop === "length" ? "cut" : "whole");
  return { id, name: action, arguments: isRaw ? parameters : JSON.stringify(parameters ?? null) };
}

/**
 * Stands for a model whose answers are on a tape: it has its name and its abilities, costs nothing, and cannot be asked.
 */
export async function describeRecorded(
  name: string,
  described: Readonly<Record<string, ModelDescription>> = {},
): Promise<Model> {
  return {
    name,
    provider: "replay",
    profile: { ...(await profileOf(name, described)), price: FREE },
    complete: () => Promise.reject(new LegionError("REFUSED", `${name} is only remembered.`)),
  };
}

async function profileOf(
  name: string,
  described: Readonly<Record<string, ModelDescription>>,
): Promise<ModelProfile> {
  if (name === "offline") {
    const { createOfflineModel } = await import("../offline/offline.ts");
    return createOfflineModel().profile;
  }
  if (!name.startsWith("scripted")) return findModel(name, described).profile;
  const { createScriptedModel } = await import("./scripted.ts");
  return createScriptedModel([]).profile;
}
