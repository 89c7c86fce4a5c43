// The words that the offline model understands, and the text that explains them.

import { agentIdOf } from "./view.ts";

/** An action to call. */
export interface Wanted {
  readonly action: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export type Command =
  | { readonly kind: "call"; readonly source: string; readonly wanted: Wanted }
  | { readonly kind: "survey"; readonly source: string; readonly dir: string }
  | { readonly kind: "help"; readonly source: string }
  /** A known word, or none, and what would be right. */
  | { readonly kind: "mistake"; readonly source: string; readonly reason: string };

/** Of one message no more commands than this are taken. */
export const MAX_COMMANDS = 50;

interface Word {
  readonly usage: string;
  readonly does: string;
  /** `undefined`: the words after it do not fit. */
  read(rest: string): ParsedWord | undefined;
}

type ParsedWord = Wanted | { readonly survey: string } | "help";

const WORDS: ReadonlyMap<string, Word> = new Map(
  Object.entries({
    survey: {
      usage: "survey <dir>",
      does: "divide a folder among the running agents; notes, reports, SURVEY.md",
      read: (rest) => ({ survey: tidyDir(rest) }),
    },
    read: {
      usage: "read <file or URL>",
      does: "show a file, or a page of the web",
      read: (rest) => (rest ? readWhat(unquote(rest)) : undefined),
    },
    search: {
      usage: "search <words>",
      does: "search the web",
      read: (rest) => (rest ? call("searchWeb", { query: rest }) : undefined),
    },
    list: {
      usage: "list <dir>",
      does: "show what a folder holds",
      read: (rest) => call("listDirectory", { path: tidyDir(rest) }),
    },
    write: {
      usage: "write <file>: <text>",
      does: "write a file",
      read: (rest) => onPair(rest, (path, content) => call("writeFile", { path: unquote(path), content })),
    },
    run: {
      usage: "run <command>",
      does: "run a shell command, where commands are allowed",
      read: (rest) => (rest ? call("executeCommand", { command: rest }) : undefined),
    },
    note: {
      usage: "note <title>: <text>",
      does: "write a note",
      read: (rest) => onPair(rest, (title, content) => call("writeNote", { title, content })),
    },
    goal: {
      usage: "goal <text>",
      does: "add a goal",
      read: (rest) => (rest ? call("addGoal", { goal: rest }) : undefined),
    },
    done: {
      usage: "done <n>",
      does: "mark goal n complete",
      read: (rest) =>
        /^\d{1,9}$/.test(rest) ? call("completeGoal", { goalNumber: Number(rest) }) : undefined,
    },
    tell: {
      usage: "tell <agent> <text>",
      does: "send a message; <agent> is an id, ids such as 2,3, a name, or all",
      read: readTell,
    },
    help: { usage: "help", does: "show this text", read: (rest) => (rest ? undefined : "help") },
  } satisfies Record<string, Word>),
);

function readWhat(named: string): Wanted {
  return /^https?:\/\//i.test(named) ? call("readPage", { url: named }) : call("readFile", { path: named });
}

/** What a person has to know of the offline model. */
export const OFFLINE_HELP = [
  "The offline model needs no key. It follows rules and does not reason; these are the commands that it takes,",
  'one a line or joined by "then":',
  "",
  ...Array.from(WORDS.values(), ({ usage, does }) => `  ${usage.padEnd(22)}${does}`),
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
  `by "then": ${Array.from(WORDS.values(), ({ usage }) => usage).join(" · ")}.`;

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
  const asked = word.read(source.slice(name.length).trim());
  if (asked === undefined) return { kind: "mistake", source, reason: `Write it as: ${word.usage}` };
  if (asked === "help") return { kind: "help", source };
  return "survey" in asked
    ? { kind: "survey", source, dir: asked.survey }
    : { kind: "call", source, wanted: asked };
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

function call(action: string, parameters: Wanted["parameters"]): Wanted {
  return { action, parameters };
}

function onPair(rest: string, use: (left: string, right: string) => Wanted): Wanted | undefined {
  const colon = rest.indexOf(":");
  const left = rest.slice(0, Math.max(colon, 0)).trim();
  return left ? use(left, rest.slice(colon + 1).trim()) : undefined;
}

function readTell(rest: string): Wanted | undefined {
  const match = /^(agent \d+|\d+(?: ?, ?\d+)*|[^\s:]+):?\s+(\S.*)$/i.exec(rest);
  if (!match) return undefined;
  const targetAgentId = match[1]!.split(",").map(agentIdOf).join(",");
  return call("sendMessage", { targetAgentId, message: match[2]! });
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
