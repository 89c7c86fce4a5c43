import { LegionError } from "../../base/errors.ts";
import type { CliCommand, CommandEntry, Io, Typed } from "./command.ts";

/**
 * Reads what was typed after a command's name. `"helped"`: it asked for help, which is printed. Throws USAGE with one
 * line that names what is wrong and what would be right.
 */
export async function parseArguments(
  { name, usage, summary }: CommandEntry,
  command: CliCommand,
  { args, io }: { readonly args: readonly string[]; readonly io: Io },
): Promise<Typed | "helped"> {
  const { Command, CommanderError } = await import("commander");
  const parser = new Command(`legion ${name}`).description(summary);
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
    throw new LegionError("USAGE", explain(error, `legion ${name} ${usage}`.trim()));
  }
  return { args: parser.args, options: parser.opts() };
}

/** `error: unknown option '--modle'\n(Did you mean --model?)` and its kin, in one line of ours. */
function explain(
  { code, message }: { readonly code: string; readonly message: string },
  usage: string,
): string {
  const [told = "", meant] = message.replace(/^error: /, "").split("\n");
  // What was given to an option that is not there may be an address with a password.
  const wrong = told.replace(/=.*'$/, "'");
  if (meant) return `${wrong}; ${meant.replace(/^\(D(.*)\)$/, "d$1")}`;
  if (code === "commander.unknownOption")
    return `${wrong}; ${usage.split(" ", 2).join(" ")} --help lists them`;
  return `${wrong.replace(/\.$/, "")}; usage: ${usage}`;
}
