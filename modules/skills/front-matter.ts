// The front matter of a SKILL.md, however it was written: what is no YAML is read line by line.

import { isMap, isScalar, parseDocument } from "yaml";

export interface FrontMatter {
  readonly fields: ReadonlyMap<string, unknown>;
  /** What follows it; all of a text that has none. */
  readonly body: string;
  /** For people: what is wrong with it. */
  readonly faults: readonly string[];
}

const FENCE = /^---[ \t]*$/;
/** What people draw where that was meant. */
const RULE = /^-{4,}[ \t]*$/;
/** Characters: a parser of YAML takes seconds for what is far longer. */
const MAX_YAML = 65_536;

/** Never throws. */
export function readFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/);
  if (!FENCE.test(lines[0]!))
    return { fields: new Map(), body: lines.join("\n"), faults: ["no front matter"] };
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  if (end > 0) {
    const front = lines.slice(1, end);
    return { ...readFields(front), body: lines.slice(end + 1).join("\n") };
  }
  const first = lines.findIndex((line, index) => index > 0 && line.trim() !== "");
  const found = lines.findIndex((line, index) => index > first && (line.trim() === "" || RULE.test(line)));
  const last = found < 0 ? lines.length : found;
  const [front, body] = [lines.slice(1, last), lines.slice(last + 1)];
  return { fields: fieldsByLine(front), body: body.join("\n"), faults: ["the front matter has no end"] };
}

function readFields(lines: readonly string[]): Pick<FrontMatter, "fields" | "faults"> {
  const leniently = (fault: string) => ({ fields: fieldsByLine(lines), faults: [fault] });
  const text = lines.join("\n");
  if (text.length > MAX_YAML) return leniently(`the front matter is longer than ${MAX_YAML} characters`);
  try {
    // The library compares every key with every other: quadratic, and our own check is below.
    const options = { uniqueKeys: false, prettyErrors: false, logLevel: "silent" } as const;
    const document = parseDocument(text, options);
    const [broken] = document.errors;
    if (broken) return leniently(`the front matter is no YAML: ${oneLine(broken.message)}`);
    const map = document.contents;
    if (map === null) return { fields: new Map(), faults: ["the front matter is empty"] };
    if (!isMap(map)) return leniently("the front matter is no map of keys and values");
    const keys = map.items.map(({ key }) => String(isScalar(key) ? key.value : key));
    const seen = new Set<string>();
    const twice = keys.find((key) => seen.size === seen.add(key).size);
    const values: unknown = document.toJS({ maxAliasCount: 20 });
    const fields = new Map(Object.entries(values as object));
    return { fields, faults: twice === undefined ? [] : [`the key ${twice} stands there twice`] };
  } catch {
    return leniently("the front matter cannot be read as YAML");
  }
}

/** A key at the beginning of a line, and what is indented below it. */
function fieldsByLine(lines: readonly string[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  let last: string | undefined;
  for (const line of lines) {
    const [, key, value = ""] = /^([A-Za-z][\w-]{0,63}):(?:\s+(.*))?$/.exec(line) ?? [];
    if (key !== undefined) fields.set((last = key), unquoted(value));
    else if (last !== undefined && /^\s+\S/.test(line)) {
      const before = fields.get(last)!;
      fields.set(last, before === "" ? line.trim() : `${before} ${line.trim()}`);
    }
  }
  return fields;
}

/** What stands behind a key: of a block only what it says, not how it is folded. */
export function unquoted(value: string): string {
  const text = value.trim();
  if (/^[>|][+-]?$/.test(text)) return "";
  return /^(["']).*\1$/.test(text) && text.length > 1 ? text.slice(1, -1) : text;
}

/** A field that is a text, or as good as one; empty for anything else. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").slice(0, 200);
}
