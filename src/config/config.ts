import { homedir } from "node:os";
import { busOf, type BusChoice } from "./bus.ts";
import type { MemorySettings } from "../domain/memory-settings.ts";
import type { DotEnv } from "./files/dot-env.ts";
import { LegionError } from "../base/errors.ts";
import { textSettings, type FileSettings, type TextSettings } from "./files/config-schema.ts";
import type { EnvironmentChoice } from "../environment/settings.ts";
import { mergeLimits, type LegionLimits, type PurseLimits } from "../domain/limits.ts";
import type { PolicyLayer } from "../domain/policy/policy.ts";
import type { Trust, WantedGrant } from "./grants/grant.ts";
import { personLayers, policyLayers } from "./grants/widenings.ts";
import type { ProgramProviders } from "./files/provider-settings.ts";
import type { Notify, PersonSettings } from "./files/person-config.ts";
import { keyLeak, type UrlSources } from "../model/http/base-url.ts";
import type { ProviderSettings } from "../model/registry/connection.ts";
import type { ModelDescription } from "../model/registry/profiles.ts";
import type { Secret } from "../base/redaction/redactor.ts";
import { freeze } from "../base/freeze.ts";
import { DEFAULT_MEMORY, type MemoryChoice } from "./files/settings.ts";
import { chooseSearch, type SearchChoice } from "./web-search.ts";
import { BROWSER_VARIABLE as BROWSER, SERVICE_VARIABLES, type VARIABLES } from "./files/variables.ts";
import { explainIssue } from "./files/yaml.ts";
import { sandboxOf, serversIn, type McpConfig } from "./mcp/servers.ts";
import type { SkillFolder } from "./skills/folders.ts";

/** What models and web searches are chosen and opened by, beside the config. */
export type ServiceEnvironment = Readonly<Record<string, string>>;

/** Everything a person may settle for a legion; deeply frozen. */
export interface Config {
  /** Absent: nobody chose one. */
  readonly model?: string;
  readonly agent: string;
  readonly bus: BusChoice;
  /** Tells the legion from others in the same Redis. */
  readonly name: string;
  /** 0: decide as soon as there is something to decide. */
  readonly tickMs: number;
  readonly heartbeatMs: number | "off";
  /** The pause after each decision. */
  readonly delayMs: number;
  /** As far as somebody said so: the defaults for paid models are not in it. */
  readonly limits: LegionLimits;
  /** Of all projects of the person together. */
  readonly purse: PurseLimits;
  /** Who said what agents may do, later ones last. */
  readonly policies: readonly PolicyLayer[];
  /** What becomes of what has to be asked; an absent member is left to where it is asked. */
  readonly approvals: { readonly mode?: "wait" | "deny"; readonly expireMs?: number };
  /** Absent: nobody is told when a person is wanted. */
  readonly notify?: Notify;
  readonly memory: MemorySettings & MemoryChoice;
  readonly durability: "disk" | "process";
  /** `off`: nothing is kept of what actions replace in the workspace. */
  readonly undo?: "off";
  /** Where commands run, as far as config.yaml says. */
  readonly commandEnvironment: EnvironmentChoice;
  /** By `provider/id`. */
  readonly models: Readonly<Record<string, ModelDescription>>;
  /** By name. `concurrency`: how many calls may run there at once. */
  readonly providers: Readonly<Record<string, ProviderSettings & { readonly concurrency?: number }>>;
  /** The sections that bear the name of a module. */
  readonly modules: {
    readonly web: WebConfig;
    readonly mcp: McpConfig;
  };
  /** Where skills are, whether or not the person trusted that. */
  readonly skills: readonly SkillFolder[];
  /** What config.yaml and `.env` say and only the person may: what is not granted is left out of everything else here. */
  readonly grants: readonly WantedGrant[];
  /** What the person said of this project. */
  readonly trust: Trust;
  /** The person's, absolute. */
  readonly home: string;
  /** What the command line itself said: it outranks what a definition or a team says of its agents, too. */
  readonly flags: {
    readonly model?: string;
    readonly tickMs?: number;
    readonly limits?: LegionLimits;
    readonly environment?: EnvironmentChoice;
  };
  /** Keys among them: a function, so that no log, copy or listing of the config shows them. */
  readonly environment: () => ServiceEnvironment;
  /** What nobody may be shown; a function for the same reason. */
  readonly secrets: () => readonly Secret[];
}

export type WebConfig = {
  /** Hosts and networks that may be reached though they are not public. */
  readonly allowPrivate: readonly string[];
  /** `off`, or the path of the program; absent: the one that is found. */
  readonly browser?: string;
  /** Absent: nobody set up a search. */
  readonly search?: SearchChoice;
};

/** What the command line may say about settings, as it was typed. */
export type ConfigFlags = Readonly<Partial<Record<keyof TextSettings, string>>>;

export interface ConfigSources {
  readonly projectDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: ConfigFlags;
  /** What a program says of them. */
  readonly providers?: ProgramProviders;
}

export const FILE = ".ai-legion/config.yaml";

/** What is settled beside the command line. */
interface Layers {
  readonly person: PersonSettings;
  readonly file: FileSettings;
  readonly dotEnv: DotEnv["values"];
  readonly trust: Trust;
  readonly grants: readonly WantedGrant[];
  /** As all who spoke want them. */
  readonly providers: Config["providers"];
  readonly skills: Config["skills"];
  /** Those that count. */
  readonly variables: readonly (typeof VARIABLES)[number][];
}

/** Throws USAGE for what the environment or the command line has wrong. */
export function settle(
  { person, file, dotEnv, providers, skills, variables: said, trust, grants }: Layers,
  { projectDir, env, flags }: ConfigSources,
): Config {
  const environment = { ...dotEnv, ...env };
  const home = env["HOME"] || homedir();
  const variables = readTexts(said.map(([key, variable]) => [key, variable, environment[variable]]));
  refuseEmpty(flags);
  const typed = readTexts(Object.entries(flags).map(([key, text]) => [key, `--${key}`, text]));

  const settings = { ...file, ...variables, ...typed };
  const limits = [person.limits, file.limits, variables.limits, typed.limits].flatMap((layer) => layer ?? []);
  const forServices = SERVICE_VARIABLES.map((variable) => [variable, environment[variable]?.trim()]);
  const serviceEnvironment: ServiceEnvironment = Object.fromEntries(forServices.filter(([, value]) => value));
  return freeze({
    model: settings.model,
    agent: settings.agent ?? "legionnaire",
    bus: busOf(settings, typed),
    name: settings.name ?? "legion",
    tickMs: settings.tick ?? 1_000,
    heartbeatMs: settings.heartbeat ?? "off",
    delayMs: settings.delay ?? 0,
    limits: {
      agent: mergeLimits(...limits.map((layer) => layer.agent)),
      legion: mergeLimits(...limits.map((layer) => layer.legion)),
    },
    purse: { day: person.limits?.day, month: person.limits?.month },
    policies: [
      ...personLayers(person.place, person.policy),
      ...policyLayers(FILE, file.policy, trust.bounds),
      ...personLayers("--policy", typed.policy),
      ...personLayers("--yes", typed.commands && { allow: ["run *"] }),
    ],
    approvals: { mode: typed.approvals ?? file.approvals?.mode, expireMs: file.approvals?.expire },
    notify: person.notify,
    memory: { ...DEFAULT_MEMORY, ...file.memory },
    durability: file.durability ?? "disk",
    undo: file.undo === "off" ? "off" : undefined,
    commandEnvironment: file.environment ?? {},
    models: file.models ?? {},
    providers: guardKeys(providers, file.providers ?? {}, { env, dotEnv }),
    modules: {
      web: webOf(file.web ?? {}, { env, dotEnv }),
      mcp: {
        trusted: file.mcp?.trusted ?? [],
        confinement: { outside: file.mcp?.outside ?? [], network: file.mcp?.network ?? {} },
        servers: () => serversIn({ projectDir, home }, env),
        hasSandbox: sandboxOf((typed.environment ?? file.environment)?.kind, env),
      },
    },
    skills,
    grants,
    trust,
    home,
    flags: outranking(typed),
    environment: () => ({ ...serviceEnvironment }),
    secrets: () => [],
  });
}

function outranking({ model, tick, limits, environment }: TextSettings): Config["flags"] {
  return { model, tickMs: tick, limits, environment };
}

/** What was to say where the legion is and says nothing, such as a variable that is not set, would mean another one. */
function refuseEmpty(flags: ConfigFlags): void {
  const empty = (["bus", "name", "policy", "environment"] as const).find(
    (setting) => flags[setting]?.trim() === "",
  );
  if (empty) throw new LegionError("USAGE", `--${empty}: it is empty; say which, or leave the option out`);
}

/** The providers, each with what forbids to use it. */
function guardKeys(
  providers: Config["providers"],
  inProject: NonNullable<FileSettings["providers"]>,
  said: Pick<UrlSources, "env" | "dotEnv">,
): Config["providers"] {
  const guarded = { ...providers };
  for (const name of ["anthropic", "openai"] as const) {
    const { baseUrl } = inProject[name] ?? {};
    const carries = providers[name]?.headers ? "headers" : undefined;
    const refusal = keyLeak(name, { ...said, configFile: { name: FILE, baseUrl }, carries });
    if (refusal !== undefined) guarded[name] = { ...providers[name], refusal };
  }
  return guarded;
}

function webOf(
  { allowPrivate = [], browser, search }: NonNullable<FileSettings["web"]>,
  said: Pick<UrlSources, "env" | "dotEnv">,
): WebConfig {
  // The variable says where a browser is, not that one is wanted.
  const executable = (said.env[BROWSER] ?? said.dotEnv[BROWSER])?.trim() || undefined;
  return {
    allowPrivate,
    browser: browser === "off" ? browser : (executable ?? browser),
    search: chooseSearch({ ...said, file: { name: FILE, search } }),
  };
}

type SaidText = readonly [setting: string, place: string, text: string | undefined];

/** Checks what was said in single texts; an empty one says nothing. */
export function readTexts(said: readonly SaidText[]): TextSettings {
  const texts = said.flatMap(([setting, , text]) => (text?.trim() ? [[setting, text.trim()] as const] : []));
  const read = textSettings.safeParse(Object.fromEntries(texts), { reportInput: true });
  if (read.success) return read.data;
  const issue = read.error.issues[0]!;
  const place = said.find(([setting]) => setting === issue.path[0])?.[1] ?? "settings";
  throw new LegionError("USAGE", `${place}: ${explainIssue({ ...issue, path: issue.path.slice(1) })}`);
}
