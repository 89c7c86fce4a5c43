// Every command there is: what the overview says of it, and where it lives. Loads none of them.

import type { CliCommand } from "./kit/command.ts";

type Group = "Run" | "Talk" | "Look" | "Steer";

export interface CommandEntry {
  readonly name: string;
  /** What follows the name, as the overview shows it. */
  readonly usage: string;
  readonly summary: string;
  readonly group: Group;
  load(): Promise<{ readonly command: CliCommand }>;
}

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "start",
    usage: "[n]",
    summary: "host agents, talk to them and watch them work",
    group: "Run",
    load: () => import("./run/start.ts"),
  },
  {
    name: "init",
    usage: "[folder]",
    summary: "make a starter project",
    group: "Run",
    load: () => import("./run/init.ts"),
  },
  {
    name: "doctor",
    usage: "",
    summary: "check this machine and the files of the project",
    group: "Run",
    load: () => import("./doctor/doctor.ts"),
  },
  {
    name: "models",
    usage: "",
    summary: "list the models that can be used here",
    group: "Run",
    load: () => import("./run/models.ts"),
  },
  {
    name: "export",
    usage: "[id] [file]",
    summary: "put agents with their whole past into one file",
    group: "Run",
    load: () => import("./run/export.ts"),
  },
  {
    name: "import",
    usage: "<file>",
    summary: "take in agents from a file of export",
    group: "Run",
    load: () => import("./run/import.ts"),
  },
  {
    name: "completion",
    usage: "<shell>",
    summary: "make bash, zsh or fish complete what you type",
    group: "Run",
    load: () => import("./run/completion.ts"),
  },
  {
    name: "help",
    usage: "[topic]",
    summary: "explain a command, or what offline agents can do",
    group: "Run",
    load: () => import("./run/help.ts"),
  },
  {
    name: "send",
    usage: "<ids|all> <text>",
    summary: "send a message to agents, whether they run or not",
    group: "Talk",
    load: () => import("./talk/send.ts"),
  },
  {
    name: "inbox",
    usage: "",
    summary: "read what agents said to you; undeliverable mail",
    group: "Talk",
    load: () => import("./talk/inbox.ts"),
  },
  {
    name: "resend",
    usage: "<id>...",
    summary: "send again what could not be delivered",
    group: "Talk",
    load: () => import("./talk/resend.ts"),
  },
  {
    name: "ps",
    usage: "",
    summary: "list the agents: state, mail, steps, tokens, cost",
    group: "Look",
    load: () => import("./look/ps.ts"),
  },
  {
    name: "goals",
    usage: "<id>",
    summary: "show what an agent works at",
    group: "Look",
    load: () => import("./look/goals.ts"),
  },
  {
    name: "notes",
    usage: "<id> [title]",
    summary: "show what an agent wrote down",
    group: "Look",
    load: () => import("./look/notes.ts"),
  },
  {
    name: "log",
    usage: "<ids|all>",
    summary: "show what happened to agents, event by event",
    group: "Look",
    load: () => import("./look/log.ts"),
  },
  {
    name: "prompt",
    usage: "<id>",
    summary: "show exactly what an agent's model is shown",
    group: "Look",
    load: () => import("./look/prompt.ts"),
  },
  {
    name: "replay",
    usage: "<id>",
    summary: "run an agent again from its log, offline",
    group: "Look",
    load: () => import("./look/replay.ts"),
  },
  {
    name: "abort",
    usage: "<id>",
    summary: "stop what an agent is doing at this moment",
    group: "Steer",
    load: () => import("./steer/abort.ts"),
  },
  {
    name: "pause",
    usage: "<id>",
    summary: "let an agent rest until it is resumed",
    group: "Steer",
    load: () => import("./steer/pause.ts"),
  },
  {
    name: "resume",
    usage: "<id>",
    summary: "let a paused or parked agent go on",
    group: "Steer",
    load: () => import("./steer/resume.ts"),
  },
  {
    name: "fork",
    usage: "<id>",
    summary: "let an agent go on from an earlier moment of its past",
    group: "Steer",
    load: () => import("./steer/fork.ts"),
  },
  {
    name: "stop",
    usage: "[id]",
    summary: "end one agent, or the whole running node",
    group: "Steer",
    load: () => import("./steer/stop.ts"),
  },
];

const HEADING = "AI Legion: LLM agents as actors, with durable mail, exact budgets, full logs.";
const CLOSING = `legion <command> --help shows its options. To try it all without a key:
  legion start 3 --task "survey ." --until-idle`;

/** What `legion --help` prints. */
export function overview(): string {
  const titles = COMMANDS.map(({ name, usage }) => `${name} ${usage}`.trim());
  const width = Math.max(...titles.map((title) => title.length));
  const lines = COMMANDS.map(({ summary }, index) => `  ${titles[index]!.padEnd(width)}  ${summary}`);
  const groups = [...new Set(COMMANDS.map(({ group }) => group))].map((group) =>
    [`${group}:`, ...lines.filter((_, index) => COMMANDS[index]!.group === group)].join("\n"),
  );
  return `${[HEADING, "Usage: legion <command> [options]", ...groups, CLOSING].join("\n\n")}\n`;
}
