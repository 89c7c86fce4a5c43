// Which model it is where a person may name one, or not.

import { LegionError, messageOf } from "../../base/errors.ts";
import { serverOf, type ProviderSettings } from "./connection.ts";
import { listModels, type ListModels } from "./server.ts";
import type { Variables } from "../../base/process/variables.ts";

export interface ModelChoice {
  readonly name: string;
  /** For the first line of `start`. */
  readonly why: string;
}

/** What was said of models beside the environment. */
export interface Said {
  readonly flag?: string;
  readonly config?: string;
  /** By name. */
  readonly providers?: Readonly<Record<string, ProviderSettings>>;
  /** Default: asks the server. */
  readonly list?: ListModels;
}

export const DEFAULT_ANTHROPIC = "anthropic/claude-sonnet-5-5";
export const DEFAULT_OPENAI = "openai/gpt-6.1-terra";
const MAX_NAMED = 20;

/** Beside `--model`. */
export const OTHER_WAYS = "LEGION_MODEL, or `model:` in .ai-legion/config.yaml";

/**
 * The flag's, LEGION_MODEL, the config's, else the first that the environment has a key or a server for. A server that is not
 * OpenAI's own is asked what it has, and its only model is taken. Rejects with CONFIG, with the way out, if it has several or
 * none, or does not say.
 */
export async function chooseModel(env: Variables, said: Said = {}): Promise<ModelChoice> {
  const { flag, config, providers, list = listModels } = said;
  if (flag) return { name: flag, why: "--model" };
  if (env["LEGION_MODEL"]) return { name: env["LEGION_MODEL"], why: "LEGION_MODEL is set" };
  if (config) return { name: config, why: "config.yaml" };
  if (env["ANTHROPIC_API_KEY"]) return { name: DEFAULT_ANTHROPIC, why: "ANTHROPIC_API_KEY is set" };
  const server = serverOf({ env, providers });
  if (server) {
    const why = env["OPENAI_BASE_URL"] ? "OPENAI_BASE_URL is set" : "providers.openai.baseUrl is set";
    const models = await list(server).then(
      ({ models: ids }) => ids,
      (error: unknown) => {
        throw new LegionError("CONFIG", `no model is named, and ${messageOf(error)}.`, { cause: error });
      },
    );
    return { name: onlyOne(models, server.baseUrl), why: `its only model; ${why}` };
  }
  if (env["OPENAI_API_KEY"]) return { name: DEFAULT_OPENAI, why: "OPENAI_API_KEY is set" };
  return { name: "offline", why: "no ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL is set" };
}

function onlyOne(models: readonly string[], place: string): string {
  const [first] = models;
  if (first === undefined) {
    const way = "get one there (Ollama: `ollama pull <name>`; LM Studio: download it), or name one";
    throw new LegionError("CONFIG", `${place} has no model that chats: ${way}: --model openai/<id>.`);
  }
  if (models.length === 1) return `openai/${first}`;
  const named = models.slice(0, MAX_NAMED).map((id) => `openai/${id}`);
  const more = models.length > MAX_NAMED ? ` and ${models.length - MAX_NAMED} more (\`legion models\`)` : "";
  throw new LegionError(
    "CONFIG",
    `${place} has ${models.length} models; choose with --model openai/<id>, ${OTHER_WAYS}: ${named.join(", ")}${more}`,
  );
}
