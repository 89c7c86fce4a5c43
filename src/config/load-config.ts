// From the files and the environment to the config.

import { realpath } from "node:fs/promises";
import { LegionError, isLegionError, messageOf } from "../base/errors.ts";
import { readProjectFile } from "../base/files/project-file.ts";
import { openPersonFolder } from "../storage/folder/person/folder.ts";
import { FILE, readTexts, settle, type Config, type ConfigSources } from "./config.ts";
import { fileSettings, type FileSettings } from "./files/config-schema.ts";
import { dotEnvError, parseDotEnv, type DotEnv } from "./files/dot-env.ts";
import { busIn, nameIn } from "./files/faulty-config.ts";
import { dotEnvWidenings } from "./grants/dot-env-grants.ts";
import { fileWidenings } from "./grants/file-grants.ts";
import { NO_TRUST, trustSettings, type Trust, type Trusted, type WantedGrant } from "./grants/grant.ts";
import { boundsOf, trustIn } from "./grants/trust.ts";
import { readPersonConfig, withoutPersonConfig } from "./files/person-config.ts";
import type { Secret } from "../base/redaction/redactor.ts";
import { secretsOf } from "./secrets.ts";
import { checkProviders, reachOf, variablesOf } from "./files/provider-settings.ts";
import { namedBy } from "./mcp/servers.ts";
import { skillFolders } from "./skills/folders.ts";
import { VARIABLES } from "./files/variables.ts";
import { parseYaml } from "./files/yaml.ts";

/**
 * Settles every setting: defaults, then the person's own file, then config.yaml, then the environment (in which the
 * project's `.env` stands for what is not set), then flags. What the project's files widen counts as far as the person
 * granted it. Throws CONFIG or USAGE with one line that names the place and what would be right.
 */
export async function loadConfig(said: ConfigSources): Promise<Config> {
  const { projectDir } = said;
  const program = checkProviders(said.providers ?? {});
  const sources = { ...said, env: { ...said.env, ...variablesOf(program) } };
  const { env } = sources;
  const folder = openPersonFolder(env);
  const person = await readPersonConfig(folder);
  const { limits } = readTexts([["limits", "LEGION_LIMITS", env["LEGION_LIMITS"]]]);
  const trust = await trustIn(projectDir, folder, boundsOf(person, limits));
  const file = await trustFile(await readConfigFile(projectDir), projectDir, trust);
  const { values, faults } = await readDotEnv(projectDir);
  if (faults[0]) throw dotEnvError(faults[0]);
  const dotEnv = await trustDotEnv(values, sources, trust);
  const grants = [...file.grants, ...dotEnv.grants];
  const speakers = { person: person.providers, project: file.settings.providers, program };
  const reached = reachOf(speakers, env, person.place);
  const { providers } = reached;
  const skills = await skillFolders(projectDir, env, trust);
  const layers = {
    person,
    providers,
    skills,
    file: file.settings,
    dotEnv: dotEnv.settings,
    variables: VARIABLES,
  };
  const config = settle({ ...layers, trust, grants }, sources);
  // What does not count, or is hidden by the environment, is no less a secret.
  const named = [...person.secrets, ...(file.settings.secrets ?? [])];
  const { bus, notify } = config;
  const servers = (await config.modules.mcp.servers()).entries.map(namedBy);
  const secrets = (): readonly Secret[] => [
    ...secretsOf({ ...sources, dotEnv: values, servers, bus, notify, named }),
    ...reached.secrets,
  ];
  return Object.freeze({ ...config, secrets });
}

const PLACE_GRANTS = [`${FILE} bus`, ".env LEGION_BUS", ".env LEGION_NAME"];

/** What the project says of where the legion is, and nobody has granted; none where the person says it. */
export function openPlaceGrants(
  { grants }: Pick<Config, "grants">,
  { env, flags }: Pick<ConfigSources, "env" | "flags">,
): readonly WantedGrant[] {
  if (flags.bus !== undefined || env["LEGION_BUS"]?.trim()) return [];
  return grants.filter(({ what, isGranted }) => !isGranted && PLACE_GRANTS.includes(what));
}

async function trustFile(
  file: FileSettings,
  projectDir: string,
  trust: Trust,
): Promise<Trusted<FileSettings>> {
  const widenings = await fileWidenings(file, trust.bounds, await realpath(projectDir));
  return trustSettings(file, FILE, widenings, trust);
}

/** What the person's own environment sets hides what `.env` says. */
async function trustDotEnv(
  values: DotEnv["values"],
  { projectDir, env }: ConfigSources,
  trust: Trust,
): Promise<Trusted<DotEnv["values"]>> {
  const own = Object.entries(values).filter(([name]) => env[name] === undefined);
  const seen = Object.fromEntries(own);
  const widenings = await dotEnvWidenings(seen, trust.bounds, await realpath(projectDir));
  return trustSettings<DotEnv["values"]>(seen, ".env", widenings, trust);
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
  const person = withoutPersonConfig(openPersonFolder(sources.env));
  const variables = VARIABLES.filter(([key]) => key === "bus" || key === "name");
  const settled = ({ settings: file, grants }: SaidPlace): Config =>
    settle(
      { person, file, dotEnv: {}, providers: {}, skills: [], variables, trust: NO_TRUST, grants },
      sources,
    );
  const bus = await inFiles("bus", sources);
  const here = settled(bus);
  const name = here.bus.kind === "memory" ? NOTHING_SAID : await inFiles("name", sources);
  const place = settled({
    settings: { ...bus.settings, ...name.settings },
    grants: [...bus.grants, ...name.grants],
  });
  // Whatever else is wrong in it, what it holds is not shown.
  const { values: dotEnv } = await readDotEnv(sources.projectDir).catch(() => ({ values: {} }));
  const servers = (await place.modules.mcp.servers()).entries.map(namedBy);
  return { ...place, secrets: () => secretsOf({ ...sources, dotEnv, servers, bus: place.bus, named: [] }) };
}

const PLACE = { bus: ["LEGION_BUS", busIn], name: ["LEGION_NAME", nameIn] } as const;
type SaidPlace = Trusted<Pick<FileSettings, "bus" | "name">>;

const NOTHING_SAID: SaidPlace = { settings: {}, grants: [] };

/** What the project's files say of where the legion is, unless the command line or the environment does. */
async function inFiles(key: keyof typeof PLACE, sources: ConfigSources): Promise<SaidPlace> {
  const { projectDir, env, flags } = sources;
  const [variable, read] = PLACE[key];
  if (flags[key] !== undefined || env[variable]?.trim()) return { settings: {}, grants: [] };
  const { values, faults } = await readDotEnv(projectDir);
  const text = (await readProjectFile(projectDir, FILE)) ?? "";
  try {
    const fault = faults.find((each) => each.key === variable);
    if (fault) throw dotEnvError(fault);
    const value = values[variable]?.trim();
    const trust = (): Promise<Trust> => trustIn(projectDir, openPersonFolder(env), NO_TRUST.bounds);
    if (value) {
      const { settings, grants } = await trustDotEnv({ [variable]: value }, sources, await trust());
      return { settings: readTexts([[key, variable, settings[variable]]]), grants };
    }
    const said = { [key]: await read({ file: FILE, text, firstLine: 1 }) };
    return said[key] === undefined
      ? { settings: {}, grants: [] }
      : await trustFile(said, projectDir, await trust());
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
