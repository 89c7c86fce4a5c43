// From the files and the environment to the config.

import { dotEnvError, parseDotEnv, type DotEnv } from "./dot-env.ts";
import { LegionError, isLegionError, messageOf } from "../base/errors.ts";
import { fileSettings, type FileSettings } from "./config-schema.ts";
import { busIn, nameIn } from "./faulty-config.ts";
import { readProjectFile } from "../base/files/project-file.ts";
import { openPersonFolder } from "../storage/folder/person/folder.ts";
import { readPersonConfig, withoutPersonConfig } from "./person-config.ts";
import { parseYaml } from "./yaml.ts";
import { FILE, readTexts, settle, type Config, type ConfigSources } from "./config.ts";
import { secretsOf } from "./secrets.ts";
import { VARIABLES } from "./variables.ts";

/**
 * Settles every setting: defaults, then the person's own file, then config.yaml, then the environment (in which the
 * project's `.env` stands for what is not set), then flags. Throws CONFIG or USAGE with one line that names the place and what would be right.
 */
export async function loadConfig(sources: ConfigSources): Promise<Config> {
  const { projectDir, env } = sources;
  const person = await readPersonConfig(openPersonFolder(env));
  const file = await readConfigFile(projectDir);
  const { values, faults } = await readDotEnv(projectDir);
  if (faults[0]) throw dotEnvError(faults[0]);
  return settle({ person, file, dotEnv: values, variables: VARIABLES }, sources);
}

export interface SettledConfig {
  readonly config: Config;
  /** What is wrong in files or environment: nothing that they settle holds then, but where the legion is. */
  readonly fault?: string;
}

/**
 * As `loadConfig`, for what starts no agents: a mistake of somebody else's is no reason not to look, to send or to stop.
 * Throws CONFIG or USAGE all the same for what was typed, and where it cannot be read which legion is meant.
 */
export async function loadConfigAnyway(sources: ConfigSources): Promise<SettledConfig> {
  try {
    return { config: await loadConfig(sources) };
  } catch (error) {
    if (!isLegionError(error, "CONFIG") && !isLegionError(error, "USAGE")) throw error;
    return { config: await settlePlace(sources), fault: messageOf(error) };
  }
}

/** Defaults, but for where the legion is. */
async function settlePlace(sources: ConfigSources): Promise<Config> {
  const variables = VARIABLES.filter(([key]) => key === "bus" || key === "name");
  const person = withoutPersonConfig(openPersonFolder(sources.env));
  const settled = (file: FileSettings): Config => settle({ person, file, dotEnv: {}, variables }, sources);
  const bus = await inFiles("bus", sources);
  const here = settled(bus);
  const place = here.bus.kind === "memory" ? here : settled({ ...bus, ...(await inFiles("name", sources)) });
  // Whatever else is wrong in it, what it holds is not shown.
  const { values: dotEnv } = await readDotEnv(sources.projectDir).catch(() => ({ values: {} }));
  return { ...place, secrets: () => secretsOf({ ...sources, dotEnv, bus: place.bus, named: [] }) };
}

const PLACE = { bus: ["LEGION_BUS", busIn], name: ["LEGION_NAME", nameIn] } as const;

/** What the project's files say of where the legion is, unless the command line or the environment does. */
async function inFiles(
  key: keyof typeof PLACE,
  { projectDir, env, flags }: ConfigSources,
): Promise<Pick<FileSettings, "bus" | "name">> {
  const [variable, read] = PLACE[key];
  if (flags[key] !== undefined || env[variable]?.trim()) return {};
  const { values, faults } = await readDotEnv(projectDir);
  const text = (await readProjectFile(projectDir, FILE)) ?? "";
  try {
    const fault = faults.find((each) => each.key === variable);
    if (fault) throw dotEnvError(fault);
    if (values[variable]?.trim()) return readTexts([[key, variable, values[variable]]]);
    return { [key]: await read({ file: FILE, text, firstLine: 1 }) };
  } catch (error) {
    if (!isLegionError(error, "CONFIG")) throw error;
    const way = `this says which legion is meant: put it right, or say --${key}`;
    throw new LegionError("CONFIG", `${error.message} (${way})`, { cause: error });
  }
}

async function readConfigFile(projectDir: string): Promise<FileSettings> {
  const text = await readProjectFile(projectDir, FILE);
  return text === undefined ? {} : parseYaml({ file: FILE, text, firstLine: 1 }, fileSettings);
}

async function readDotEnv(projectDir: string): Promise<DotEnv> {
  return parseDotEnv((await readProjectFile(projectDir, ".env")) ?? "");
}
