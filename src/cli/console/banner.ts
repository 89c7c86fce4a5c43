// What `start` says before anything happens and after everything has.

import type { Config } from "../../config/config.ts";
import { MODES, type Mode } from "../../domain/supervision.ts";
import type { Spent } from "../../past/limits/spending.ts";
import { formatLimits } from "../../domain/limits.ts";
import { legionPaths } from "../../storage/folder/paths.ts";
import type { Nodes } from "../../storage/contract/nodes.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import { environmentIn } from "../../legion/hosting/agent-policy.ts";
import type { Role, Roster } from "../../legion/roster.ts";
import { formatSpent } from "./narration/narration.ts";
import { NARROW } from "./narration/page.ts";
import { MODE_WORDS } from "../kit/mode.ts";
import { oneLine } from "../kit/output.ts";
import { describeCommands, type CommandsWhere, type SandboxFinding } from "./reach.ts";
import { breakLine, clip, plain, wrap, type Paint } from "../kit/terminal.ts";
import { count } from "../../base/text/wording.ts";
import type { ConsoleMode } from "./console.ts";

export interface PrefaceOptions {
  readonly roster: Roster;
  /** How these agents were chosen, where no person did. */
  readonly said?: string;
  readonly config: Config;
  readonly sandbox?: SandboxFinding;
  /** How the person watches over them; absent: as usual. */
  readonly modes?: ReadonlyMap<AgentId, Mode>;
  /** Absent: no other process shares the legion. */
  readonly nodes?: Pick<Nodes, "legion" | "shown">;
  /** The project's folder. */
  readonly project: string;
  /** Absolute path of the home of one of its runs; absent: the project's own legion. */
  readonly home?: string;
  readonly columns: number;
  readonly paint: Paint;
  /** Who sits at a prompt may want to know how to talk. */
  readonly mode: ConsoleMode;
}

const LABEL = 10;
const MIN_TEXT = 20;
const HOW_TO_LIMIT = "--limits steps=100,tokens=2000000,cost=2.50,time=8h";

/** Who is there, on which model and why, what they may spend and do, and where it is kept; whole rows. */
export function preface(options: PrefaceOptions): string {
  const { roster, said, config, modes = USUAL, nodes, columns, paint, mode } = options;
  const { roles, remarks } = roster;
  const uniform = uniformity(roles);
  const facts: readonly (readonly [label: string, text: string | undefined])[] = [
    ...groupRoles(roles).map(
      (group, index) => [index === 0 ? "agents" : "", describe(group, uniform)] as const,
    ),
    ["", said && `${said}.`],
    ["limits", describeLimits(roster, uniform)],
    ["", describePurse(config)],
    ...remarks.map((remark) => ["", remark] as const),
    ["mode", describeModes(modes)],
    ["commands", describeCommands(config, placeOf(options), [...new Set(modes.values())])],
    ["web", roles.some((role) => has(role, "web")) ? describeSearch(config) : undefined],
    [
      "legion",
      nodes && `${nodes.legion} at ${nodes.shown}; other processes join it with the same --bus and --name`,
    ],
    ["files", describeFiles(options)],
    ["talk", mode === "prompt" ? howToTalk(options) : undefined],
  ];
  const rows = [
    ...wrap(headline(roles), columns).map((row) => paint("bold", row)),
    ...facts.flatMap(([label, text]) => (text === undefined ? [] : labelled(label, text, columns))),
  ];
  return `${rows.join("\n")}\n`;
}

/** That of agents which all have the same; else of those of which nobody says otherwise. */
function placeOf({ roster: { roles }, config, sandbox }: PrefaceOptions): CommandsWhere {
  const [first, ...others] = new Map(
    roles.map(({ environment }) => [JSON.stringify(environment), environment]),
  ).values();
  const isOne = first !== undefined && others.length === 0;
  return { said: isOne ? first : environmentIn(config), sandbox };
}

const USUAL: ReadonlyMap<AgentId, Mode> = new Map();

/** Nothing where each is watched over as the policy says. */
function describeModes(modes: ReadonlyMap<AgentId, Mode>): string | undefined {
  const said = MODES.flatMap((mode) => {
    const agents = [...modes.keys()].filter((agent) => modes.get(agent) === mode);
    if (agents.length === 0) return [];
    return modes.size === agents.length
      ? [`${mode}: ${MODE_WORDS[mode]}`]
      : [`${agents.join(", ")}: ${mode}`];
  });
  const isUsual = [...modes.values()].every((mode) => mode === "usual");
  return isUsual ? undefined : `${said.join("; ")}; /h tells more`;
}

function howToTalk({ roster: { roles }, home }: PrefaceOptions): string {
  const [, second] = roles;
  if (home !== undefined)
    return "text to the agent, /h: who says what it does, /help: all commands; Ctrl-C stops what it does, again: ends the run";
  if (!second) return "text to the agent, Esc stops what it does, /help for commands; Ctrl-C ends";
  const { id } = second.plan.identity;
  const name = displayName(id).replace("Agent", "agent");
  return `"${id}: text" to ${name}, text to all that run here, /help for commands; Ctrl-C ends`;
}

function has({ plan }: Role, module: string): boolean {
  return plan.actions.modules.some(({ name }) => name === module);
}

/** Absent: there are none, not even copies. */
function describeFiles({ roster: { roles }, nodes, project, home }: PrefaceOptions): string | undefined {
  const states = [
    ["goals", "goals.json"],
    ["notes", "notes/"],
  ] as const;
  const kept = states.flatMap(([module, file]) => (roles.some((role) => has(role, module)) ? file : []));
  const files = nodes ? kept : [...kept, "log/"];
  if (files.length === 0) return undefined;
  const folder = `${legionPaths(project, home).agents}/<id>: ${files.join(", ")}`;
  return nodes ? `${folder}, as copies to read` : folder;
}

function describeSearch({ modules: { web } }: Config): string {
  if (!web.search) return "agents read pages; `legion doctor` says what it takes to let them search";
  return "problem" in web.search
    ? `agents read pages, but cannot search: ${web.search.problem}`
    : `agents read pages, and search with ${web.search.why}`;
}

function headline(roles: readonly Role[]): string {
  const models = new Set(roles.map(({ plan }) => plan.model.name));
  const [first] = roles as readonly [Role];
  const agents = count(roles.length, "agent");
  return models.size === 1 ? `${agents} on ${modelOf(first)}` : `${agents} on ${models.size} models`;
}

/** Which model, at which host where that is not plain, and why. */
function modelOf({ plan, model: { name, why } }: Role): string {
  const { host } = plan.model;
  return `${name}${host === undefined ? "" : ` at ${host}`} (${why})`;
}

/** Neighbours that are the same but for their ids. */
function groupRoles(roles: readonly Role[]): readonly (readonly [Role, ...Role[]])[] {
  const groups: [Role, ...Role[]][] = [];
  for (const role of roles) {
    const group = groups.at(-1);
    if (group && kindOf(group[0]) === kindOf(role)) group.push(role);
    else groups.push([role]);
  }
  return groups;
}

function kindOf({ plan, source, definition, model }: Role): string {
  return JSON.stringify([source, definition, model.name, plan.limits]);
}

/** What is the same for all, and need not be said of each. */
interface Uniformity {
  readonly isModelSame: boolean;
  readonly areLimitsSame: boolean;
}

function uniformity(roles: readonly Role[]): Uniformity {
  const isSame = (of: (role: Role) => unknown): boolean =>
    new Set(roles.map((role) => JSON.stringify(of(role)))).size === 1;
  return {
    isModelSame: isSame(({ plan }) => plan.model.name),
    areLimitsSame: isSame(({ plan }) => plan.limits),
  };
}

/** Some describe themselves with whole conversations. */
const MAX_DESCRIPTION = 160;

function describe(group: readonly [Role, ...Role[]], uniform: Uniformity): string {
  const [role] = group;
  const { plan, definition } = role;
  const { id, description } = plan.identity;
  const facts = [
    ...(group.length === 1 && id === definition ? [] : [definition]),
    ...(uniform.isModelSame ? [] : [`on ${modelOf(role)}`]),
    ...(uniform.areLimitsSame ? [] : [`limits: ${formatLimits(plan.limits)}`]),
  ].join(", ");
  const said = [facts, clip(description, MAX_DESCRIPTION)].filter((part) => part !== "");
  return `${namesOf(group)}: ${said.join(". ") || definition}`;
}

function namesOf(group: readonly Role[]): string {
  const ids = group.map(({ plan }) => plan.identity.id);
  const isRun = ids.length > 2 && ids.every((id, index) => Number(id) === Number(ids[0]) + index);
  return isRun ? `${ids[0]} to ${ids.at(-1)}` : ids.join(", ");
}

function describeLimits({ roles, limits }: Roster, uniform: Uniformity): string {
  const each = uniform.areLimitsSame ? formatLimits(roles[0]!.plan.limits) : "as above";
  const all = formatLimits(limits);
  if (each === "none" && all === "none") return `none; set some with ${HOW_TO_LIMIT}`;
  return `${each} for each agent, ${all} for the legion; change them with ${HOW_TO_LIMIT} or --limits none`;
}

/** Nothing where the person limits no day and no month. */
function describePurse({ purse: { day = {}, month = {} } }: Config): string | undefined {
  const [aDay, aMonth] = [formatLimits(day), formatLimits(month)];
  const said = [
    ...(aDay === "none" ? [] : [`${aDay} a day`]),
    ...(aMonth === "none" ? [] : [`${aMonth} a month`]),
  ];
  return said.length > 0 ? `${said.join(" and ")} for all of your projects together` : undefined;
}

export interface Summary {
  /** The newest message to the person; absent: nobody said anything. */
  readonly said: NewestMessage | undefined;
  /** What waits for the person, in a sentence without a full stop; absent: nothing. */
  readonly left?: string;
  /** How it ended, in a sentence; empty: that is said elsewhere, and what it cost. */
  readonly ending: string;
  readonly roster: Roster;
  /** What this run spent. */
  readonly spent: Spent;
  /** How to call this program. */
  readonly program: string;
  readonly nodes?: PrefaceOptions["nodes"];
  /** The run that it was; absent: the project's own legion. */
  readonly run?: string;
  readonly columns: number;
}

export interface NewestMessage {
  readonly by: AgentId;
  readonly content: string;
}

const MAX_SAID = 300;

/** What came of a run, where to see it, and what it cost; whole rows. */
export function summary(options: Summary): string {
  const { said, left, ending, roster, spent, program, columns } = options;
  const { roles } = roster;
  const agents = roles.length === 1 ? displayName(roles[0]!.plan.identity.id) : `${roles.length} agents`;
  const isPriced = roles.every(({ plan }) => plan.model.profile.price);
  const cost = spent.cost > 0 ? "" : isPriced ? ", free" : ", cost unknown";
  const id = said?.by ?? roles[0]!.plan.identity.id;
  const role = roles.find(({ plan }) => plan.identity.id === id) ?? roles[0]!;
  const states = ["goals", "notes"].filter((module) => has(role, module));
  const next = ["inbox", ...[...states, "log"].map((what) => `${what} ${id}`)].map(
    (words) => `${program} ${words}`,
  );
  const rows = [
    ...(said ? wrap(`${displayName(said.by)}: ${clip(oneLine(said.content), MAX_SAID)}`, columns) : []),
    ...(left ? inRows(left + samePlace(options), columns) : []),
    ...inRows(`See more with: ${next.join(", ")}${samePlace(options)}`, columns),
    ...(ending ? wrap(`${ending} ${agents} in this run: ${formatSpent(spent)}${cost}.`, columns) : []),
  ];
  return `${rows.join("\n")}\n`;
}

/** Stands for a space at which no row ends. */
const TIE = "\u00a0";

function inRows(text: string, columns: number): readonly string[] {
  return breakLine(plain(text), columns).map((row) => row.replaceAll(TIE, " "));
}

/** What a command needs to be about this legion. */
function samePlace({ nodes, run }: Summary): string {
  if (run !== undefined) return `; each with --run${TIE}${run}`;
  return nodes ? "; each with the same --bus and --name, or LEGION_BUS and LEGION_NAME" : "";
}

function labelled(label: string, text: string, columns: number): readonly string[] {
  const isNarrow = columns < NARROW;
  const margin = " ".repeat(isNarrow ? 2 : LABEL + 2);
  const rows = wrap(text, Math.max(MIN_TEXT, columns - margin.length));
  if (isNarrow) return [...(label ? [`${label}:`] : []), ...rows.map((row) => margin + row)];
  return rows.map((row, index) => (index === 0 ? `  ${label.padEnd(LABEL)}` : margin) + row);
}
