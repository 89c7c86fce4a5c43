// Every command there is: what the overview says of it, and where it lives. Loads none of them.

import type { CommandEntry } from "./kit/command.ts";

type CommandRow = readonly [usage: string, summary: string, load: CommandEntry["load"]];

const GROUPS: Readonly<Record<string, readonly CommandRow[]>> = {
  Run: [
    ["start [n]", "host agents, talk to them and watch them work", () => import("./run/start/start.ts")],
    ["run [task]", "have one task done, and print the answer", () => import("./run/task/run.ts")],
    [
      "batch <file>",
      "have many tasks done, each in a workspace of its own",
      () => import("./run/batch/batch.ts"),
    ],
    ["init [folder]", "make a starter project", () => import("./run/init.ts")],
    ["doctor", "check this machine and the files of the project", () => import("./doctor/doctor.ts")],
    ["trust", "show what this project may grant itself", () => import("./run/trust.ts")],
    ["models", "list the models that can be used here", () => import("./run/models.ts")],
    [
      "mcp [order] [server]",
      "show MCP servers, let one start; or serve as one",
      () => import("./run/mcp.ts"),
    ],
    ["export [id] [file]", "put agents with their whole past into one file", () => import("./run/export.ts")],
    ["import <file>", "take in agents from a file of export", () => import("./run/import.ts")],
    ["prune", "delete old runs, agents and worktrees that are done", () => import("./run/prune/prune.ts")],
    [
      "completion <shell>",
      "make bash, zsh or fish complete what you type",
      () => import("./run/completion.ts"),
    ],
    ["help [topic]", "explain a command, or what offline agents can do", () => import("./run/help.ts")],
  ],
  Talk: [
    [
      "send <ids|all> <text>",
      "send a message to agents, whether they run or not",
      () => import("./talk/send.ts"),
    ],
    ["inbox", "read what agents said to you; undeliverable mail", () => import("./talk/inbox.ts")],
    ["resend <id>...", "send again what could not be delivered", () => import("./talk/resend.ts")],
  ],
  Look: [
    ["dashboard [port]", "show the legion on a page in your browser", () => import("./look/dashboard.ts")],
    ["report", "show what was done, waits for you and changed", () => import("./look/report/report.ts")],
    ["ps", "list the agents: state, mail, steps, tokens, cost", () => import("./look/ps.ts")],
    ["bill", "show what it cost, by what, and what brought nothing", () => import("./look/spending/bill.ts")],
    ["runs", "list runs and sessions, and how they ended", () => import("./look/runs.ts")],
    ["goals <id>", "show what an agent works at", () => import("./look/goals.ts")],
    ["notes <id> [title]", "show what an agent wrote down", () => import("./look/notes.ts")],
    ["agents", "list what agents can be started from here", () => import("./look/agents.ts")],
    ["skills", "list the skills that agents can have here", () => import("./look/skills.ts")],
    [
      "log <ids|all> [event]",
      "show what happened to agents, event by event",
      () => import("./look/log/log.ts"),
    ],
    ["prompt <id>", "show exactly what an agent's model is shown", () => import("./look/prompt/prompt.ts")],
    [
      "memory [order] [args]",
      "search, read and forget what agents keep for good",
      () => import("./memory/memory.ts"),
    ],
    ["trace", "write what agents did as a file for trace viewers", () => import("./look/trace.ts")],
    ["replay <id>", "run an agent again from its log, offline", () => import("./look/replay.ts")],
  ],
  Steer: [
    ["abort <id>", "stop what an agent is doing at this moment", () => ordered("abort")],
    ["pause <id>", "let an agent rest until it is resumed", () => ordered("pause")],
    ["resume <id>", "let a paused or parked agent go on", () => ordered("resume")],
    ["mode <ids> [mode]", "be asked of every call, of none, or say them", () => import("./steer/mode.ts")],
    ["limits [ids] [limits]", "show or change what agents may spend", () => import("./steer/limits.ts")],
    ["approvals [question]", "list what agents ask before they do it", () => answered("approvals")],
    ["approve <question>", "let an agent do what it asks", () => answered("approve")],
    ["deny <question> [why]", "do not let an agent do what it asks", () => answered("deny")],
    ["fork <id>", "let an agent go on from an earlier moment of its past", () => import("./steer/fork.ts")],
    ["undo <what>", "take back what agents did to files", () => import("./steer/undo.ts")],
    ["stop [id]", "end one agent, or the whole running node", () => ordered("stop")],
  ],
};

export const COMMANDS: readonly CommandEntry[] = Object.entries(GROUPS).flatMap(([group, rows]) =>
  rows.map(([usage, summary, load]) => ({ name: usage.split(" ")[0]!, usage, summary, group, load })),
);

/** Questions and answers are one file. */
async function answered(name: "approvals" | "approve" | "deny"): ReturnType<CommandEntry["load"]> {
  return { command: (await import("./steer/approvals.ts"))[name] };
}

/** The orders are one file. */
async function ordered(name: "abort" | "pause" | "resume" | "stop"): ReturnType<CommandEntry["load"]> {
  return { command: (await import("./steer/orders.ts"))[name] };
}
