// The words that the offline model understands, and the text that explains them.

import { agentIdOf } from "./view.ts";

/** An action to call. */
export interface Wanted {
  readonly action: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

type Understood =
  | { readonly kind: "call"; readonly wanted: Wanted }
  | { readonly kind: "survey"; readonly dir: string }
  | { readonly kind: "help" }
  /** A known word, or none, and what would be right. */
  | { readonly kind: "mistake"; readonly reason: string };

export type Command = Understood & { readonly source: string };

/** Of one message no more commands than this are taken. */
export const MAX_COMMANDS = 50;

/** `read` takes the words after it; `undefined`: they do not fit. */
type Word = readonly [usage: string, does: string, read: (rest: string) => Understood | undefined];

const WORDS: ReadonlyMap<string, Word> = new Map(
  Object.entries({
    survey: [
      "survey <dir>",
      "divide a folder among the running agents; notes, reports, SURVEY.md",
      (rest) => ({ kind: "survey", dir: tidyDir(rest) }),
    ],
    read: ["read <file or URL>", "show a file, or a page of the web", onText(readWhat)],
    search: ["search <words>", "search the web", onText((query) => call("searchWeb", { query }))],
    list: [
      "list <dir>",
      "show what a folder holds",
      (rest) => call("listDirectory", { path: tidyDir(rest) }),
    ],
    write: [
      "write <file>: <text>",
      "write a file",
      onPair((path, content) => call("writeFile", { path: unquote(path), content })),
    ],
    run: [
      "run <command>",
      "run a shell command, where that is allowed",
      onText((command) => call("executeCommand", { command })),
    ],
    note: [
      "note <title>: <text>",
      "write a note",
      onPair((title, content) => call("writeNote", { title, content })),
    ],
    goal: ["goal <text>", "add a goal", onText((goal) => call("addGoal", { goal }))],
    done: [
      "done <n>",
      "mark goal n complete",
      (rest) => (/^\d{1,9}$/.test(rest) ? call("completeGoal", { goalNumber: Number(rest) }) : undefined),
    ],
    tell: [
      "tell <agent> <text>",
      "send a message; <agent> is an id, ids such as 2,3, a name, or all",
      readTell,
    ],
    help: ["help", "show this text", (rest) => (rest ? undefined : { kind: "help" })],
  } satisfies Record<string, Word>),
);

/** What a person has to know of the offline model. */
export const OFFLINE_HELP = [
  "The offline model needs no key. It follows rules and does not reason; these are the commands that it takes,",
  'one a line or joined by "then":',
  "",
  ...Array.from(WORDS.values(), ([usage, does]) => `  ${usage.padEnd(22)}${does}`),
  "",
  "An action in the text format works too, alone in a message:",
  "",
  "  action: writeNote",
  "  title: plan",
  "  content: first this, then that",
].join("\n");

/** What it answers to everything that it cannot take as a command. */
export const CAPABILITIES =
  "I run on the offline model, which follows rules and does not reason. I take these commands, one a line or joined " +
  `by "then": ${Array.from(WORDS.values(), ([usage]) => usage).join(" · ")}.`;

/** The commands of a message, in order; empty if it does not begin with one. */
export function readCommands(text: string): readonly Command[] {
  const first = text.trimStart();
  if (!WORDS.has(firstWord(first))) return [];
  const sources = first.split("\n").flatMap(splitAtThen);
  const commands = sources.slice(0, MAX_COMMANDS).map(readCommand);
  const left = sources.slice(MAX_COMMANDS);
  if (left.length === 0) return commands;
  const reason = `One message may hold ${MAX_COMMANDS} commands; send the last ${left.length} again.`;
  return [...commands, { kind: "mistake", source: left[0]!, reason }];
}

function readCommand(source: string): Command {
  const name = firstWord(source);
  const word = WORDS.get(name);
  if (!word) return { kind: "mistake", source, reason: 'I know no such command; "help" lists them.' };
  const [usage, , read] = word;
  const asked = read(source.slice(name.length).trim());
  return asked ? { ...asked, source } : { kind: "mistake", source, reason: `Write it as: ${usage}` };
}

/** The word that `text` begins with, in lower case, if white space or the end follows it; else empty. */
function firstWord(text: string): string {
  return (/^[a-z]{1,16}(?=\s|$)/i.exec(text)?.[0] ?? "").toLowerCase();
}

/** A `then` parts two commands only where a command follows it: texts may hold the word. */
function splitAtThen(line: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  for (const { index } of line.matchAll(/(?<=^|\s)then(?=\s)/gi)) {
    const end = index + "then".length;
    if (!WORDS.has(firstWord(line.slice(end).trimStart()))) continue;
    parts.push(line.slice(start, index));
    start = end;
  }
  return [...parts, line.slice(start)].map((part) => part.trim()).filter((part) => part !== "");
}

function call(action: string, parameters: Wanted["parameters"]): Understood {
  return { kind: "call", wanted: { action, parameters } };
}

function readWhat(what: string): Understood {
  const named = unquote(what);
  return /^https?:\/\//i.test(named) ? call("readPage", { url: named }) : call("readFile", { path: named });
}

function onText(use: (text: string) => Understood): Word[2] {
  return (rest) => (rest ? use(rest) : undefined);
}

function onPair(use: (left: string, right: string) => Understood): Word[2] {
  return (rest) => {
    const colon = rest.indexOf(":");
    const left = rest.slice(0, Math.max(colon, 0)).trim();
    return left ? use(left, rest.slice(colon + 1).trim()) : undefined;
  };
}

function readTell(rest: string): Understood | undefined {
  const [, to, message] = /^(agent \d+|\d+(?: ?, ?\d+)*|[^\s:]+):?\s+(\S.*)$/i.exec(rest) ?? [];
  return to
    ? call("sendMessage", { targetAgentId: to.split(",").map(agentIdOf).join(","), message })
    : undefined;
}

function tidyDir(dir: string): string {
  const path = unquote(dir);
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") end--;
  return path.slice(0, end).replace(/^\.\/+(?=.)/, "") || ".";
}

function unquote(text: string): string {
  return /^(["']).+\1$/.test(text) ? text.slice(1, -1) : text;
}
