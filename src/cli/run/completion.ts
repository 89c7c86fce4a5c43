// What makes a shell complete `legion ...`. The scripts read the ids of agents and the names of definitions from the project
// themselves: no program is started while somebody types. A name of a folder or file is only taken if it can be typed as it is: a
// shell would run what others hold.

import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Option } from "commander";
import { LegionError } from "../../base/errors.ts";
import { packageDir } from "../../base/package.ts";
import type { CliCommand, CommandEntry, Io } from "../kit/command.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

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
    const commands = await Promise.all(io.commands.map((entry) => read(entry, io)));
    const files = (await readdir(join(packageDir, "agents"))).filter((file) => file.endsWith(".md"));
    const ours = files.map((file) => basename(file, ".md")).sort();
    io.stdout.write({ bash, zsh, fish }[shell](commands, ours));
    return 0;
  },
};

/** What the first argument may be, where it is one of a few words. */
const WORDS = new Map<string, readonly string[]>([
  ["completion", SHELLS],
  ["mcp", ["allow", "deny", "serve"]],
  ["memory", ["search", "list", "show", "context", "flush", "keep", "forget", "export", "import", "eval"]],
]);

/** What the second argument may be, behind agents. */
const SECOND_WORDS = new Map<string, readonly string[]>([
  ["mode", ["confirm", "yolo", "human", "held", "usual"]],
]);

interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  /** What its arguments are. */
  readonly takes: "agents" | "words" | "files" | "nothing";
  /** Of the first argument, or, where that takes agents, of the second. */
  readonly words: readonly string[];
  readonly options: readonly Option[];
}

/** What can be typed after a command's name. */
async function read({ name, summary, load }: CommandEntry, { commands }: Io): Promise<CompletedCommand> {
  const { Command } = await import("commander");
  const parser = new Command(name);
  (await load()).command.define(parser);
  const [first] = parser.registeredArguments;
  const own = WORDS.get(name) ?? (name === "help" ? commands.map((entry) => entry.name) : []);
  const takes = own.length > 0 ? "words" : takenBy(name, first?.name());
  const words = SECOND_WORDS.get(name) ?? own;
  return { name, summary, words, takes, options: parser.createHelp().visibleOptions(parser) };
}

function takenBy(name: string, argument: string | undefined): CompletedCommand["takes"] {
  // What it sends again has names of its own.
  if (name !== "resend" && (argument === "id" || argument === "ids")) return "agents";
  return argument === "file" || argument === "folder" ? "files" : "nothing";
}

const ID = "^[a-z0-9][a-z0-9._-]{0,63}$";
const DEFINITION = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$";
const TEAMS = ".claude ~/.claude";

function bash(commands: readonly CompletedCommand[], ours: readonly string[]): string {
  return `# legion: completion for bash; in ~/.bashrc: source <(legion completion bash)
_legion_dir() {
  local i
  dir=.
  for ((i = 2; i < COMP_CWORD; i++)); do
    [[ \${COMP_WORDS[i]} == --dir ]] && dir=\${COMP_WORDS[i + 1]}
  done
  dir=\${dir/#\\~/$HOME}
}
_legion_ids() {
  local LC_ALL=C dir name
  _legion_dir
  for name in "$dir"/.ai-legion/agents/*/; do
    name=\${name%/} name=\${name##*/}
    [[ $name =~ ${ID} && $name != 0 ]] && printf '%s\\n' "$name"
  done
}
_legion_definitions() {
  local LC_ALL=C dir name
  _legion_dir
  for name in "$dir"/agents/*.md "$dir"/.claude/agents/*.md ~/.claude/agents/*.md; do
    name=\${name##*/} name=\${name%.md}
    [[ $name =~ ${DEFINITION} ]] && printf '%s\\n' "$name"
  done
  printf '%s\\n' ${ours.join(" ")}
}
_legion_offer() {
  local word
  while IFS= read -r word; do
    [[ -n $word && $word == "$2"* ]] && COMPREPLY+=("$1$word")
  done
}
_legion() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} options= takes= words= before=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _legion_offer "" "$cur" <<< ${quoted(commands.map(({ name }) => name).join("\n"))}; return
  fi
  case \${COMP_WORDS[1]} in
${commands.map(bashCase).join("\n")}
  esac
  if ((COMP_CWORD > 2)) && [[ $takes == words ]]; then takes=; elif ((COMP_CWORD == 3)) && [[ $takes == agents && -n $words ]]; then takes=words; fi
  case $prev in
    ${valueCases(commands, `words='${TEAMS}'`, "${COMP_WORDS[1]}")}
  esac
  if [[ $cur == -* ]]; then takes=words words=$options; fi
  if ((COMP_CWORD > 2)) && [[ $takes == agents && $prev != --only && \${COMP_WORDS[2]} != -* ]]; then return; fi
  [[ $cur == *,* ]] && before=\${cur%,*},
  case $takes in
    agents) _legion_offer "$before" "\${cur##*,}" <<< "$(_legion_ids; [[ $cur == *,* ]] || echo all)" ;;
    definitions) _legion_offer "" "$cur" <<< "$(_legion_definitions)" ;;
    words) _legion_offer "" "$cur" <<< "\${words// /$'\\n'}" ;;
    folders) compopt -o filenames 2> /dev/null; _legion_offer "" "" <<< "$(compgen -d -- "$cur")" ;;
    files) compopt -o filenames 2> /dev/null; _legion_offer "" "" <<< "$(compgen -f -- "$cur")" ;;
  esac
}
complete -F _legion legion ai-legion
`;
}

function bashCase({ name, takes, words, options }: CompletedCommand): string {
  return `    ${name}) takes=${takes} words=${quoted(words.join(" "))} options=${quoted(spelled(options).join(" "))} ;;`;
}

function zsh(commands: readonly CompletedCommand[], ours: readonly string[]): string {
  const described = commands.map(({ name, summary }) => quoted(`${name}:${summary}`)).join("\n    ");
  return `#compdef legion ai-legion
# legion: completion for zsh; in ~/.zshrc, after compinit: source <(legion completion zsh)
_legion_dir() {
  local i
  dir=.
  for ((i = 3; i < CURRENT; i++)); do
    [[ \${words[i]} == --dir ]] && dir=\${words[i + 1]}
  done
  dir=\${dir/#\\~/$HOME}
}
_legion_definitions() {
  emulate -L zsh; local LC_ALL=C dir name
  _legion_dir
  for name in $dir/agents/*.md(N:t:r) $dir/.claude/agents/*.md(N:t:r) ~/.claude/agents/*.md(N:t:r); do
    [[ $name =~ '${DEFINITION}' ]] && print -r -- $name
  done
  print -rl -- ${ours.join(" ")}
}
_legion_ids() {
  emulate -L zsh; local LC_ALL=C dir name
  _legion_dir
  for name in $dir/.ai-legion/agents/*(N/:t); do
    [[ $name =~ '${ID}' && $name != 0 ]] && print -r -- $name
  done
}
_legion() {
  local takes= previous=\${words[CURRENT - 1]}
  local -a options offered commands
  commands=(
    ${described}
  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  case \${words[2]} in
${commands.map(zshCase).join("\n")}
  esac
  if ((CURRENT > 3)) && [[ $takes == words ]]; then takes=; elif ((CURRENT == 4 && $#offered)) && [[ $takes == agents ]]; then takes=words; fi
  case $previous in
    ${valueCases(commands, `offered=(${TEAMS})`, "${words[2]}")}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe option options
    return
  fi
  if ((CURRENT > 3)) && [[ $takes == agents && $previous != --only && \${words[3]} != -* ]]; then return; fi
  case $takes in
    agents) offered=(); compset -P '*,' || offered=(all); offered+=(\${(f)"$(_legion_ids)"}); compadd -- $offered ;;
    definitions) offered=(\${(f)"$(_legion_definitions)"}); compadd -- $offered ;;
    words) compadd -- $offered ;;
    folders) _files -/ ;;
    files) _files ;;
  esac
}
compdef _legion legion ai-legion
`;
}

function zshCase({ name, takes, words, options }: CompletedCommand): string {
  const described = options.flatMap((option) =>
    spelled([option]).map((spelling) => quoted(`${spelling}:${option.description}`)),
  );
  return `    ${name}) takes=${takes} offered=(${words.join(" ")}) options=(${described.join(" ")}) ;;`;
}

function fish(commands: readonly CompletedCommand[], ours: readonly string[]): string {
  return `# legion: completion for fish; legion completion fish > ~/.config/fish/completions/legion.fish
function __legion_dir
  set -l typed (commandline -opc)
  if set -l at (contains -i -- --dir $typed); and set -q typed[(math $at + 1)]
    string replace -r '^~' $HOME -- $typed[(math $at + 1)]
  else
    echo .
  end
end
function __legion_definitions
  set -l dir (__legion_dir)
  for path in $dir/agents/*.md $dir/.claude/agents/*.md ~/.claude/agents/*.md
    string match -r '${DEFINITION}' -- (basename $path .md)
  end
  printf '%s\\n' ${ours.join(" ")}
end
function __legion_ids
  set -l dir (__legion_dir)
  for path in $dir/.ai-legion/agents/*/
    string match -r '${ID}' -- (basename $path) | string match -v 0
  end
end
for program in legion ai-legion
${["complete -c $program -f", ...commands.flatMap(fishLines)].map((line) => `  ${line}`).join("\n")}
end
`;
}

function fishLines({ name, summary, takes, words, options }: CompletedCommand): readonly string[] {
  const on = `complete -c $program -n '__fish_seen_subcommand_from ${name}'`;
  const offered = {
    agents: [`${on} -a '(__legion_ids) all${["", ...words].join(" ")}'`],
    files: [`${on} -F`],
    words: [`${on} -a ${quoted(words.join(" "))}`],
    nothing: [],
  };
  return [
    `complete -c $program -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...offered[takes],
    ...options.map((option) => {
      const [long, short] = spelled([option]).map((spelling) => spelling.replace(/^--?/, ""));
      const names = short === undefined ? `-l ${long}` : `-l ${long} -s ${short}`;
      return `${on} ${names}${fishValue(option)} -d ${quoted(option.description)}`;
    }),
  ];
}

function fishValue({ long, required, flags }: Option): string {
  if (long === "--only") return " -x -a '(__legion_ids)'";
  if (namesAgents({ long, flags })) return " -x -a '(__legion_ids) all'";
  if (long === "--agent") return " -x -a '(__legion_definitions)'";
  if (long === "--from") return ` -x -a '${TEAMS}'`;
  if (long === "--dir") return " -x -a '(__fish_complete_directories)'";
  return required ? " -x" : "";
}

/**
 * What to offer for the value of an option; nobody can guess that of most.
 *
 * @param teams has the shell offer those of `--from`
 * @param typed what the shell knows the name of the command by
 */
function valueCases(commands: readonly CompletedCommand[], teams: string, typed: string): string {
  const takers = commands.flatMap(({ options }) => options.filter(({ required }) => required));
  const known = ["--dir", "--only", "--agent", "--from"];
  const others = new Set(spelled(takers).filter((spelling) => !known.includes(spelling)));
  const ofAgents = commands.filter(({ options }) => options.some(namesAgents)).map(({ name }) => name);
  return `--dir) takes=folders ;;
    --only) takes=agents ;;
    --agent) takes=definitions; case ${typed} in ${ofAgents.join("|")}) takes=agents ;; esac ;;
    --from) takes=words ${teams} ;;
    ${[...others].join("|")}) return ;;`;
}

/** Most commands take the name of a definition there. */
function namesAgents({ long, flags }: Pick<Option, "long" | "flags">): boolean {
  return long === "--agent" && flags.includes("<ids>");
}

function spelled(options: readonly Option[]): readonly string[] {
  return options.flatMap(({ long = [], short = [] }) => [long, short].flat());
}

/** For each of the three shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "’").replaceAll("\\", "")}'`;
}
