import { LegionError } from "../../../base/errors.ts";
import type { CliCommand, CommandEntry, Io } from "../../kit/command.ts";
import {
  SHELLS,
  completionScript,
  type CompletedCommand,
  type CompletedOption,
} from "./completion-scripts.ts";

export const command: CliCommand = {
  define: (parser) =>
    void parser
      .argument("<shell>", SHELLS.join(", "))
      .addHelpText(
        "after",
        "\nIn ~/.bashrc: source <(legion completion bash); the same in ~/.zshrc with zsh, after compinit.",
      )
      .addHelpText("after", "fish: legion completion fish > ~/.config/fish/completions/legion.fish"),
  async run({ args: [typed] }, io) {
    const shell = SHELLS.find((name) => name === typed);
    if (!shell) throw new LegionError("USAGE", `expected ${SHELLS.join(", ")}, not ${JSON.stringify(typed)}`);
    io.stdout.write(completionScript(shell, await Promise.all(io.commands.map((entry) => read(entry, io)))));
    return 0;
  },
};

/** What can be typed after a command's name. */
async function read({ name, summary, load }: CommandEntry, { commands }: Io): Promise<CompletedCommand> {
  const { Command } = await import("commander");
  const parser = new Command(name);
  (await load()).command.define(parser);
  const [first] = parser.registeredArguments;
  const words = name === "help" ? commands.map((entry) => entry.name) : name === "completion" ? SHELLS : [];
  return {
    name,
    summary,
    words,
    takes: words.length > 0 ? "words" : takenBy(name, first?.name()),
    options: [...parser.options, ...parser.createHelp().visibleOptions(parser)]
      .filter(({ long }, index, all) => all.findIndex((one) => one.long === long) === index)
      .map((option): CompletedOption => {
        const { long, short, description, required } = option;
        const value =
          long === "--only" ? "agents" : long === "--dir" ? "folder" : required ? "other" : "none";
        return { long: long ?? "", short: short ?? "", description, value };
      }),
  };
}

function takenBy(name: string, argument: string | undefined): CompletedCommand["takes"] {
  // What it sends again has names of its own.
  if (name !== "resend" && (argument === "id" || argument === "ids")) return "agents";
  return argument === "file" || argument === "folder" ? "files" : "nothing";
}
