// From what a program says of an agent to what the runtime hosts, by the same way as `legion start`.

import { packageDir } from "../base/package.ts";
import type { Variables } from "../base/process/variables.ts";
import type { Config, ConfigFlags } from "../config/config.ts";
import type { Member, Places } from "../config/definition.ts";
import { openGrants, untrusted } from "../config/grants/admission.ts";
import { leftOut } from "../config/grants/left-out.ts";
import { settleTrusted } from "../config/grants/settle-trusted.ts";
import { personLayers } from "../config/grants/widenings.ts";
import { loadConfig } from "../config/load-config.ts";
import type { Admit, Brought } from "../config/module-loader.ts";
import type { Module } from "../domain/authoring/module.ts";
import { mergeLimits } from "../domain/limits.ts";
import type { AgentId } from "../domain/message/message.ts";
import type { Model } from "../domain/model.ts";
import { findEnvironment } from "../environment/open.ts";
import { PROGRAM } from "../legion/hosting/agent-policy.ts";
import { broughtBy, planRoster, type Role, type Roster } from "../legion/roster.ts";
import { openPersonFolder } from "../storage/folder/person/folder.ts";
import { grant } from "../storage/folder/person/trust.ts";
import type { AgentWish, LegionWish } from "./options.ts";

export interface CastingPlace {
  /** Real path of the project's folder. */
  readonly project: string;
  readonly env: Variables;
  readonly wish: LegionWish;
  /** Definitions that are no files of `agents/`, by what refers to them. */
  readonly others?: Places["others"];
  /** Told, once for the same, what a person should know; one line. */
  readonly warn: (text: string) => void;
}

/** An agent, and what it makes other agents keep their hands off. */
export interface Cast extends Pick<Roster, "protectedPaths" | "limits"> {
  readonly role: Role;
}

export interface Casting {
  /** As it is settled at the opening. */
  readonly config: Config;
  /** Rejects with USAGE or CONFIG, with one line that says what is wrong and what would be right. */
  cast(wish: AgentWish, id: AgentId): Promise<Cast>;
}

export async function openCasting(place: CastingPlace): Promise<Casting> {
  const { project, env, wish, warn, others } = place;
  const places = { projectDir: project, packageDir, others };
  const admit = createAdmission(place);
  const settle = async (model: AgentWish["model"], brought: (config: Config) => Promise<Brought>) => {
    const flags = flagsOf(wish, model ?? wish.model);
    const load = () => loadConfig({ projectDir: project, env, flags, providers: wish.providers });
    return withWish(await settleTrusted({ load, broughtBy: brought, admit }), wish);
  };
  const config = await settle(undefined, async ({ grants }) => ({ modules: [], grants }));
  const machine = { finding: await findEnvironment(env), variables: env };
  return {
    config,
    async cast(agent, id) {
      const given = givenBy(agent);
      const membersOf = (settled: Config) =>
        ({ kind: "given", members: [memberOf(agent, id, { ...settled, ofAll: wish.limits })] }) as const;
      const settled = await settle(agent.model, (one) =>
        broughtBy(membersOf(one), { config: one, places, given }),
      );
      const own = agent.model ?? wish.model;
      const roster = await planRoster(membersOf(settled), {
        ...{ config: settled, places, given, admit, machine },
        modelFor: typeof own === "object" ? () => Promise.resolve(own) : undefined,
        onRemark: warn,
      });
      roster.remarks.forEach(warn);
      const { protectedPaths, limits, roles } = roster;
      return { role: roles[0]!, protectedPaths, limits };
    },
  };
}

/** What the command line would say of it. A prompt is worked at without waiting for a beat. */
function flagsOf({ approvals, store, session }: LegionWish, model: string | Model | undefined): ConfigFlags {
  const name = typeof model === "object" ? model.name : model;
  return { tick: "0", approvals, model: name, bus: (store ?? session) && "memory" };
}

/** What a program says stands for what a person types. */
function withWish(config: Config, { limits, policy }: LegionWish): Config {
  return {
    ...config,
    policies: [...config.policies, ...personLayers(PROGRAM, policy)],
    limits: { ...config.limits, legion: mergeLimits(config.limits.legion, limits?.legion ?? {}) },
  };
}

function givenBy({ modules = [] }: AgentWish): ReadonlyMap<string, Module> {
  const own = modules.filter((module) => typeof module !== "string");
  return new Map(own.map((module) => [module.name, module]));
}

interface MemberDefaults extends Pick<Config, "agent"> {
  readonly ofAll: LegionWish["limits"];
}

/** What is said of one agent outranks what is said of all. */
function memberOf(wish: AgentWish, id: AgentId, { agent, ofAll }: MemberDefaults): Member {
  const { brief, actions, environment, memories } = wish;
  const limits = mergeLimits(ofAll?.agent ?? {}, wish.limits ?? {});
  return {
    ...{ id, brief, actions, limits, environment, memories },
    agent: wish.agent ?? agent,
    modules: wish.modules?.map((module) => (typeof module === "string" ? module : module.name)),
    policy: personLayers(PROGRAM, wish.policy),
  };
}

const WAY = "`legion trust --trust` does so, or `trust: true` for Legion.open";

/** Nobody is asked: what the project brings counts if a person trusted it before, or the program says so. */
function createAdmission({ project, env, wish, warn }: CastingPlace): Admit {
  const person = openPersonFolder(env);
  return async ({ modules, grants }) => {
    const { code, wanted } = await openGrants(
      { modules, grants: grants.filter(({ isGranted }) => !isGranted) },
      project,
      person,
    );
    if (wish.trust) return grant(person, project, ...code, ...wanted);
    if (code.length > 0) throw untrusted(code, WAY);
    if (wanted.length > 0) warn(leftOut(wanted));
  };
}
