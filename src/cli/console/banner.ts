// What `start` says before anything happens and after everything has.

import type { Config } from "../../config/config.ts";
import type { Spent } from "../../past/usage.ts";
import { formatLimits } from "../../domain/limits.ts";
import type { Nodes } from "../../storage/contract/nodes.ts";
import { displayName, type AgentId } from "../../domain/message.ts";
import type { Role, Roster } from "../../legion/roster.ts";
import { formatSpent } from "./narration/narration.ts";
import { oneLine } from "../kit/output.ts";
import { wrap, type Paint } from "../kit/terminal.ts";
import { count } from "../../base/wording.ts";

export interface PrefaceOptions {
  readonly roster: Roster;
  /** How these agents were chosen, where no person did. */
  readonly said?: string;
  readonly config: Config;
  /** Absent: no other process shares the legion. */
  readonly nodes?: Pick<Nodes, "legion" | "shown">;
  /** The project's folder. */
  readonly project: string;
  readonly columns: number;
  readonly paint: Paint;
  /** `typing`: a person sits at the terminal and may want to know how to talk. */
  readonly reader: "typing" | "watching";
}

const LABEL = 10;
const MIN_TEXT = 20;
const HOW_TO_LIMIT = "--limits steps=100,tokens=2000000,cost=2.50,time=8h";

/** Who is there, on which model and why, what they may spend and do, and where it is kept; whole rows. */
export function preface(options: PrefaceOptions): string {
  const { roster, said, config, nodes, project, columns, paint, reader } = options;
  const uniform = uniformity(roster.roles);
  const rows = [
    ...wrap(headline(roster.roles), columns).map((row) => paint("bold", row)),
    ...groupRoles(roster.roles).flatMap((group, index) =>
      labelled(index === 0 ? "agents" : "", describe(group, uniform), columns),
    ),
    ...(said === undefined ? [] : labelled("", `${said}.`, columns)),
    ...labelled("limits", describeLimits(roster, uniform), columns),
    ...roster.remarks.flatMap((remark) => labelled("", remark, columns)),
    ...labelled("commands", COMMANDS[config.modules.system.commands], columns),
    ...(readsTheWeb(roster) ? labelled("web", describeSearch(config), columns) : []),
    ...keptWhere(nodes, project).flatMap(([label, text]) => labelled(label, text, columns)),
    ...(reader === "typing" ? labelled("talk", HOW_TO_TALK, columns) : []),
  ];
  return `${rows.join("\n")}\n`;
}

const HOW_TO_TALK = '"2: text" to agent 2, text to all that run here, /help for commands; Ctrl-C ends';
const COMMANDS = {
  allow: "agents may run them, without a sandbox; only start like this where you trust what they read",
  refuse: "refused; --yes allows them, or `system: { commands: allow }` in .ai-legion/config.yaml",
} as const;

function readsTheWeb({ roles }: Roster): boolean {
  return roles.some(({ plan }) => plan.actions.modules.some(({ name }) => name === "web"));
}

function describeSearch({ modules: { web } }: Config): string {
  if (!web.search) return "agents read pages; `legion doctor` says what it takes to let them search";
  return "problem" in web.search
    ? `agents read pages, but cannot search: ${web.search.problem}`
    : `agents read pages, and search with ${web.search.why}`;
}

/** Where a person finds what the agents do. */
function keptWhere(
  nodes: PrefaceOptions["nodes"],
  project: string,
): readonly (readonly [label: string, text: string])[] {
  const folder = `${project}/.ai-legion/agents/<id>`;
  if (!nodes) return [["files", `${folder}: goals.json, notes/, log/`]];
  return [
    ["legion", `${nodes.legion} at ${nodes.shown}; other processes join it with the same --bus and --name`],
    ["files", `${folder}: goals.json, notes/, as copies to read`],
  ];
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

function kindOf({ plan, definition, model }: Role): string {
  return JSON.stringify([definition, model.name, plan.limits]);
}

/** What need not be said of each. */
interface Uniformity {
  readonly model: "same" | "different";
  readonly limits: "same" | "different";
}

function uniformity(roles: readonly Role[]): Uniformity {
  const compare = (of: (role: Role) => unknown) =>
    new Set(roles.map((role) => JSON.stringify(of(role)))).size === 1 ? "same" : "different";
  return { model: compare(({ plan }) => plan.model.name), limits: compare(({ plan }) => plan.limits) };
}

function describe(group: readonly [Role, ...Role[]], uniform: Uniformity): string {
  const [role] = group;
  const { plan, definition } = role;
  const parts = [
    definition,
    ...(uniform.model === "same" ? [] : [`on ${modelOf(role)}`]),
    ...(uniform.limits === "same" ? [] : [`limits: ${formatLimits(plan.limits)}`]),
  ];
  const { description } = plan.identity;
  return `${namesOf(group)}: ${parts.join(", ")}${description && `. ${description}`}`;
}

function namesOf(group: readonly Role[]): string {
  const ids = group.map(({ plan }) => plan.identity.id);
  const isRun = ids.length > 2 && ids.every((id, index) => Number(id) === Number(ids[0]) + index);
  return isRun ? `${ids[0]} to ${ids.at(-1)}` : ids.join(", ");
}

function describeLimits({ roles, limits }: Roster, uniform: Uniformity): string {
  const each = uniform.limits === "same" ? formatLimits(roles[0]!.plan.limits) : "as above";
  const all = formatLimits(limits);
  if (each === "none" && all === "none") return `none; set some with ${HOW_TO_LIMIT}`;
  return `${each} for each agent, ${all} for the legion; change them with ${HOW_TO_LIMIT} or --limits none`;
}

export interface Summary {
  /** The newest message to the person; absent: nobody said anything. */
  readonly said: NewestMessage | undefined;
  /** How it ended, in a sentence. */
  readonly ending: string;
  readonly roster: Roster;
  /** What this run spent. */
  readonly spent: Spent;
  /** How to call this program. */
  readonly program: string;
  readonly nodes?: PrefaceOptions["nodes"];
  readonly columns: number;
}

export interface NewestMessage {
  readonly by: AgentId;
  readonly content: string;
}

const MAX_SAID = 300;

/** What came of a run, where to see it, and what it cost; whole rows. */
export function summary({
  said,
  ending,
  roster: { roles },
  spent,
  program,
  nodes,
  columns,
}: Summary): string {
  const agents = roles.length === 1 ? displayName(roles[0]!.plan.identity.id) : `${roles.length} agents`;
  const isPriced = roles.every(({ plan }) => plan.model.profile.price);
  const cost = spent.cost > 0 ? "" : isPriced ? ", free" : ", cost unknown";
  const id = said?.by ?? roles[0]!.plan.identity.id;
  const next = ["inbox", `goals ${id}`, `notes ${id}`, `log ${id}`].map((words) => `${program} ${words}`);
  const rows = [
    ...(said ? wrap(`${displayName(said.by)}: ${clip(oneLine(said.content))}`, columns) : []),
    ...wrap(`See more with: ${next.join(", ")}${nodes ? SAME_PLACE : ""}`, columns),
    ...wrap(`${ending} ${agents} in this run: ${formatSpent(spent)}${cost}.`, columns),
  ];
  return `${rows.join("\n")}\n`;
}

function clip(text: string): string {
  return text.length > MAX_SAID ? `${text.slice(0, MAX_SAID - 1)}…` : text;
}

const SAME_PLACE = "; each with the same --bus and --name, or LEGION_BUS and LEGION_NAME";

function labelled(label: string, text: string, columns: number): readonly string[] {
  const indent = columns < 60 ? 2 : LABEL + 2;
  const head = `  ${label.padEnd(LABEL)}`;
  const rows = wrap(text, Math.max(MIN_TEXT, columns - indent));
  if (indent === 2) return [...(label ? [`${label}:`] : []), ...rows.map((row) => `  ${row}`)];
  return rows.map((row, index) => (index === 0 ? head : " ".repeat(indent)) + row);
}
