import type { Document, Node, YAMLError } from "yaml";
import type { z } from "zod";
import { LegionError, messageOf } from "../../base/errors.ts";

type Issue = z.core.$ZodIssue;

/** Each of them is looked up in the whole text: a file in which everything is wrong must not take for ever. */
const MAX_ISSUES = 100;

/** YAML that a person wrote, and where. */
export interface YamlText {
  /** How errors name the file. */
  readonly file: string;
  readonly text: string;
  /** The line of the file on which `text` begins, from 1. */
  readonly firstLine: number;
}

/**
 * Reads YAML 1.2 into what `schema` makes of it. Empty text is an empty map, and a key without a value counts as absent.
 * Throws CONFIG with one line that names the first thing wrong, its place, and what would be right.
 */
export async function parseYaml<T>(source: YamlText, schema: z.ZodType<T>): Promise<T> {
  const yaml = await import("yaml");
  const lines = new yaml.LineCounter();
  const refuse = (offset: number, reason: string): never => {
    const line = lines.linePos(offset).line + source.firstLine - 1;
    throw new LegionError("CONFIG", `${source.file}:${line}: ${oneLine(reason)}`);
  };
  const document = yaml.parseDocument(source.text, {
    lineCounter: lines,
    stringKeys: true,
    // The library compares every key with every other: quadratic, and our own check is below.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "error",
  });
  const [broken] = document.errors;
  if (broken) return refuse(broken.pos[0], `not valid YAML: ${explainBroken(broken)}`);
  checkKeys(yaml, document, refuse);

  const parsed = schema.safeParse(toValue(document, refuse) ?? {}, { reportInput: true });
  if (parsed.success) return parsed.data;
  const found = parsed.error.issues
    .slice(0, MAX_ISSUES)
    .map((issue) => ({ issue, offset: findIssue(yaml, document, issue) }));
  // A key that is missing may only be misspelt: then the wrong one explains it.
  const wrong = found.filter(({ issue }) => !isMissing(issue));
  const first = (wrong.length > 0 ? wrong : found).reduce((a, b) => (b.offset < a.offset ? b : a));
  return refuse(first.offset, explainIssue(first.issue));
}

function explainBroken({ code, message }: YAMLError): string {
  return code === "NON_STRING_KEY" ? "a map cannot be a key; put a value such as {{x}} in quotes" : message;
}

/** One issue in one line: the path of keys, then what is wrong there. */
export function explainIssue(issue: Issue): string {
  const path = isMissing(issue) ? issue.path.slice(0, -1) : issue.path;
  const where = path.length > 0 ? `${path.map(String).join(".")}: ` : "";
  if (isMissing(issue)) return `${where}"${String(issue.path.at(-1))}" is missing`;
  const { message } = issue.code === "invalid_key" ? issue.issues[0]! : issue;
  return where + message.replace(/^Invalid input: /, "");
}

/** Only of an issue that was reported with its input. */
function isMissing(issue: Issue): boolean {
  return issue.input === undefined && issue.path.length > 0;
}

type Yaml = typeof import("yaml");
type Refuse = (offset: number, reason: string) => never;

function checkKeys(yaml: Yaml, document: Document, refuse: Refuse): void {
  yaml.visit(document, {
    Map(_, map) {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        const name = nameOf(yaml, key);
        // Objects of JavaScript cannot carry this key safely.
        if (name === "__proto__") refuse(offsetOf(key), `"${name}" cannot be a key`);
        if (seen.has(name)) refuse(offsetOf(key), `the key "${name}" is here a second time`);
        seen.add(name);
      }
    },
  });
}

function toValue(document: Document, refuse: Refuse): unknown {
  try {
    return document.toJS({ reviver: (_, value: unknown) => (value === null ? undefined : value) });
  } catch (error) {
    const reason = error instanceof RangeError ? "an alias contains itself" : messageOf(error);
    return refuse(0, `not valid YAML: ${reason}`);
  }
}

/** The offset of the key that an issue is about, or of the nearest one around it that is in the text. */
function findIssue(yaml: Yaml, document: Document, issue: Issue): number {
  const path = issue.code === "unrecognized_keys" ? [...issue.path, issue.keys[0]!] : issue.path;
  let node: unknown = document.contents;
  let offset = 0;
  for (const step of path) {
    if (yaml.isAlias(node)) node = node.resolve(document);
    if (yaml.isMap(node)) {
      const pair = node.items.find(({ key }) => nameOf(yaml, key) === String(step));
      if (!pair) break;
      offset = offsetOf(pair.key);
      node = pair.value;
    } else if (yaml.isSeq(node)) {
      node = node.items[Number(step)];
      offset = offsetOf(node) || offset;
    }
  }
  return offset;
}

function nameOf(yaml: Yaml, key: unknown): string {
  return String(yaml.isScalar(key) ? key.value : key);
}

function offsetOf(node: unknown): number {
  return (node as Node | null | undefined)?.range?.[0] ?? 0;
}

/** What others wrote is quoted in errors, and it may hold anything. */
export function oneLine(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/\p{Cc}/gu, "?")
    .slice(0, 400);
}
