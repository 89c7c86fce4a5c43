// Which models can be used here, and what is known of each. Only a compatible server is asked: of Anthropic and OpenAI the
// models are known, and listing what a key may use would tell neither window nor price.

import type { Config, ServiceEnvironment } from "../../config/config.ts";
import { messageOf } from "../../base/errors.ts";
import { foreignHost } from "../../model/http/base-url.ts";
import { OTHER_WAYS, chooseModel, type ModelChoice } from "../../model/registry/choice.ts";
import { connect, serverOf, type Connection } from "../../model/registry/connection.ts";
import type { ModelProfile } from "../../domain/model.ts";
import { createOfflineModel } from "../../model/offline/offline.ts";
import { KNOWN_MODELS } from "../../model/registry/profiles.ts";
import { findModelAt } from "../../model/registry/registry.ts";
import { listModels, type Listing } from "../../model/registry/server.ts";
import type { CliCommand } from "../kit/command.ts";
import { leftOut } from "../../config/grants/left-out.ts";
import { oneLine, print, printJson } from "../kit/output.ts";
import { addDirOption, addJsonOption, projectOf } from "../kit/target.ts";
import { loadConfig } from "../../config/load-config.ts";

export const command: CliCommand = {
  define: (parser) => void addJsonOption(addDirOption(parser)),
  async run(typed, io) {
    const config = await loadConfig({ projectDir: await projectOf(typed, io), env: io.env, flags: {} });
    const { models, choice, remarks: found } = await usableModels(config);
    const open = config.grants.filter(({ isGranted }) => !isGranted);
    const remarks = open.length > 0 ? [...found, leftOut(open)] : found;
    if (typed.options["json"]) {
      for (const model of models) printJson(io, model);
      for (const remark of remarks) io.stderr.write(`legion: ${oneLine(remark)}\n`);
      return 0;
    }
    const words = [...remarks.map(oneLine), ...legend(models, choice, config.environment())];
    print(io, [table(models), "", ...words].join("\n"));
    return 0;
  },
};

/** How long a server may take: whoever looks does not want to wait. */
const PATIENCE_MS = 3_000;

/** As `--json` tells it; what is `undefined` is not told. */
interface UsableModel {
  readonly name: string;
  readonly default: boolean;
  readonly why: string | undefined;
  /** `undefined`: the provider's own, or none. */
  readonly host: string | undefined;
  readonly window: number;
  readonly maxOutput: number;
  /** `null`: unknown. */
  readonly price: ModelProfile["price"] | null;
  readonly tools: boolean;
  /** Nobody said so: most models of its kind are like that. */
  readonly assumed: boolean;
}

interface Usable {
  readonly models: readonly UsableModel[];
  /** Absent: there is no default, and a remark says why. */
  readonly choice: ModelChoice | undefined;
  /** What keeps others from being used. */
  readonly remarks: readonly string[];
}

async function usableModels({ environment, providers, models: described, model }: Config): Promise<Usable> {
  const env = environment();
  const remarks: string[] = [];
  const reach = (provider: "anthropic" | "openai"): Connection | undefined => {
    try {
      const connection = connect(provider, { env, providers });
      return connection.apiKey || (provider === "openai" && connection.baseUrl) ? connection : undefined;
    } catch (error) {
      remarks.push(`No ${provider}/...: ${messageOf(error)}`);
      return undefined;
    }
  };
  const reached = { anthropic: reach("anthropic"), openai: reach("openai") };
  const server = reached.openai && serverOf({ env, providers });
  const listed: Promise<Listing> | undefined = server && listModels(server, { timeoutMs: PATIENCE_MS });
  // Whoever waits for it is told.
  listed?.catch(() => undefined);
  const chosen = await chooseModel(env, { config: model, providers, list: () => listed! }).catch(
    (error: unknown) => void remarks.push(`There is no default: ${messageOf(error)}`),
  );
  const choice = chosen ?? undefined;
  const ids = await listed?.catch((error: unknown) => {
    if (choice) remarks.push(`No list of openai/...: ${messageOf(error)}`);
    return { models: [] };
  });

  const isReached = (name: string): boolean => reached[providerOf(name)] !== undefined;
  const names = [
    ...(choice ? [choice.name] : []),
    ...(ids?.models.map((id) => `openai/${id}`) ?? []),
    ...Object.keys(described),
    ...KNOWN_MODELS.filter((name) => !server || providerOf(name) !== "openai"),
  ].filter((name) => /^(anthropic|openai)\//.test(name) && isReached(name));
  const models = [...new Set(names)].map((name): UsableModel => {
    const connection = reached[providerOf(name)]!;
    const { profile, source } = findModelAt(name, connection, described);
    const assumed = source === "assumed" && !Object.hasOwn(described, name);
    return {
      ...usable(name, profile, choice),
      host: foreignHost(providerOf(name), connection.baseUrl),
      assumed,
    };
  });
  const offline = usable("offline", createOfflineModel().profile, choice);
  return { models: [...models, offline], choice, remarks };
}

function providerOf(name: string): "anthropic" | "openai" {
  return name.startsWith("anthropic/") ? "anthropic" : "openai";
}

function usable(name: string, profile: ModelProfile, choice: ModelChoice | undefined): UsableModel {
  const { window, maxOutput, price = null, tools } = profile;
  const why = choice?.name === name ? choice.why : undefined;
  const isDefault = why !== undefined;
  return { name, default: isDefault, why, host: undefined, window, maxOutput, price, tools, assumed: false };
}

const TITLES = ["  MODEL", "WINDOW", "IN", "OUT", "TOOLS", "AT"] as const;

function table(models: readonly UsableModel[]): string {
  const rows = models.map(({ name, host = "", window, price, tools, assumed, ...model }) => {
    const doubt = assumed ? "?" : "";
    return [
      `${model.default ? "*" : " "} ${name}`,
      `${shortCount(window)}${doubt}`,
      ...(price ? [dollars(price.input), dollars(price.output)] : ["?", "?"]),
      `${tools ? "yes" : "no"}${doubt}`,
      host,
    ].map(oneCell);
  });
  const all = [TITLES, ...rows];
  const widths = TITLES.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const write = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        (column === 0 || column > 3 ? cell.padEnd : cell.padStart).call(cell, widths[column]!),
      )
      .join("  ");
  return all.map((row) => write(row).trimEnd()).join("\n");
}

/** What a server says may not begin a new row. */
function oneCell(text: string): string {
  return text.slice(0, 2) + oneLine(text.slice(2));
}

function shortCount(tokens: number): string {
  return tokens >= 1_000_000 ? `${tokens / 1_000_000}M` : `${Math.round(tokens / 1_000)}k`;
}

function dollars(price: number): string {
  return price === 0 ? "free" : `$${price}`;
}

const SOURCES = [
  ["ANTHROPIC_API_KEY", ""],
  ["OPENAI_API_KEY", ""],
  ["OPENAI_BASE_URL", " (Ollama: http://localhost:11434/v1, LM Studio: http://localhost:1234/v1)"],
] as const;

function legend(
  models: readonly UsableModel[],
  choice: ModelChoice | undefined,
  env: ServiceEnvironment,
): readonly string[] {
  const isAssumed = models.some(({ assumed }) => assumed);
  const missing = SOURCES.filter(([variable]) => !env[variable]).map(([variable, place]) => variable + place);
  const other = `choose another with --model, ${OTHER_WAYS}`;
  return [
    ...(choice ? [oneLine(`* the default: ${choice.name} (${choice.why}); ${other}.`)] : []),
    ...(models.length > 1 ? ["IN and OUT are US dollars per million tokens."] : []),
    ...(isAssumed
      ? ["? assumed; say `window`, `price`, `tools` under `models:` in .ai-legion/config.yaml."]
      : []),
    ...(missing.length > 0 ? [`For more, set ${missing.join(", or ")}.`] : []),
  ];
}
