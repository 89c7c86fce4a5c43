// Who belongs to a legion: from what a person settled to what `startLegion` takes, with the facts that `start` shows.

import { isAbsolute } from "node:path";
import type { Config } from "../config/config.ts";
import { directingOf } from "../config/directing.ts";
import { findDefinition, findTeam, type Definition, type Member, type Places } from "../config/definition.ts";
import { LegionError } from "../base/errors.ts";
import type { Templates } from "../base/template/templates.ts";
import { onceEach } from "../base/once-each.ts";
import { checkEnvironment, environmentFor, isSandbox, type EnvironmentOrder } from "../environment/open.ts";
import type { EnvironmentChoice } from "../environment/settings.ts";
import type { AgentPlan } from "./hosting/agent-plan.ts";
import { DEFAULT_LEGION_COST, resolveLimits, type Limits } from "../domain/limits.ts";
import { displayName, type AgentId } from "../domain/message/message.ts";
import { costUnknown, HOW_TO_PRICE, limitsOf, pricing } from "./hosting/agent-limits.ts";
import { environmentChoiceOf, environmentIn, layersOf } from "./hosting/agent-policy.ts";
import { isReference, readReferred, specsIn } from "../config/mini/reference.ts";
import { inLikeness } from "./hosting/rest/alike.ts";
import { asHeld, asMember, briefOf, memoriesOf, modulesOf, originOf } from "./hosting/as-member.ts";
import type { Model } from "../domain/model.ts";
import { promptGrants } from "../config/grants/memory-prompts.ts";
import { serverChoice, serverGrants } from "../config/mcp/servers.ts";
import { skillGrants, trustedFolders } from "../config/skills/folders.ts";
import { moduleSettings } from "./hosting/module-settings.ts";
import { createWays } from "./ways.ts";
import { checkWorktrees } from "./hosting/worktrees.ts";
import { legionPaths } from "../storage/folder/paths.ts";
import { partlyHeld, withoutNamed } from "./hosting/partly-held.ts";
import { createInBash, helpless } from "./hosting/in-bash.ts";
import { chooseModel, type ModelChoice } from "../model/registry/choice.ts";
import { openModel } from "../model/registry/registry.ts";
import { packageDir } from "../base/package.ts";
import { decisivePaths } from "../config/code/startable.ts";
import { moduleFiles, type Admit, type Brought, type GivenModules } from "../config/module-loader.ts";

/**
 * So many agents of the configured definition, with the ids 1, 2, 3..., or with these ids; a team, or only these of it;
 * agents as they were last started, or as a program describes them.
 */
export type Who =
  | { readonly kind: "count"; readonly count: number }
  | { readonly kind: "named"; readonly ids: readonly AgentId[] }
  | { readonly kind: "team"; readonly team: string; readonly only?: readonly AgentId[] }
  | { readonly kind: "again"; readonly agents: readonly Remembered[] }
  | { readonly kind: "given"; readonly members: readonly Member[] };

/** What is known of an agent's last start; without a definition it is of the configured one. */
export type Remembered = Omit<Member, "agent" | "limits"> & Partial<Pick<Member, "agent">>;

/** One agent, and how it came to be what it is. */
export interface Role {
  readonly plan: AgentPlan;
  readonly definition: string;
  readonly model: ModelChoice;
  /** By name or path: its definition, and its modules. */
  readonly source: string;
  readonly modules: readonly string[];
  /** Where its commands run, as far as anybody said. */
  readonly environment: EnvironmentChoice;
  /** Will its commands run in a sandbox, as far as is known by now? */
  readonly isSandboxed: boolean;
}

export interface Roster {
  /** At least one; the first is who gets the task. */
  readonly roles: readonly Role[];
  /** Of the legion as a whole. */
  readonly limits: Limits;
  /** What a person should know about the limits, and about definitions that hold in part; one line each. */
  readonly remarks: readonly string[];
  /** What no agent may change, relative to the project, for the settings of `system`: it decides what the next start runs. */
  readonly protectedPaths: readonly string[];
}

export interface RosterDeps {
  readonly config: Config;
  readonly places: Places;
  /** Modules of the program that plans, by their names. */
  readonly given?: GivenModules;
  /** Gives a member its model in place of the one of its name. */
  readonly modelFor?: (member: Member, name: string) => Promise<Model>;
  /** Asked once, before anything that the project brings runs; absent: whoever plans has decided that it may. */
  readonly admit?: Admit;
  /** What this machine has to run commands in, and the runtime's variables; absent: where the legion says, and none has a worktree yet. */
  readonly machine?: Pick<EnvironmentOrder, "finding" | "variables">;
  /** Absolute real path of the home of one of the project's runs; absent: the project's own legion. */
  readonly runHome?: string;
  /** Opens what looks at templates before anything runs; what it gives is closed. Absent: the compiled one. */
  readonly templates?: () => Templates;
  /** Told of what turns out, while agents run, to be different from what was assumed of a model; one line. */
  readonly onRemark?: (text: string) => void;
}

/**
 * Looks up definitions, models and modules, and writes nothing. Only where nobody names a model and a compatible server is
 * set, that is asked what it has. Throws USAGE or CONFIG with one line that says what is wrong and what would be right.
 */
export async function planRoster(who: Who, deps: RosterDeps): Promise<Roster> {
  const { config, admit } = deps;
  const definitions = definitionsOf(deps);
  const members = await membersOf(who, deps);
  await admit?.(await broughtBy(who, deps));
  const cast = inLikeness(createCasting(deps, definitions), who);
  const roles: Role[] = [];
  for (const member of members) roles.push(await cast(member));
  const found = await Promise.all(
    members.map(async (member) => [member.agent, asMember(await definitions(member.agent), member)] as const),
  );
  const prices = new Set(roles.map(({ plan }) => pricing(plan.model)));
  const unpriced = roles.find(({ plan }) => pricing(plan.model) === "unknown")?.plan.model.name;
  if (unpriced !== undefined && isCostLimited(config)) throw costUnknown(unpriced);
  const defaults = prices.has("paid") ? { cost: DEFAULT_LEGION_COST } : {};
  const remark = `The price of ${unpriced} is unknown, so what it costs is not limited; ${HOW_TO_PRICE}.`;
  return {
    roles,
    limits: resolveLimits(defaults, config.limits.legion),
    protectedPaths: await protect(who, roles, deps),
    remarks: [
      ...(await remarkWorktrees(roles, deps)),
      ...helpless(roles),
      ...(unpriced === undefined || config.limits.legion.cost === "none" ? [] : [remark]),
      ...(await withoutNamed(found, config)),
      ...partlyHeld(found),
    ],
  };
}

function isCostLimited({ limits, purse }: Config): boolean {
  return [limits.legion.cost, purse.day?.cost, purse.month?.cost].some((cost) => typeof cost === "number");
}

async function membersOf(
  who: Who,
  { config: { agent, trust, home }, places }: Pick<RosterDeps, "places" | "config">,
): Promise<readonly Member[]> {
  switch (who.kind) {
    case "team":
      return chosenOf(await findTeam(who.team, { ...places, trust, home }), who);
    case "count":
      return Array.from({ length: who.count }, (_, index) => ({ id: String(index + 1), agent, limits: {} }));
    case "named":
      return who.ids.map((id) => ({ id, agent, limits: {} }));
    case "again":
      return who.agents.map((known) => ({ agent, limits: {}, ...known }));
    case "given":
      return who.members;
  }
}

function chosenOf(
  members: readonly Member[],
  { team, only }: Extract<Who, { kind: "team" }>,
): readonly Member[] {
  const stranger = only?.find((id) => members.every((member) => member.id !== id));
  if (stranger === undefined) return members.filter(({ id }) => only?.includes(id) ?? true);
  const known = members.map(({ id }) => id).join(", ");
  throw new LegionError(
    "USAGE",
    `--agents: there is no ${JSON.stringify(stranger)} in ${team}; it has ${known}`,
  );
}

type FindDefinition = (reference: string) => Promise<Definition>;

function definitionsOf({ places, config }: Pick<RosterDeps, "places" | "config">): FindDefinition {
  const { trust, home } = config;
  const commandsIn = (own: EnvironmentChoice) => environmentIn(config, own);
  const find: FindDefinition = (reference) =>
    isReference(reference) && !places.others?.has(reference)
      ? readReferred(specsIn(reference), { ...places, trust })
      : findDefinition(reference, { ...places, trust, home, commandsIn });
  return onceEach(find);
}

/** What the project's own files would have for this start: code to run, and what else only the person may say. */
export async function broughtBy(
  who: Who,
  deps: Pick<RosterDeps, "places" | "config" | "given">,
): Promise<Brought> {
  const { config, places, given } = deps;
  const members = await membersOf(who, deps);
  const definitionOf = definitionsOf(deps);
  const definitions = await Promise.all(
    members.map(async (member) => asMember(await definitionOf(member.agent), member)),
  );
  const modules = members.map((member, index) => modulesOf(member, definitions[index]!));
  const references = modules.flat();
  const files = await moduleFiles([...new Set(references)], { ...places, given });
  const inFiles = [...definitions, ...members].flatMap(({ grants = [] }) => grants);
  const forSkills = references.includes("skills") ? await skillGrants(config.skills) : [];
  const choices = definitions.filter((_, index) => modules[index]!.includes("mcp")).map(serverChoice);
  const forServers = choices.length > 0 ? await serverGrants(config.modules.mcp, config.trust, choices) : [];
  const forPrompts = await promptGrants(definitions, places.projectDir, config.trust);
  const wanted = [...config.grants, ...forSkills, ...forServers, ...forPrompts, ...inFiles];
  const grants = new Map(wanted.map((one) => [one.what, one]));
  return { modules: [...files.values()], grants: [...grants.values()] };
}

function remarkWorktrees(
  roles: readonly Role[],
  { places: { projectDir }, machine, runHome }: RosterDeps,
): Promise<readonly string[]> {
  const agents = roles
    .filter(({ plan }) => plan.workspace === "worktree")
    .map(({ plan }) => plan.identity.id);
  if (!machine) return Promise.resolve([]);
  return checkWorktrees(agents, legionPaths(projectDir, runHome), machine.variables);
}

function protect(
  who: Who,
  roles: readonly Role[],
  { config, places }: RosterDeps,
): Promise<readonly string[]> {
  const known = {
    definitions: [config.agent, ...roles.map(({ source }) => source)],
    teams: who.kind === "team" ? [who.team] : [],
    modules: roles.flatMap(({ modules }) => modules),
    programs: [config.modules.web.browser ?? ""].filter((path) => isAbsolute(path)),
  };
  return decisivePaths(known, { places: { ...places, home: config.home }, ownDir: packageDir });
}

/** Makes agents of members. What many of them share is looked up, opened and loaded once. Throws as `planRoster` does. */
export function createCasting(
  { config, places, given, modelFor, onRemark, admit, machine, templates }: RosterDeps,
  definitions: FindDefinition = definitionsOf({ places, config }),
): (member: Member) => Promise<Role> {
  const { flags, providers } = config;
  const env = config.environment();
  const opened = modelsFor({ config, places, onRemark });
  const settled = onceEach(() => chooseModel(env, { flag: flags.model, config: config.model, providers }));
  const waysOf = createWays({ ...places, admit, given });
  const inBashBy = createInBash(places, templates);
  const checked = onceEach(async (choice) => {
    if (machine) await checkEnvironment({ ...machine, choice: JSON.parse(choice) as EnvironmentChoice });
  });
  return async (member) => {
    const found = asMember(await definitions(member.agent), member);
    const choice = choiceOf(member, found, config) ?? (await settled(""));
    const model = await (modelFor?.(member, choice.name) ?? opened(choice.name, found.sampling));
    const limits = limitsOf({ member, definition: found }, model, config);
    const definition = asHeld(found, { name: model.name, limits });
    const memory = { ...config.memory, ...definition.memory };
    const references = modulesOf(member, definition);
    const policy = layersOf(member, definition, config);
    const environment = environmentChoiceOf(member, definition, config);
    await checked(JSON.stringify(environment));
    const writing = {
      memory,
      references,
      policy,
      narrowed: [definition.actions, member.actions].filter((list) => list !== undefined),
    };
    const plan: AgentPlan = {
      origin: originOf(member, definition),
      workspace: definition.workspace === "worktree" ? "worktree" : undefined,
      identity: {
        id: member.id,
        name: displayName(member.id),
        description: definition.description,
        brief: briefOf(member.brief ?? definition.brief, references),
      },
      model,
      settings: await moduleSettings(definition, references, { config, projectDir: places.projectDir }),
      memories: memoriesOf(definition, references),
      readable: references.includes("skills") ? trustedFolders(config.skills) : [],
      limits,
      policy,
      environment: machine && environmentFor({ ...machine, choice: environment }),
      memory: { strategy: memory.strategy, threshold: memory.threshold, pin: memory.pin },
      ...(await (inBashBy(definition, member, model) ?? waysOf(definition, model, writing))),
      ...(await directingOf(definition, member.id)),
      tickMs: flags.tickMs ?? definition.tickMs ?? config.tickMs,
    };
    const isSandboxed = machine !== undefined && isSandbox({ ...machine, choice: environment });
    const { name } = definition;
    const commands = { environment, isSandboxed };
    return { plan, definition: name, model: choice, source: member.agent, modules: references, ...commands };
  };
}

/** Models by name, and by what a definition says of how they answer. */
function modelsFor({ config, places, onRemark }: Pick<RosterDeps, "config" | "places" | "onRemark">) {
  const { models, providers } = config;
  const env = config.environment();
  const opened = onceEach((wanted) => {
    const [name, sampling] = JSON.parse(wanted) as [string, Definition["sampling"]];
    const described = sampling ? { ...models, [name]: { ...models[name], ...sampling } } : models;
    return openModel(name, { env, dir: places.projectDir, providers, models: described, onRemark });
  });
  return (name: string, sampling: Definition["sampling"]) => opened(JSON.stringify([name, sampling]));
}

/** The flag outranks the team, the team the definition, and that what holds for everybody: then this is `undefined`. */
function choiceOf(member: Member, definition: Definition, { flags }: Config): ModelChoice | undefined {
  if (flags.model) return undefined;
  if (member.model) return { name: member.model, why: `${member.modelBy ?? "the team"} says so` };
  return definition.model ? { name: definition.model, why: `agent ${definition.name} says so` } : undefined;
}
