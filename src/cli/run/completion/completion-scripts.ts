// What makes a shell complete `legion ...`. The scripts read the ids of agents from the project themselves: no program is
// started while somebody types. A name of a folder is only taken if it can be an agent's: a shell would run what others hold.

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  /** What its arguments are. */
  readonly takes: "agents" | "words" | "files" | "nothing";
  readonly words: readonly string[];
  readonly options: readonly CompletedOption[];
}

export interface CompletedOption {
  readonly long: string;
  /** May be empty. */
  readonly short: string;
  readonly description: string;
  readonly value: "none" | "agents" | "folder" | "other";
}

export function completionScript(shell: Shell, commands: readonly CompletedCommand[]): string {
  return { bash, zsh, fish }[shell](commands);
}

const ID = "^[a-z0-9][a-z0-9._-]{0,63}$";

function bash(commands: readonly CompletedCommand[]): string {
  return `# legion: completion for bash; in ~/.bashrc: source <(legion completion bash)
_legion_ids() {
  local LC_ALL=C dir=. name i
  for ((i = 2; i < COMP_CWORD; i++)); do
    [[ \${COMP_WORDS[i]} == --dir ]] && dir=\${COMP_WORDS[i + 1]}
  done
  dir=\${dir/#\\~/$HOME}
  for name in "$dir"/.ai-legion/agents/*/; do
    name=\${name%/} name=\${name##*/}
    [[ $name =~ ${ID} && $name != 0 ]] && printf '%s\\n' "$name"
  done
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
    _legion_offer "" "$cur" <<< ${quoted(commands.map(({ name }) => name).join("\n"))}
    return
  fi
  case \${COMP_WORDS[1]} in
${commands.map(bashCase).join("\n")}
  esac
  case $prev in
    --dir) takes=folders ;;
    --only) takes=agents ;;
    ${otherValues(commands).join("|")}) return ;;
  esac
  if [[ $cur == -* ]]; then takes=words words=$options; fi
  if ((COMP_CWORD > 2)) && [[ $takes == agents && $prev != --only && \${COMP_WORDS[2]} != -* ]]; then return; fi
  [[ $cur == *,* ]] && before=\${cur%,*},
  case $takes in
    agents) _legion_offer "$before" "\${cur##*,}" <<< "$(_legion_ids; [[ $cur == *,* ]] || echo all)" ;;
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

function zsh(commands: readonly CompletedCommand[]): string {
  const described = commands.map(({ name, summary }) => quoted(`${name}:${summary}`)).join("\n    ");
  return `#compdef legion ai-legion
# legion: completion for zsh; in ~/.zshrc, after compinit: source <(legion completion zsh)
_legion_ids() {
  emulate -L zsh
  local LC_ALL=C dir=. name i
  for ((i = 3; i < CURRENT; i++)); do
    [[ \${words[i]} == --dir ]] && dir=\${words[i + 1]}
  done
  dir=\${dir/#\\~/$HOME}
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
  case $previous in
    --dir) takes=folders ;;
    --only) takes=agents ;;
    ${otherValues(commands).join("|")}) return ;;
  esac
  if [[ $PREFIX == -* ]]; then
    _describe option options
    return
  fi
  if ((CURRENT > 3)) && [[ $takes == agents && $previous != --only && \${words[3]} != -* ]]; then return; fi
  case $takes in
    agents) compset -P '*,' || offered=(all); offered+=(\${(f)"$(_legion_ids)"}); compadd -- $offered ;;
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

function fish(commands: readonly CompletedCommand[]): string {
  return `# legion: completion for fish; legion completion fish > ~/.config/fish/completions/legion.fish
function __legion_ids
  set -l dir .
  set -l typed (commandline -opc)
  if set -l at (contains -i -- --dir $typed); and set -q typed[(math $at + 1)]
    set dir (string replace -r '^~' $HOME -- $typed[(math $at + 1)])
  end
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
    agents: [`${on} -a '(__legion_ids) all'`],
    files: [`${on} -F`],
    words: [`${on} -a ${quoted(words.join(" "))}`],
    nothing: [],
  };
  return [
    `complete -c $program -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...offered[takes],
    ...options.map(({ long, short, description, value }) => {
      const values = {
        none: "",
        agents: " -x -a '(__legion_ids)'",
        folder: " -x -a '(__fish_complete_directories)'",
        other: " -x",
      };
      return `${on} -l ${long.slice(2)}${short && ` -s ${short.slice(1)}`}${values[value]} -d ${quoted(description)}`;
    }),
  ];
}

/** Options whose value nobody can guess. */
function otherValues(commands: readonly CompletedCommand[]): readonly string[] {
  const all = commands.flatMap(({ options }) => options.filter(({ value }) => value === "other"));
  return [...new Set(spelled(all))];
}

function spelled(options: readonly CompletedOption[]): readonly string[] {
  return options.flatMap(({ long, short }) => [long, short]).filter((spelling) => spelling !== "");
}

/** For each of the three shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "’").replaceAll("\\", "")}'`;
}
