import { basename, resolve } from "node:path";
import { z } from "zod";
import { isLegionError, LegionError } from "../base/errors.ts";
import type { EnvironmentChoice } from "../environment/settings.ts";
import type { LimitsChoice } from "../domain/limits.ts";
import type { Sampling } from "../domain/model.ts";
import type { ModelDescription } from "../model/registry/profiles.ts";
import type { BashSettings } from "../domain/task-templates.ts";
import type { MemoryId } from "../domain/memory/memory-id.ts";
import { isAgentId, type AgentId } from "../domain/message/message.ts";
import type { ReceiptUse } from "../domain/message/receipt.ts";
import type { PolicyLayer } from "../domain/policy/policy.ts";
import { findInProject } from "../base/files/project-file.ts";
import {
  actionNames,
  duration,
  environment,
  limits,
  line,
  memory,
  memoryIds,
  moduleNames,
  name,
  serverNames,
  policy,
  section,
  skillNames,
  type MemoryChoice,
} from "./files/settings.ts";
import { NO_TRUST, trustSettings, type Trust, type WantedGrant } from "./grants/grant.ts";
import { definitionWidenings, policyLayers } from "./grants/widenings.ts";
import { NO_FRONT_MATTER, splitFrontMatter } from "./files/front-matter.ts";
import { findByName, readNamed } from "./files/named-file.ts";
import { parseYaml } from "./files/yaml.ts";
import { checkDirecting, directingIn, directingKeys, modulesFor, type Directing } from "./directing.ts";
import { bashKeys, bashSettings, checkProtocol } from "./bash-keys.ts";
import { readAgentOf, type ClaudeFile } from "./claude/files.ts";
import { findClaudeFile } from "./claude/lookup.ts";
import { findClaudeTeam } from "./claude/team.ts";
import { remarksOnMark } from "./skills/mark.ts";
import type { KeptSource } from "./mini/kept.ts";
import type { ShownSections } from "./mini/variables.ts";
import { GUIDES, withGuides, type GuidedBrief } from "./guides.ts";

/** What an agent is: the front matter and the body of `agents/<name>.md`. */
export interface Definition extends Directing {
  /** The file's name unless the front matter says otherwise. */
  readonly name: string;
  /** What it is for, in one line; may be empty. */
  readonly description: string;
  /** What it is asked to be; may be empty. */
  readonly brief: string;
  readonly model?: string;
  readonly protocol: "auto" | "text" | "tools" | "bash";
  /** Of one whose protocol is `bash`. */
  readonly bash?: BashSettings;
  /** Of one that a configuration of mini-SWE-agent is: what trajectories keep of that; absent: it is none. */
  readonly sections?: ShownSections;
  /** The same as it is kept, to be read again. */
  readonly sources?: readonly KeptSource[];
  /** Whether it is told to cite results, or has to in what it reports to a person. Absent: neither. */
  readonly receipts?: ReceiptUse;
  readonly modules: readonly string[];
  /** The only ones of its modules' actions that it has. Absent: all of them. */
  readonly actions?: readonly string[];
  readonly tickMs?: number;
  readonly memory: MemoryChoice;
  /** How its model answers, whichever that is; absent: as `models:` says, or as it does by itself. */
  readonly sampling?: Sampling & Pick<ModelDescription, "maxOutput">;
  readonly limits: LimitsChoice;
  /** With a model of unknown price its limit of what that costs does not hold; absent: it is refused. */
  readonly unpriced?: "borne";
  /** What it says of the agent's policy; may be empty. */
  readonly policy: readonly PolicyLayer[];
  /** What it says and only the person may; as far as it is not granted it is left out of all else here. */
  readonly grants: readonly WantedGrant[];
  readonly environment: EnvironmentChoice;
  /** `worktree`: a folder of its own, with a branch of its own; absent: the project's folder, like all others. */
  readonly workspace?: WorkspaceKind;
  /** Which skills it has, of those that there are; absent: all. */
  readonly skills?: "all" | readonly string[];
  /** Which of them it has read from the start; absent: none. */
  readonly preloaded?: readonly string[];
  /** Which MCP servers it has, of those that there are; absent: all. */
  readonly mcp?: "all" | readonly string[];
  /** The long-term memories that it reaches, the one that it writes to first; absent: the usual one, with the module for it. */
  readonly memories?: readonly MemoryId[];
  /** How its file is named, where that may hold servers of its own; absent: it may not. */
  readonly file?: string;
  /** Paths relative to the project of guides that are part of its brief, there or not; absent: none. */
  readonly guides?: readonly string[];
  /** As its file names it, for people; absent: none. */
  readonly color?: string;
  /** For people, a line each: what its file says for another program and holds otherwise here. Absent: nothing. */
  readonly remarks?: readonly string[];
}

export type WorkspaceKind = (typeof WORKSPACES)[number];

export interface Member {
  readonly id: AgentId;
  /** Name or path of its definition. */
  readonly agent: string;
  readonly model?: string;
  /** Who chose the model; the team if absent. */
  readonly modelBy?: string;
  /** Stands in place of the definition's. */
  readonly brief?: string;
  readonly limits: LimitsChoice;
  /** What the team says of its policy; absent where no team does. */
  readonly policy?: readonly PolicyLayer[];
  /** As those of a definition; absent where no team says something. */
  readonly grants?: readonly WantedGrant[];
  readonly environment?: EnvironmentChoice;
  /** Stand in place of the definition's. */
  readonly workspace?: WorkspaceKind;
  readonly modules?: readonly string[];
  /** The only ones that it has of the definition's. */
  readonly actions?: readonly string[];
  /** Stand in place of the definition's. */
  readonly skills?: Definition["skills"];
  readonly mcp?: Definition["mcp"];
  readonly memories?: Definition["memories"];
  /** Chosen by the record of its last start, which is no place to name code: only what the definition names, too, is run. */
  readonly modulesBy?: "record";
}

/**
 * Where definitions and teams are looked up: `agents/` of the project, then of the package. A definition may also be one of
 * `.claude/agents`: that of the project stands before the package's, that of the person's home behind it.
 */
export interface Places {
  readonly projectDir: string;
  readonly packageDir: string;
  /** The person's, for what they keep there for Claude Code; absent: nothing is looked for there. */
  readonly home?: string;
  /** What the person said of the project; absent: that they trust nothing. */
  readonly trust?: Trust;
  /** Where commands run of a definition that says `own` of it; absent: nobody asks. */
  readonly commandsIn?: (own: EnvironmentChoice) => EnvironmentChoice;
  /** Definitions that are no files of `agents/`, by what refers to them; each is read with what is known by then. */
  readonly others?: ReadonlyMap<string, (known: KnownPlace) => Promise<Definition>>;
}

/** What a definition is judged by. */
export type KnownPlace = Pick<Places, "trust" | "commandsIn">;

export const MAX_MEMBERS = 1_000;
const DEFAULT_MODULES = ["core", "goals", "notes", "messaging", "system", "web"];

/** By key, the module that finds what it says. */
const FINDERS = { skills: "skills", mcp: "mcp", memories: "memory" } as const;

const WORKSPACES = ["project", "worktree"] as const;
const workspace = z.enum(WORKSPACES, `expected ${WORKSPACES.join(" or ")}`);
const RECEIPTS = ["off", "on", "required"] as const;
const RECEIPTS_EXPECTED = `expected ${RECEIPTS.join(", ")}`;
const PROTOCOL = "expected auto, text, tools or bash";
const GUIDES_EXPECTED = `expected a list of ${GUIDES.join(" and ")}`;
const found = { skills: skillNames.optional(), mcp: serverNames.optional(), memories: memoryIds.optional() };
const frontMatter = section({
  name: name.optional(),
  description: line.optional(),
  model: name.optional(),
  protocol: z.enum(["auto", "text", "tools", "bash"], PROTOCOL).optional(),
  ...{ ...bashKeys, ...directingKeys, receipts: z.enum(RECEIPTS, RECEIPTS_EXPECTED).optional() },
  modules: moduleNames.optional(),
  actions: actionNames.optional(),
  tick: duration.optional(),
  memory: memory.optional(),
  ...{ limits: limits.optional(), policy: policy.optional() },
  ...found,
  guides: z.array(z.enum(GUIDES, GUIDES_EXPECTED), GUIDES_EXPECTED).optional(),
  ...{ environment: environment.optional(), workspace: workspace.optional() },
})
  .superRefine(checkProtocol)
  .superRefine(checkDirecting);

const AGENT_ID = "expected an agent id: lower-case letters and digits, inside also dots, dashes, underscores";
const team = section({
  agents: z
    .record(
      z.string().refine(isAgentId, AGENT_ID),
      section({
        agent: name,
        model: name.optional(),
        brief: z.string("expected a text").trim().optional(),
        limits: limits.optional(),
        policy: policy.optional(),
        environment: environment.optional(),
        modules: moduleNames.optional(),
        actions: actionNames.optional(),
        ...found,
        workspace: workspace.optional(),
      }),
      "expected a map from agent ids to what they are",
    )
    .refine((agents) => Object.keys(agents).length > 0, "expected at least one agent")
    .refine((agents) => Object.keys(agents).length <= MAX_MEMBERS, `expected at most ${MAX_MEMBERS} agents`),
});

/**
 * The definition that `reference` names: a name, or the path of a file inside the project. Throws USAGE, with the nearest
 * names, if there is none; CONFIG, with the line, if it is wrong.
 */
export async function findDefinition(reference: string, places: Places): Promise<Definition> {
  const other = places.others?.get(reference);
  if (other) return other(places);
  const claude = await findClaudeFile(reference, places);
  return claude ? readClaudeDefinition(claude, places) : readDefinition(reference, places);
}

async function readDefinition(reference: string, places: Places): Promise<Definition> {
  const isPath = /[\\/]|\.md$/.test(reference);
  const path = isPath ? await findInProject(places.projectDir, reference) : undefined;
  const { file, text, isOurs } = isPath
    ? await readNamed(reference, path)
    : await findByName({ what: "agent", extension: ".md" }, reference, places);

  const { front, body } = splitFrontMatter(file, text);
  const read = await parseYaml({ file, text: front, firstLine: 2 }, frontMatter);
  const { trust = NO_TRUST } = places;
  const widenings = isOurs ? [] : definitionWidenings(read, trust.bounds, `agents of ${file}`);
  const { settings, grants } = trustSettings(read, file, widenings, trust);
  const bash = read.protocol === "bash" ? bashSettings(read, { file, body }) : undefined;
  const usual = modulesFor(read) ?? withFinders(DEFAULT_MODULES, read);
  const modules = bash ? ["bash"] : read.modules ? withFinders(read.modules, read) : usual;
  const guided = await withGuides(body, read.guides ?? [], places.projectDir);
  const remarks = [...guided.remarks, ...remarksOnMark(body, modules)];
  return {
    name: read.name ?? basename(file, ".md"),
    description: read.description ?? "",
    ...{ brief: guided.brief, guides: read.guides && guided.files },
    ...{ model: read.model, protocol: read.protocol ?? "auto", bash, modules },
    receipts: read.receipts === "off" ? undefined : read.receipts,
    remarks: remarks.length > 0 ? remarks : undefined,
    ...{ actions: read.actions, tickMs: read.tick, ...directingIn(read) },
    memory: read.memory ?? {},
    limits: settings.limits ?? {},
    environment: settings.environment ?? {},
    workspace: read.workspace,
    ...{ skills: read.skills, mcp: read.mcp, memories: read.memories },
    policy: policyLayers(file, settings.policy, trust.bounds),
    grants,
  };
}

async function readClaudeDefinition(file: ClaudeFile, places: Places): Promise<Definition> {
  const { shown, isPersons } = file;
  const agent = await readAgentOf(file);
  if (!agent) throw new LegionError("CONFIG", `${shown}:1: ${NO_FRONT_MATTER}`);
  const { trust = NO_TRUST } = places;
  const widenings = isPersons ? [] : definitionWidenings(agent, trust.bounds, `agents of ${shown}`);
  const { settings, grants } = trustSettings(agent, shown, widenings, trust);
  const { limits: choice = {}, policy: said, ...rest } = settings;
  const { brief, files, remarks } = await withGuides(agent.brief, ["CLAUDE.md"], places.projectDir).catch(
    (error: unknown): GuidedBrief => {
      if (!isLegionError(error, "CONFIG")) throw error;
      const why = `not part of its brief: ${error.message}`;
      return { brief: agent.brief, files: ["CLAUDE.md", ".claude/CLAUDE.md"], remarks: [why] };
    },
  );
  return {
    ...rest,
    ...{ file: shown, brief, guides: files },
    remarks: [...agent.remarks, ...remarksOnMark(agent.brief, agent.modules), ...remarks],
    ...{ protocol: "auto", memory: {}, environment: {}, limits: choice, grants },
    policy: policyLayers(shown, said, trust.bounds),
  };
}

/** `modules`, and what finds what is said: who says which skills, or which servers, an agent has need not name the module as well. */
export function withFinders(
  modules: readonly string[],
  said: Pick<Definition, keyof typeof FINDERS>,
): readonly string[] {
  const wanted = Object.entries(FINDERS).filter(([key]) => said[key as keyof typeof FINDERS] !== undefined);
  return [...new Set([...modules, ...wanted.map(([, module]) => module)])];
}

/**
 * The members of the team that `reference` names: the path of a file, the name of one in `agents/`, or a folder `.claude`. At least one; ids
 * that are numbers come first, the others as in the file. Throws as `findDefinition` does; definitions are not looked up.
 */
export async function findTeam(reference: string, places: Places): Promise<readonly Member[]> {
  const claude = await findClaudeTeam(reference, places);
  if (claude) return claude.map((member) => ({ ...member, limits: {} }));
  const { file, text } = /[\\/]|\.ya?ml$/.test(reference)
    ? await readNamed(reference, resolve(places.projectDir, reference))
    : await findByName({ what: "team", extension: ".yaml" }, reference, places);
  const { agents } = await parseYaml({ file, text, firstLine: 1 }, team);
  const { trust = NO_TRUST } = places;
  return Object.entries(agents).map(([id, member]) => {
    const by = `${file} agents.${id}`;
    const widenings = definitionWidenings(member, trust.bounds, `agent ${id} of ${file}`);
    const { settings, grants } = trustSettings(member, by, widenings, trust);
    const policy = policyLayers(file, settings.policy, trust.bounds);
    return { id, ...settings, limits: settings.limits ?? {}, policy, grants };
  });
}
