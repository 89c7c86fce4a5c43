// The front matter of an agent of Claude Code. What is no YAML, and much of it is not, is read line by line: a description
// goes on until the next key that Claude Code knows.

import { readFrontMatter, textOf, unquoted } from "../../../modules/skills/front-matter.ts";

export const CLAUDE_KEYS: readonly string[] = [
  ...[
    "name",
    "description",
    "tools",
    "disallowedTools",
    "model",
    "maxTurns",
    "skills",
    "mcpServers",
    "color",
  ],
  ...["permissionMode", "hooks", "memory", "background", "isolation", "effort", "initialPrompt"],
];

interface ClaudeText {
  readonly fields: ReadonlyMap<string, unknown>;
  readonly body: string;
}

/** `undefined`: it has no front matter. Never throws. */
export function readClaudeFile(text: string): ClaudeText | undefined {
  const { fields, body, faults } = readFrontMatter(text);
  if (faults.length === 0) return { fields, body };
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/);
  const front = lines.slice(1, lines.length - body.split("\n").length);
  const read = new Map<string, unknown>(fieldsByLine(front));
  if (read.has(SERVERS)) read.set(SERVERS, readAlone(SERVERS, front));
  return read.size === 0 ? undefined : { fields: read, body };
}

const SERVERS = "mcpServers";

/** A field that is more than texts, where others beside it are broken; `undefined` if it is no YAML itself. */
function readAlone(key: string, lines: readonly string[]): unknown {
  const first = lines.findIndex((line) => line.startsWith(`${key}:`));
  const next = lines.findIndex((line, at) => at > first && /^[^\s#-]/.test(line));
  const own = lines.slice(first, next < 0 ? undefined : next);
  const { fields, faults } = readFrontMatter(["---", ...own, "---"].join("\n"));
  return faults.length === 0 ? fields.get(key) : undefined;
}

function fieldsByLine(lines: readonly string[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  let last: string | undefined;
  for (const line of lines) {
    const [, key, value = ""] = /^([A-Za-z][\w-]{0,63}):(?:[ \t]+(.*))?$/.exec(line) ?? [];
    const isText = last === "description" && !(CLAUDE_KEYS.includes(key ?? "") && !fields.has(key ?? ""));
    if (key !== undefined && !isText) fields.set((last = key), unquoted(value));
    else if (last !== undefined && /[^\s-]/.test(line))
      fields.set(last, `${fields.get(last)!}\n${line.trim()}`);
  }
  return fields;
}

const MAX_LIST = 10_000;
const MAX_ENTRIES = 500;

/** Names, as a list or with commas between; `undefined`: nothing is said. What is no text in it is left out. */
export function namesIn(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const written: readonly unknown[] = Array.isArray(value) ? value : splitNames(textOf(value));
  return written
    .slice(0, MAX_ENTRIES)
    .flatMap((entry) => (typeof entry === "string" ? [entry.trim()] : []))
    .filter((entry) => entry !== "");
}

function splitNames(text: string): readonly string[] {
  const list = text.slice(0, MAX_LIST).trim();
  const inner = list.startsWith("[") && list.endsWith("]") ? list.slice(1, -1) : list;
  return inner.split(/[,\n](?![^(\n]*\))/).map((entry) => unquoted(entry.replace(/^\s*-\s+/, "")));
}

const MAX_OWN = 100;

/** What `mcpServers` says: names of servers, also of those that stand there themselves; `undefined`: nothing. */
export function serversSaid(
  value: unknown,
): { readonly names: readonly string[]; readonly own: ReadonlyMap<string, object> } | undefined {
  if (value === undefined || value === null) return undefined;
  const entries: readonly unknown[] = Array.isArray(value)
    ? value
    : isMap(value)
      ? [value]
      : splitNames(textOf(value));
  const names: string[] = [];
  const own = new Map<string, object>();
  for (const entry of entries.slice(0, MAX_ENTRIES)) {
    if (typeof entry === "string" && entry.trim() !== "") names.push(entry.trim());
    if (!isMap(entry)) continue;
    for (const [name, given] of Object.entries(entry).slice(0, MAX_OWN)) {
      names.push(name);
      if (isMap(given) && own.size < MAX_OWN && !own.has(name)) own.set(name, given);
    }
  }
  return { names: [...new Set(names)], own };
}

function isMap(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
