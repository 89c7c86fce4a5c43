import { LegionError } from "../../base/errors.ts";
import type { CommandEntry, Io } from "./command.ts";
import { packageVersion } from "../../base/package.ts";
import { overview } from "./overview.ts";

const HELP = ["help", "--help", "-h"];
const VERSION = ["--version", "-V"];

/**
 * Runs what was typed after `legion`. Resolves with the exit code; rejects as `CliCommand.run` does. Loads no library
 * for the overview and the version, and only the one command otherwise.
 */
export async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const [name = "help", ...args] = argv;
  const text = args.length === 0 ? plainAnswer(name, io) : undefined;
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

function plainAnswer(name: string, { commands }: Io): string | undefined {
  if (HELP.includes(name)) return overview(commands);
  return VERSION.includes(name) ? `${packageVersion()}\n` : undefined;
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
