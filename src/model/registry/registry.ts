// From the name of a model to the model.

import { resolve } from "node:path";
import { LegionError } from "../../base/errors.ts";
import { nearest } from "../../base/text/nearest.ts";
import { isNear } from "../http/base-url.ts";
import { DEFAULT_ANTHROPIC, DEFAULT_OPENAI } from "./choice.ts";
import { connect, type Connection, type ConnectionSettings } from "./connection.ts";
import type { Model } from "../../domain/model.ts";
import { KNOWN_MODELS, findModel, type KnownModel, type ModelDescription } from "./profiles.ts";

export interface ModelDeps extends ConnectionSettings {
  /** What relative script files are relative to. */
  readonly dir: string;
  /** By full name. */
  readonly models?: Readonly<Record<string, ModelDescription>>;
  /** Told once of each thing that turns out to be different from what was assumed of a model; one line. */
  readonly onRemark?: (text: string) => void;
}

const KINDS = "anthropic/<id>, openai/<id>, offline, scripted:<file>, replay:<folder>";
const FREE = { input: 0, output: 0 };

/** Opens the model called `name`. No request is made. Throws CONFIG if the name or a key is wrong, with the way out. */
export async function openModel(name: string, deps: ModelDeps): Promise<Model> {
  if (name === "offline") {
    const { createOfflineModel } = await import("../offline/offline.ts");
    return createOfflineModel();
  }
  if (name.startsWith("scripted:")) {
    const { createScriptedModel } = await import("../scripted/scripted.ts");
    const { loadScript } = await import("../scripted/script-file.ts");
    return createScriptedModel(await loadScript(resolve(deps.dir, name.slice("scripted:".length))), { name });
  }
  if (name.startsWith("replay:"))
    throw new LegionError("CONFIG", "replay:<folder> replays a whole legion; only start --model takes it");
  const [, provider, id] = /^(anthropic|openai)\/(\S+)$/.exec(name) ?? [];
  if ((provider !== "anthropic" && provider !== "openai") || id === undefined) throw unknownModel(name);

  const connection = connect(provider, deps);
  if (!connection.apiKey && !(provider === "openai" && connection.baseUrl))
    throw missingKey(name, `${provider.toUpperCase()}_API_KEY`);
  const { profile, ability, sampling } = findModelAt(name, connection, deps.models);
  const options = { ...connection, id, profile, sampling, onRemark: deps.onRemark };

  if (provider === "anthropic") {
    const { createAnthropicModel } = await import("../anthropic/anthropic.ts");
    return createAnthropicModel({ ...options, ...(ability === "thinks" && { thinking: "adaptive" }) });
  }
  const { createOpenAiModel } = await import("../openai/openai.ts");
  return createOpenAiModel({ ...options, ...(ability === "unthinking" && { effortWithTools: "none" }) });
}

/** Has Node read the client of `provider` beside what goes on. What is wrong with it the first request tells. */
export function loadClient(provider: string): void {
  if (provider === "openai") import("openai").catch(() => undefined);
  if (provider === "anthropic") import("@anthropic-ai/sdk").catch(() => undefined);
}

/** As `findModel`, for a model that is reached like this: near ones are free unless `described` says otherwise. */
export function findModelAt(
  name: string,
  { baseUrl, maxOutput }: Pick<Connection, "baseUrl" | "maxOutput">,
  described: Readonly<Record<string, ModelDescription>> = {},
): KnownModel {
  const said =
    maxOutput === undefined ? described : { ...described, [name]: { maxOutput, ...described[name] } };
  const found = findModel(name, said);
  const isPriced = Object.hasOwn(described, name) && described[name]?.price !== undefined;
  if (isPriced || baseUrl === undefined || !isNear(baseUrl)) return found;
  return { ...found, profile: { ...found.profile, price: FREE } };
}

function missingKey(name: string, variable: string): LegionError {
  return new LegionError(
    "CONFIG",
    `${name} needs a key: set ${variable} (in the environment or in .env), or use --model offline.`,
  );
}

function unknownModel(name: string): LegionError {
  const meant = suggestion(name);
  const advice = meant ? `did you mean ${meant}?` : `models are ${KINDS}; \`legion models\` lists them.`;
  return new LegionError("CONFIG", `There is no model ${JSON.stringify(name.slice(0, 200))}; ${advice}`);
}

/** A model that there is: the one of that id, the nearest one, or the first whose id begins like that. */
function suggestion(name: string): string | undefined {
  const names = [DEFAULT_ANTHROPIC, DEFAULT_OPENAI, ...KNOWN_MODELS];
  const ids = names.map(idOf);
  const id = idOf(name).toLowerCase();
  const begun = id.length >= 3 ? ids.find((known) => known.startsWith(id)) : undefined;
  const meant = ids.find((known) => known === id) ?? begun ?? nearest(id, ids)[0];
  return names.find((known) => idOf(known) === meant);
}

function idOf(name: string): string {
  return name.slice(name.indexOf("/") + 1);
}
