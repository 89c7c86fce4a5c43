// Secrets are known by their values, and hidden wherever these turn up: `[redacted:NAME]` stands in their place.

import { MIN_SECRET, formsOf } from "./forms.ts";
import { createSearch, type Pattern, type SecretSearch } from "./search.ts";
import { preparePieces, type Pieces } from "./pieces.ts";

export interface Secret {
  /** What people call it, such as the name of a variable. */
  readonly name: string;
  readonly value: string;
}

/** What was clean before stays so, and the very same text or object: nothing is ever hidden twice. */
export interface Redactor {
  /** `text` with `[redacted:NAME]` in place of each secret, in whatever form it is written. */
  text(text: string): string;
  /** The same for every string of a JSON value, the names of its properties included. */
  value<T>(value: T): T;
  /** For a text that comes in pieces: what may be the beginning of a secret is held back. */
  pieces(): Pieces;
  /** The marks of the secrets that stand in `text`, each once. */
  marksIn(text: string): readonly string[];
}

/** Hides nothing. */
export const NO_SECRETS: Redactor = {
  text: (text) => text,
  value: (value) => value,
  pieces: () => ({ add: (piece) => piece, end: () => "" }),
  marksIn: () => [],
};

/** Values too short, or that stand for nothing, are no secrets. Of two secrets with one value the first gives the name. */
export function createRedactor(secrets: readonly Secret[]): Redactor {
  const values = new Map<string, string>();
  for (const { name, value } of secrets)
    if (isSecret(value) && !values.has(value)) values.set(value, safeName(name));
  if (values.size === 0) return NO_SECRETS;
  let sought: Sought | undefined;
  return redactorOf(() => (sought ??= prepare(values)));
}

/** What is looked for; it takes some milliseconds to make, and most commands of the program never look. */
interface Sought {
  readonly search: SecretSearch;
  readonly forms: readonly string[];
  readonly markOf: (name: string) => string;
}

/** @param values with the name of each */
function prepare(values: ReadonlyMap<string, string>): Sought {
  const patterns = new Map<string, Pattern>();
  for (const [value, name] of values)
    for (const text of formsOf(value)) if (!patterns.has(text)) patterns.set(text, { text, name });
  const search = createSearch([...patterns.values()]);
  return { search, forms: [...patterns.keys()], markOf: markers(search) };
}

function redactorOf(sought: () => Sought): Redactor {
  const text = (whole: string): string => {
    if (whole.length < MIN_SECRET) return whole;
    const { search, markOf } = sought();
    const found = search(whole);
    if (found.length === 0) return whole;
    let clean = "";
    let from = 0;
    for (const { start, end, name } of found) {
      clean += whole.slice(from, start) + markOf(name);
      from = end;
    }
    return clean + whole.slice(from);
  };
  let begin: (() => Pieces) | undefined;
  return {
    text,
    value: (whole) => valueWith(whole, text),
    pieces: () => (begin ??= preparePieces({ ...sought(), clean: text }))(),
    marksIn(whole) {
      const { search, markOf } = sought();
      return [...new Set(search(whole).map(({ name }) => markOf(name)))];
    },
  };
}

/** The marks of secrets. A name that holds a secret itself is not said. */
function markers(search: SecretSearch): (name: string) => string {
  const marks = new Map<string, string>();
  return (name) => {
    let mark = marks.get(name);
    if (mark === undefined) {
      mark = `[redacted:${name}]`;
      if (search(mark).length > 0) mark = UNNAMED;
      marks.set(name, mark);
    }
    return mark;
  };
}

const UNNAMED = "[redacted:SECRET]";
const MAX_NAME = 64;

function safeName(name: string): string {
  return name.replace(/[^\w.-]/g, "_").slice(0, MAX_NAME) || "SECRET";
}

/** What people write where no secret is, or none yet; hiding it would only blind whoever reads. */
const ORDINARY = new Set(
  (
    "password passwort passwords changeme changeit change-me change_me username postgres postgresql localhost " +
    "development production disabled enabled optional required undefined anonymous internal external default_ " +
    "example1 mysecret my-secret secret123 password1 password123 12345678 00000000 xxxxxxxx ********"
  ).split(" "),
);

function isSecret(value: string): boolean {
  return value.length >= MIN_SECRET && !ORDINARY.has(value.toLowerCase()) && !UNNAMED.includes(value);
}

function valueWith<T>(value: T, clean: (text: string) => string): T {
  const walk = (item: unknown): unknown => {
    if (typeof item === "string") return clean(item);
    if (typeof item !== "object" || item === null) return item;
    if (Array.isArray(item)) {
      const items = item.map(walk);
      return items.some((one, index) => one !== item[index]) ? items : item;
    }
    const entries = Object.entries(item);
    const walked = entries.map(([key, one]): [string, unknown] => [clean(key), walk(one)]);
    const isSame = walked.every(
      ([key, one], index) => key === entries[index]![0] && one === entries[index]![1],
    );
    return isSame ? item : Object.fromEntries(walked);
  };
  return walk(value) as T;
}
