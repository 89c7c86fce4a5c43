// From what was typed to the command that is meant. Loads no library for the overview and the version, and only the one
// command otherwise.

import { LegionError } from "../../base/errors.ts";
import { keepCompiled } from "../../base/process/compiled.ts";
import type { CliCommand, CommandEntry, Io, Typed } from "./command.ts";

const HELP = ["help", "--help", "-h"];
const VERSION = ["--version", "-V"];

const HEADING = "AI Legion: LLM agents as actors, with durable mail, exact budgets, full logs.";
const CLOSING = `legion <command> --help shows its options. To try it all without a key:
  legion start 3 --task "survey ." --until-idle`;

/** Runs what was typed after `legion`. Resolves with the exit code; rejects as `CliCommand.run` does. */
export async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const [name = "help", ...args] = argv;
  const text = args.length === 0 ? await plainAnswer(name, io) : undefined;
  if (text !== undefined) {
    io.stdout.write(text);
    return 0;
  }
  keepCompiled(io.env);
  const entry = await findCommand(HELP.includes(name) ? "help" : name, io);
  const { command } = await entry.load();
  const typed = await parseArguments(entry, command, { args, io });
  return typed === "helped" ? 0 : command.run(typed, io);
}

async function plainAnswer(name: string, { commands }: Io): Promise<string | undefined> {
  if (HELP.includes(name)) return overview(commands);
  if (!VERSION.includes(name)) return undefined;
  return `${(await import("../../base/package.ts")).packageVersion()}\n`;
}

/** What `legion --help` prints. */
export function overview(commands: readonly CommandEntry[]): string {
  const width = Math.max(...commands.map(({ usage }) => usage.length));
  const groups = [...new Set(commands.map(({ group }) => group))].map((group) => {
    const members = commands.filter((command) => command.group === group);
    const lines = members.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`);
    return [`${group}:`, ...lines].join("\n");
  });
  return `${[HEADING, "Usage: legion <command> [options]", ...groups, CLOSING].join("\n\n")}\n`;
}

async function findCommand(name: string, { commands }: Io): Promise<CommandEntry> {
  const entry = commands.find((command) => command.name === name);
  if (entry) return entry;
  const { nearest } = await import("../../base/text/nearest.ts");
  const names = commands.map((command) => command.name);
  const [meant] = nearest(name, names);
  const advice = meant ? `did you mean "legion ${meant}"?` : "legion --help lists them";
  throw new LegionError("USAGE", `there is no command ${JSON.stringify(name.slice(0, 100))}; ${advice}`);
}

/**
 * Reads what was typed after a command's name. `"helped"`: it asked for help, which is printed. Throws USAGE with one
 * line that names what is wrong and what would be right.
 */
export async function parseArguments(
  entry: CommandEntry,
  command: CliCommand,
  { args, io }: { readonly args: readonly string[]; readonly io: Io },
): Promise<Typed | "helped"> {
  const { Command, CommanderError } = await import("commander");
  const parser = new Command(`legion ${entry.name}`).description(entry.summary);
  command.define(parser);
  parser
    .exitOverride()
    .allowExcessArguments(false)
    .configureOutput({ writeOut: (text) => void io.stdout.write(text), writeErr: () => undefined })
    .action(() => undefined);
  try {
    parser.parse(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return "helped";
    const needed = parser.options.flatMap(({ mandatory, flags }) => (mandatory ? [flags] : []));
    throw new LegionError("USAGE", explain(error, { ...entry, usage: [entry.usage, ...needed].join(" ") }));
  }
  const options = Object.entries(parser.opts()).map(([name, value]) => [name, String(value)]);
  return { args: parser.args, options: Object.fromEntries(options) };
}

/** `error: unknown option '--modle'\n(Did you mean --model?)` and its kin, in one line of ours. */
function explain(
  { code, message }: { readonly code: string; readonly message: string },
  { name, usage }: CommandEntry,
): string {
  const [told = "", meant] = message.replace(/^error: /, "").split("\n");
  // What was given to an option that is not there may be an address with a password.
  const wrong = told.replace(/=.*'$/, "'");
  if (meant) return `${wrong}; ${meant.replace(/^\(D(.*)\)$/, "d$1")}`;
  if (code === "commander.unknownOption") return `${wrong}; legion ${name} --help lists them`;
  return `${wrong.replace(/\.$/, "")}; usage: legion ${usage}`;
}
