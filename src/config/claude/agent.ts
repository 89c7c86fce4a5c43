// One file of .claude/agents -> what its agent is here, with a line for everything that holds otherwise.

import { cleanLine } from "../../../modules/skills/clean.ts";
import { textOf } from "../../../modules/skills/front-matter.ts";
import type { LimitsChoice } from "../../domain/limits.ts";
import { checkRule } from "../../domain/policy/rule.ts";
import type { Profile } from "../../domain/policy/policy.ts";
import { KNOWN_MODELS } from "../../model/registry/profiles.ts";
import { CLAUDE_KEYS, namesIn, readClaudeFile, serversSaid } from "./front-matter.ts";
import { allActions, BASE, EVERYTHING, mapTools, toolsOf, type MappedTools } from "./tools.ts";

/** What the settings of a definition are made from. */
export interface ClaudeAgent {
  /** One line, at most 64 characters. */
  readonly name: string;
  /** One line; may be empty. */
  readonly description: string;
  readonly brief: string;
  readonly model?: string;
  readonly modules: readonly string[];
  /** Absent: all of its modules. */
  readonly actions?: readonly string[];
  readonly skills?: "all" | readonly string[];
  /** Which of them it has read from the start; absent: none. */
  readonly preloaded?: readonly string[];
  /** Which servers it has; absent: all, as far as `actions` leaves them. */
  readonly mcp?: "all" | readonly string[];
  readonly limits?: LimitsChoice;
  readonly policy?: { readonly profile?: Profile; readonly deny: string[] };
  /** As Claude Code names it. */
  readonly color?: string;
  /** For people, a line each: what of the file holds otherwise, or not at all. */
  readonly remarks: readonly string[];
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._ -]{0,63}$/u;
const COLORS = ["red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"];
const MAX_DESCRIPTION = 1_000;
const MAX_REMARK = 300;

const JUDGED = "the policy judges each call";

/** What holds in place of fields that mean nothing here. */
const INSTEAD = new Map([
  ["permissionMode", JUDGED],
  ["hooks", "no hook runs; the policy judges each call"],
  ["memory", "its log is kept, and of other projects it knows nothing"],
  ["background", "every agent works beside the others"],
  ["isolation", "it works in the project folder"],
  ["effort", "its model thinks as it does by default"],
  ["initialPrompt", "it begins with the mail that it gets"],
]);

/** `fallback`: what it is called if it says no name that can be typed. `undefined`: it has no front matter, so it is no agent. */
export function readClaudeAgent(text: string, fallback: string): ClaudeAgent | undefined {
  const file = readClaudeFile(text);
  if (!file) return undefined;
  const { fields, body } = file;
  const said = cleanLine(textOf(fields.get("name")), 200);
  const isName = NAME.test(said);
  const tools = readTools(fields);
  const skills = namesIn(fields.get("skills"));
  const model = readModel(textOf(fields.get("model")).trim());
  const turns = readTurns(fields.get("maxTurns"));
  const denied = readDenied(fields);
  const color = textOf(fields.get("color")).trim().toLowerCase();
  const hasColor = COLORS.includes(color);
  const profile = textOf(fields.get("permissionMode")).trim() === "plan" ? "read-only" : undefined;
  const modules = skills ? [...new Set([...tools.modules, "skills"])] : tools.modules;
  const actions = skills ? [...tools.actions, "getSkill"] : tools.actions;
  const remarks = [
    ...(isName || said === "" ? [] : [`name: "${said}" cannot be one; it is called ${fallback}`]),
    ...tools.remarks,
    ...denied.remarks,
    ...model.remarks,
    ...turns.remarks,
    ...(color === "" || hasColor ? [] : [`color: ${color} is none of ${COLORS.join(", ")}`]),
    ...remarksOnKeys(fields),
  ];
  return {
    name: isName ? said : fallback,
    description: cleanLine(textOf(fields.get("description")).replace(/\\n/g, " "), MAX_DESCRIPTION),
    brief: body.trim(),
    model: model.name,
    modules,
    actions: tools.isAll ? undefined : [...new Set(actions)],
    skills: tools.modules.includes("skills") ? "all" : skills,
    preloaded: skills,
    mcp: tools.mcp,
    limits: turns.limits,
    policy: profile || denied.rules.length > 0 ? { profile, deny: [...denied.rules] } : undefined,
    color: hasColor ? color : undefined,
    remarks: remarks.map((remark) => cleanLine(remark, MAX_REMARK)),
  };
}

type ClaudeFields = ReadonlyMap<string, unknown>;

interface OwnTools extends Omit<MappedTools, "servers"> {
  /** Of its modules, are those all? */
  readonly isAll: boolean;
  readonly mcp?: ClaudeAgent["mcp"];
}

function readTools(fields: ClaudeFields): OwnTools {
  const servers = serversSaid(fields.get("mcpServers"))?.names;
  const listed = namesIn(fields.get("tools"));
  const isAll = listed === undefined || listed.some((tool) => /^(?:\*|all|all tools)$/i.test(tool));
  if (isAll) {
    const actions = servers === undefined ? [] : [...BASE.actions, ...allActions(servers)];
    return { modules: EVERYTHING, actions, remarks: [], isAll: servers === undefined, mcp: servers };
  }
  const mapped = mapTools(listed);
  const named =
    mapped.servers === "all" ? mapped.servers : [...new Set([...mapped.servers, ...(servers ?? [])])];
  return {
    modules: [...new Set([...BASE.modules, ...mapped.modules, ...(named.length > 0 ? ["mcp"] : [])])],
    actions: [...BASE.actions, ...mapped.actions, ...(servers ?? []).map(toolsOf)],
    remarks: mapped.remarks.map((remark) => `tools: ${remark}`),
    isAll: false,
    mcp: named.length > 0 ? named : undefined,
  };
}

/** What is forbidden in part is forbidden as a whole where no rule can say that part. */
function readDenied(fields: ClaudeFields): {
  readonly rules: readonly string[];
  readonly remarks: readonly string[];
} {
  const rules = new Set<string>();
  const remarks: string[] = [];
  for (const tool of namesIn(fields.get("disallowedTools")) ?? []) {
    const command = /^Bash\((.+?)(:\*)?\)$/.exec(tool);
    const rule = command && ruleOf(`run ${command[1]!}${command[2] ? " *" : ""}`);
    if (rule) {
      rules.add(rule);
      continue;
    }
    const { actions, remarks: said } = mapTools([tool]);
    for (const action of actions) rules.add(`action ${action}`);
    if (tool.includes("(") && actions.length > 0)
      remarks.push(`disallowedTools: ${tool}: it has nothing of that tool`);
    else if (actions.length === 0) remarks.push(...said.map((remark) => `disallowedTools: ${remark}`));
  }
  return { rules: [...rules], remarks };
}

function ruleOf(text: string): string | undefined {
  try {
    return checkRule(text);
  } catch {
    return undefined;
  }
}

const INHERITED = "the model of the project holds";

function readModel(said: string): { readonly name?: string; readonly remarks: readonly string[] } {
  const known = said.replace(/\[1m\]$/, "");
  if (/^(?:|inherit|default)$/.test(known)) return { remarks: [] };
  const newest = KNOWN_MODELS.find(
    (name) => /^(?:sonnet|opus|haiku|fable)$/.test(known) && name.startsWith(`anthropic/claude-${known}-`),
  );
  if (newest !== undefined) return { name: newest, remarks: [] };
  if (/^claude-[\w.-]{1,100}$/.test(known)) return { name: `anthropic/${known}`, remarks: [] };
  if (/^(?:anthropic|openai)\/[\w./:-]{1,150}$/.test(known)) return { name: known, remarks: [] };
  return { remarks: [`model: ${said} is not known; ${INHERITED}`] };
}

function readTurns(value: unknown): { readonly limits?: LimitsChoice; readonly remarks: readonly string[] } {
  if (value === undefined || value === null) return { remarks: [] };
  const text = textOf(value).trim();
  if (/^[1-9]\d{0,8}$/.test(text)) return { limits: { turns: Number(text) }, remarks: [] };
  return { remarks: ["maxTurns: expected a number above 0; it does not limit its turns"] };
}

function remarksOnKeys(fields: ClaudeFields): readonly string[] {
  return [...fields.keys()].slice(0, 50).flatMap((key) => {
    const instead = key === "permissionMode" ? insteadOfMode(fields) : INSTEAD.get(key);
    if (instead !== undefined) return [`${key}: ${instead}`];
    return CLAUDE_KEYS.includes(key) ? [] : [`${key}: not known here, and without effect`];
  });
}

function insteadOfMode(fields: ClaudeFields): string {
  const isPlan = textOf(fields.get("permissionMode")).trim() === "plan";
  return isPlan ? "it has the profile read-only" : JUDGED;
}
