import { LegionError } from "../../base/errors.ts";
import type { CommandEntry, Io } from "./command.ts";

const HELP = ["help", "--help", "-h"];
const VERSION = ["--version", "-V"];

/**
 * Runs what was typed after `legion`. Resolves with the exit code; rejects as `CliCommand.run` does. Loads no library
 * for the overview and the version, and only the one command otherwise.
 */
export async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const [name = "help", ...args] = argv;
  const text = args.length === 0 ? await plainAnswer(name, io) : undefined;
  if (text !== undefined) {
    io.stdout.write(text);
    return 0;
  }
  const entry = await findCommand(HELP.includes(name) ? "help" : name, io);
  const { command } = await entry.load();
  const { parseArguments } = await import("./parse.ts");
  const typed = await parseArguments(entry, command, { args, io });
  return typed === "helped" ? 0 : command.run(typed, io);
}

async function plainAnswer(name: string, { commands }: Io): Promise<string | undefined> {
  if (HELP.includes(name)) return (await import("./overview.ts")).overview(commands);
  if (!VERSION.includes(name)) return undefined;
  return `${(await import("../../base/package.ts")).packageVersion()}\n`;
}

async function findCommand(name: string, { commands }: Io): Promise<CommandEntry> {
  const entry = commands.find((command) => command.name === name);
  if (entry) return entry;
  const { nearest } = await import("../../base/nearest.ts");
  const [meant] = nearest(
    name,
    commands.map((command) => command.name),
  );
  const advice = meant ? `did you mean "legion ${meant}"?` : "legion --help lists them";
  throw new LegionError("USAGE", `there is no command ${JSON.stringify(name.slice(0, 100))}; ${advice}`);
}
