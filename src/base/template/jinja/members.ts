// What can be reached of a value: `a.b`, `a["b"]`, and the methods of texts and dictionaries.

import { bind, type GivenArgument, intGiven, textGiven } from "../python/arguments.ts";
import { itemAt, iterate } from "../python/operators.ts";
import { charactersOf, joined, linesOf, SPACE, strip } from "../python/text.ts";
import {
  checkItems,
  checkLength,
  defined,
  fail,
  foundOr,
  isDict,
  isSequence,
  sequence,
  typeOf,
  undefinedValue,
  type CallArguments,
  type Dict,
  type PythonValue,
} from "../python/values.ts";

const BLANK = new RegExp(`[${SPACE}]`, "u");

/** Its parameters, and what it does. */
type Method<Self> = readonly [
  parameters: readonly string[],
  call: (self: Self, given: readonly GivenArgument[]) => PythonValue,
];

const TEXT_METHODS: ReadonlyMap<string, Method<string>> = new Map<string, Method<string>>([
  ["capitalize", [[], capitalize]],
  ["endswith", [["suffix"], (self, [end]) => affixes(end, "endswith").some((text) => self.endsWith(text))]],
  [
    "join",
    [
      ["items"],
      (self, [items = null]) =>
        joined(
          iterate(items).map((item) => textGiven(item, "join")),
          self,
        ),
    ],
  ],
  ["lower", [[], (self) => self.toLowerCase()]],
  ["lstrip", [["chars"], (self, [chars]) => strip(self, "left", characters(chars))]],
  [
    "replace",
    [
      ["old", "new", "count"],
      (self, [old, by, count = -1]) =>
        replace(self, textGiven(old, "replace"), textGiven(by, "replace"), intGiven(count, "replace")),
    ],
  ],
  ["rstrip", [["chars"], (self, [chars]) => strip(self, "right", characters(chars))]],
  [
    "split",
    [
      ["sep", "maxsplit"],
      (self, [sep = null, most = -1]) =>
        sequence("list", split(self, sep === null ? null : textGiven(sep, "split"), intGiven(most, "split"))),
    ],
  ],
  [
    "splitlines",
    [["keepends"], (self, [keep = false]) => sequence("list", linesOf(self, keep === true ? "kept" : "cut"))],
  ],
  [
    "startswith",
    [["prefix"], (self, [start]) => affixes(start, "startswith").some((text) => self.startsWith(text))],
  ],
  ["strip", [["chars"], (self, [chars]) => strip(self, "both", characters(chars))]],
  ["title", [[], title]],
  ["upper", [[], (self) => self.toUpperCase()]],
]);

const DICT_METHODS: ReadonlyMap<string, Method<Dict>> = new Map<string, Method<Dict>>([
  [
    "get",
    [
      ["key", "default"],
      ({ entries }, [key, otherwise = null]) =>
        foundOr(typeof key === "string" ? entries.get(key) : undefined, otherwise),
    ],
  ],
  [
    "items",
    [
      [],
      ({ entries }) =>
        sequence(
          "dict_items",
          Array.from(entries, ([key, entry]) => sequence("tuple", [key, entry])),
        ),
    ],
  ],
  ["keys", [[], ({ entries }) => sequence("dict_keys", [...entries.keys()])]],
  ["values", [[], ({ entries }) => sequence("dict_values", [...entries.values()])]],
]);

/** Python's, that are not ours, by type. */
const LACKING: Readonly<Record<string, readonly string[]>> = {
  str: words(
    "casefold center count encode expandtabs find format format_map index isalnum isalpha isascii isdecimal isdigit " +
      "isidentifier islower isnumeric isprintable isspace istitle isupper ljust maketrans partition removeprefix " +
      "removesuffix rfind rindex rjust rpartition rsplit swapcase translate zfill",
  ),
  dict: words("clear copy fromkeys pop popitem setdefault update"),
  list: words("append clear copy count extend index insert pop remove reverse sort"),
  tuple: words("count index"),
  range: words("count index start step stop"),
  int: words(
    "as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real to_bytes",
  ),
  float: words("as_integer_ratio conjugate fromhex hex imag is_integer real"),
  LoopContext: words("changed cycle"),
};
const LACKING_METHODS = new Set(Object.values(LACKING).flat());

function words(list: string): readonly string[] {
  return list.split(" ");
}

/** Throws if `name` can only be a method that is not supported. */
export function refuseMethod(name: string): void {
  if (LACKING_METHODS.has(name)) fail(`the method \`${name}\` is not supported`);
}

/** `object.name`: of a dictionary its method first, as in Python. */
export function attribute(object: PythonValue, name: string): PythonValue {
  const there = defined(object);
  return foundOr(method(there, name) ?? ownName(there, name), missing(there, name));
}

/** `object[key]`: of a dictionary its entry first. */
export function subscript(object: PythonValue, key: PythonValue): PythonValue {
  const there = defined(object);
  const name = defined(key);
  if (typeof name !== "string") return itemAt(there, name);
  const own = ownName(there, name);
  return own === undefined ? foundOr(method(there, name), missing(there, name)) : own;
}

function ownName(object: PythonValue, name: string): GivenArgument {
  if (isDict(object)) return object.entries.get(name);
  return typeof object === "object" && object?.kind === "names" ? object.names.get(name) : undefined;
}

function method(object: PythonValue, name: string): GivenArgument {
  const type = typeOf(object);
  if (name.startsWith("__") || type === "Markup" || LACKING[type]?.includes(name))
    return fail(`\`${name}\` of a value of the type ${type} is not supported`);
  if (typeof object === "string") return callable(name, TEXT_METHODS.get(name), object);
  return isDict(object) ? callable(name, DICT_METHODS.get(name), object) : undefined;
}

function callable<Self>(name: string, method: Method<Self> | undefined, self: Self): GivenArgument {
  if (!method) return undefined;
  const [parameters, call] = method;
  return {
    kind: "callable",
    name,
    call: (given: CallArguments) => call(self, bind(name, parameters, given)),
  };
}

function missing(object: PythonValue, name: string): PythonValue {
  const type = object === null ? "None" : `${typeOf(object)} object`;
  return undefinedValue(`'${type}' has no attribute '${name}'`);
}

function characters(given: GivenArgument): string | undefined {
  return given === undefined || given === null ? undefined : textGiven(given, "strip");
}

function affixes(given: GivenArgument, name: string): readonly string[] {
  const texts = given !== undefined && isSequence(given, "tuple") ? given.items : [given];
  return texts.map((text) => textGiven(text, name));
}

/** Its first letter large, all others small. */
export function capitalize(text: string): string {
  const first = String.fromCodePoint(...(text === "" ? [] : [text.codePointAt(0)!]));
  return large(first) + text.slice(first.length).toLowerCase();
}

function title(text: string): string {
  return text.replace(/\p{Cased}+/gu, (word) => capitalize(word));
}

/** Of one letter; where that takes several, only the first of them is large. */
function large(letter: string): string {
  const upper = letter.toUpperCase();
  if (/^[\u0149\u1f80-\u1ffc]$/.test(letter) && upper.length > 1)
    fail(`a capital ${letter} is not supported`);
  // Georgian is written with its large letters from end to end, or without any.
  if (/^[\u10d0-\u10ff]$/.test(letter)) return letter;
  // Two letters in one have a form between large and small, next to the large one.
  if (/^[ǄǇǊǱ]$/.test(upper)) return String.fromCodePoint(upper.charCodeAt(0) + 1);
  return upper.slice(0, 1) + upper.slice(1).toLowerCase();
}

/** @param count how many at most, from the left; below 0: all */
export function replace(text: string, old: string, by: string, count: number): string {
  if (old === "") {
    const letters = charactersOf(text);
    const places = count < 0 ? letters.length + 1 : Math.min(count, letters.length + 1);
    checkLength(text.length + by.length * places);
    return [...letters, ""].map((letter, place) => (place < places ? by : "") + letter).join("");
  }
  const pieces = split(text, old, count);
  checkLength(text.length + (by.length - old.length) * (pieces.length - 1));
  return pieces.join(by);
}

/** @param separator `null`: any run of blanks @param most how often at most; below 0: always */
function split(text: string, separator: string | null, most: number): string[] {
  if (separator === "") fail("a text cannot be split at an empty one");
  const parts: string[] = [];
  let rest = separator === null ? strip(text, "left") : text;
  while (checkItems(parts.length) !== most) {
    const end = separator === null ? rest.search(BLANK) : rest.indexOf(separator);
    if (end === -1) break;
    parts.push(rest.slice(0, end));
    rest = separator === null ? strip(rest.slice(end), "left") : rest.slice(end + separator.length);
  }
  return separator === null && rest === "" ? parts : [...parts, rest];
}
