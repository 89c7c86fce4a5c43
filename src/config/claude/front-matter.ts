// The front matter of an agent of Claude Code. What is no YAML, and much of it is not, is read line by line: a description
// goes on until the next key that Claude Code knows.

import { readFrontMatter, unquoted } from "../../../modules/skills/front-matter.ts";

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
  const read = fieldsByLine(front);
  return read.size === 0 ? undefined : { fields: read, body };
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
  const written: readonly unknown[] = Array.isArray(value) ? value : splitNames(textIn(value));
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

export function textIn(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
