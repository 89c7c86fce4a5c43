// What the record says of a legion, as metrics: the same from whichever process, and after any crash. Labels are few: states,
// outcomes, and models, of which the first ones are named. No agent is: the page and `/v1` know them by name.

import { AGENT_STATES } from "../../domain/inspection.ts";
import { knotsShown } from "../../legion/knots/shown.ts";
import { waitSchema } from "../../legion/waits.ts";
import { DURATION_BOUNDS, SUM, TOKEN_BOUNDS, partsOf, type GrowingCounts } from "../../past/digest/counts.ts";
import { modelAttributes } from "../../past/spans/span.ts";
import type { Overview } from "../api/legion-client.ts";
import { histogram, single, type Labels, type MetricFamily, type Observed } from "./exposition.ts";
import type { LegionTotals } from "./totals.ts";

const WAITS = waitSchema.unwrap().shape.for.options;

/** All others are `other`. */
const MOST_MODELS = 20;
const OTHER = "other";

/** Gives a model's name as labels have it: a name once given stays. */
export function createModelNames(): (model: string) => string {
  const named = new Set<string>();
  return (model) => {
    if (named.size < MOST_MODELS) named.add(model);
    return named.has(model) ? model || "unknown" : OTHER;
  };
}

type ModelName = (model: string) => string;

export function standingFamilies({ agents, nodes }: Overview): readonly MetricFamily[] {
  const inState = AGENT_STATES.map((state) => ({
    ...{ suffix: "" as const, labels: { state } },
    value: agents.filter((agent) => agent.state === state).length,
  }));
  const sum = (field: "unread" | "held"): number => agents.reduce((all, agent) => all + agent[field], 0);
  const waiting = WAITS.map((reason) => ({
    ...{ suffix: "" as const, labels: { reason } },
    value: agents.filter(({ waits }) => waits.some((wait) => wait.for === reason)).length,
  }));
  return [
    { name: "ai_legion_agents", type: "gauge", help: "Agents by what they do.", samples: inState },
    {
      ...{ name: "ai_legion_waiting_agents", type: "gauge", samples: waiting },
      help: "Agents that do nothing, by what they wait for; one may wait for several things.",
    },
    single("ai_legion_nodes", "gauge", "Processes that run agents of the legion.", nodes.length),
    single(
      "ai_legion_knots",
      "gauge",
      "Sets of agents that wait for each other's answers and for nobody else.",
      knotsShown(agents).length,
    ),
    single("ai_legion_unread_messages", "gauge", "Messages that agents have not taken in.", sum("unread")),
    single(
      "ai_legion_held_messages",
      "gauge",
      "Messages that agents have taken in and read later.",
      sum("held"),
    ),
  ];
}

export function recordedFamilies(
  { counts, unread }: LegionTotals,
  modelName: ModelName,
): readonly MetricFamily[] {
  const calls = observedIn(counts, "call", ([model = "", outcome = ""]) => ({
    model: modelName(model),
    outcome,
  }));
  const actions = observedIn(counts, "action", ([outcome = ""]) => ({ outcome }));
  return [
    single("ai_legion_unreadable_logs", "gauge", "Agents whose logs cannot be read now.", unread),
    counter("ai_legion_messages_sent_total", "Messages that agents and the person sent.", counts, "sent"),
    counter(
      "ai_legion_messages_taken_total",
      "Messages that agents and the person took in.",
      counts,
      "taken",
    ),
    counter("ai_legion_dead_letters_total", "Messages that could not be delivered.", counts, "dead"),
    {
      ...{ name: "ai_legion_model_calls_total", type: "counter" },
      help: "Model calls that are over, by model and what came of them.",
      samples: calls.map(({ labels, counts: all }) => ({ suffix: "", labels, value: total(all) })),
    },
    ...chargedFamilies(counts, modelName),
    histogram(
      { name: "ai_legion_action_duration_seconds", help: "How long actions took, by what came of them." },
      inSeconds(DURATION_BOUNDS),
      actions.map(toSeconds),
    ),
    ...genAiFamilies(counts, modelName),
  ];
}

function counter(name: string, help: string, counts: GrowingCounts, key: string): MetricFamily {
  return single(name, "counter", help, counts.get(JSON.stringify([key])) ?? 0);
}

const KINDS = {
  input: "input",
  output: "output",
  cacheRead: "cache_read",
  cacheWrite: "cache_write",
} as const;

/** Each token is of one kind: what the provider's cache has to do with is no `input`. */
function chargedFamilies(counts: GrowingCounts, modelName: ModelName): readonly MetricFamily[] {
  const tokens = new Map<string, number>();
  const costs = new Map<string, number>();
  const add = (all: Map<string, number>, key: string, n: number): void =>
    void all.set(key, (all.get(key) ?? 0) + n);
  for (const [name, n] of counts) {
    const [family, model = "", field = ""] = partsOf(name);
    if (family !== "charged") continue;
    const named = modelName(model);
    if (field === "cost") add(costs, named, n);
    else add(tokens, JSON.stringify([named, KINDS[field as keyof typeof KINDS]]), n);
    if (field.startsWith("cache")) add(tokens, JSON.stringify([named, KINDS.input]), -n);
  }
  return [
    {
      ...{ name: "ai_legion_tokens_total", type: "counter" },
      help: "Tokens that are charged, by model and kind; the kinds add up.",
      samples: [...tokens].map(([key, n]) => {
        const [model = "", kind = ""] = partsOf(key);
        return { suffix: "", labels: { model, kind }, value: Math.max(0, n) };
      }),
    },
    {
      ...{ name: "ai_legion_cost_usd_total", type: "counter" },
      help: "What model calls cost, in US dollars, by model; of models whose price is known.",
      samples: [...costs].map(([model, value]) => ({ suffix: "", labels: { model }, value })),
    },
  ];
}

/**
 * As OpenTelemetry's conventions have them, in Prometheus' translation.
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-metrics/
 */
function genAiFamilies(counts: GrowingCounts, modelName: ModelName): readonly MetricFamily[] {
  const chat = (model: string): Labels => {
    const name = modelName(model);
    const { "gen_ai.provider.name": provider, "gen_ai.request.model": asked } = modelAttributes(name);
    return {
      ...{ gen_ai_operation_name: "chat", gen_ai_provider_name: String(provider) },
      gen_ai_request_model: String(asked),
    };
  };
  const took = observedIn(counts, "call", ([model = "", outcome = ""]) => ({
    ...chat(model),
    ...(outcome !== "answered" && { error_type: outcome }),
  }));
  const used = observedIn(counts, "told", ([model = "", side = ""]) => ({
    ...chat(model),
    gen_ai_token_type: side,
  }));
  return [
    histogram(
      { name: "gen_ai_client_operation_duration_seconds", help: "How long model calls took." },
      inSeconds(DURATION_BOUNDS),
      took.map(toSeconds),
    ),
    histogram(
      { name: "gen_ai_client_token_usage", help: "Tokens that answers of models say they used." },
      TOKEN_BOUNDS,
      used,
    ),
  ];
}

/** What was observed under `family`; that of the same labels is added up. */
function observedIn(
  counts: GrowingCounts,
  family: string,
  labelsOf: (parts: readonly string[]) => Labels,
): readonly Observed[] {
  const found = new Map<string, Observed & { sum: number; readonly counts: number[] }>();
  for (const [name, n] of counts) {
    const [first, ...parts] = partsOf(name);
    if (first !== family) continue;
    const place = parts.pop()!;
    const labels = labelsOf(parts);
    const key = JSON.stringify(labels);
    const one = found.get(key) ?? { labels, sum: 0, counts: [] };
    found.set(key, one);
    if (place === SUM) one.sum += n;
    else one.counts[Number(place)] = (one.counts[Number(place)] ?? 0) + n;
  }
  return [...found.values()];
}

function total(counts: readonly number[]): number {
  // Places that nothing fell into are holes.
  return counts.reduce((sum, n) => sum + n, 0);
}

function inSeconds(bounds: readonly number[]): readonly number[] {
  return bounds.map((ms) => ms / 1_000);
}

function toSeconds({ sum, ...observed }: Observed): Observed {
  return { ...observed, sum: sum / 1_000 };
}
