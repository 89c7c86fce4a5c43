// What a tool of Claude Code is here. The table is all that is known of them.

import { nameTool, prefixOf } from "../../../modules/mcp/tools/names.ts";
import { cleanLine } from "../../../modules/skills/clean.ts";

interface Counterpart {
  readonly module?: string;
  /** Of MCP; `*` stands for all. */
  readonly server?: string;
  /** Empty: nothing does what it does. */
  readonly actions: readonly string[];
  /** For people, behind its name: what is different. */
  readonly differs?: string;
}

const COMMANDS = ["executeCommand", "startCommand", "readCommand", "stopCommand"];
const GOALS: Counterpart = { module: "goals", actions: ["addGoal", "completeGoal"] };
const NOBODY_STARTED: Counterpart = {
  actions: [],
  differs: "it starts no agents; it sends messages to those of its team",
};
const NO_PLAN_MODE: Counterpart = { actions: [], differs: "there is no plan mode" };

const COUNTERPARTS = new Map<string, Counterpart>(
  Object.entries({
    Read: { module: "system", actions: ["readFile"] },
    Write: { module: "system", actions: ["writeFile", "createDirectory"] },
    Edit: { module: "system", actions: ["editFile"] },
    MultiEdit: { module: "system", actions: ["editFile"], differs: "one place of a file at a time" },
    NotebookRead: { module: "system", actions: ["readFile"], differs: "a notebook is read as its JSON" },
    NotebookEdit: { module: "system", actions: ["editFile"], differs: "a notebook is edited as its JSON" },
    Bash: { module: "system", actions: COMMANDS },
    BashOutput: { module: "system", actions: ["readCommand"] },
    KillBash: { module: "system", actions: ["stopCommand"] },
    KillShell: { module: "system", actions: ["stopCommand"] },
    Glob: { module: "system", actions: ["findFiles"] },
    Grep: { module: "system", actions: ["searchText"] },
    LS: { module: "system", actions: ["listDirectory"] },
    WebFetch: { module: "web", actions: ["readPage"] },
    WebSearch: { module: "web", actions: ["searchWeb"] },
    TodoRead: GOALS,
    TodoWrite: GOALS,
    TaskCreate: GOALS,
    TaskUpdate: GOALS,
    TaskList: GOALS,
    TaskGet: GOALS,
    SendMessage: { module: "messaging", actions: ["sendMessage"] },
    Skill: { module: "skills", actions: ["getSkill"] },
    Task: NOBODY_STARTED,
    Agent: NOBODY_STARTED,
    AskUserQuestion: { actions: [], differs: "it asks by a message to you" },
    EnterPlanMode: NO_PLAN_MODE,
    ExitPlanMode: NO_PLAN_MODE,
    SlashCommand: { actions: [], differs: "there are no slash commands" },
    ListMcpResourcesTool: {
      actions: [],
      differs: "only an agent whose `tools` are left out reads resources of MCP servers",
    },
    ReadMcpResourceTool: {
      actions: [],
      differs: "only an agent whose `tools` are left out reads resources of MCP servers",
    },
  }),
);

/** What every agent has: to rest, to look back, to speak with its team. */
export const BASE = {
  modules: ["core", "messaging"],
  actions: ["noop", "help", "currentObjective", "recall", "sendMessage", "queryAgentRegistry"],
} as const;

/** What an agent has that names no tools: all modules, and of them all actions. */
export const EVERYTHING = [...BASE.modules, "system", "web", "goals", "skills", "mcp"] as const;

export interface MappedTools {
  /** Each once, without those of `BASE`. */
  readonly modules: readonly string[];
  readonly actions: readonly string[];
  /** The MCP servers whose tools they are, as the names of tools tell them. */
  readonly servers: "all" | readonly string[];
  /** For people, a line each. */
  readonly remarks: readonly string[];
}

/** All actions of `EVERYTHING` that a tool stands for, and those of MCP servers only by `servers`. */
export function allActions(servers: readonly string[]): readonly string[] {
  const known = [...COUNTERPARTS.values()].flatMap(({ actions }) => actions);
  const more = ["moveFile", "deleteFile", "outline"];
  return [...new Set([...known, ...more, ...servers.map(toolsOf)])];
}

/** All tools of an MCP server, as actions. */
export function toolsOf(server: string): string {
  return `${prefixOf(server)}*`;
}

/** `tools`: as Claude Code writes them, also with what they are limited to in brackets. */
export function mapTools(tools: readonly string[]): MappedTools {
  const modules = new Set<string>();
  const actions = new Set<string>();
  const servers = new Set<string>();
  const remarks = new Set<string>();
  for (const written of tools) {
    const [, tool = "", limited] = /^([^(]*)(\([^]*)?$/.exec(written) ?? [];
    const shown = cleanLine(tool, 80);
    const found = counterpartOf(tool.trim());
    if (found?.module) modules.add(found.module);
    if (found?.server) servers.add(found.server);
    for (const action of found?.actions ?? []) actions.add(action);
    if (!found) remarks.add(`${shown}: nothing here does what it does`);
    else if (found.differs) remarks.add(`${shown}: ${found.differs}`);
    if (limited !== undefined && found && found.actions.length > 0)
      remarks.add(`${cleanLine(written, 80)}: all of ${shown} is meant; the policy judges each call`);
  }
  return {
    modules: [...modules],
    actions: [...actions],
    servers: servers.has("*") ? "all" : [...servers],
    remarks: [...remarks],
  };
}

function counterpartOf(tool: string): Counterpart | undefined {
  const [, server, name = "*"] = /^mcp__(.+?)(?:__(.*))?$/.exec(tool) ?? [];
  if (server === undefined) return COUNTERPARTS.get(tool);
  if (server === "*") return { module: "mcp", server, actions: ["*__*"] };
  return {
    module: "mcp",
    server,
    actions: [name === "*" ? toolsOf(server) : nameTool(server, name, new Set())],
  };
}
