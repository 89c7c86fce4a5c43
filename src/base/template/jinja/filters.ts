// The filters, as Jinja has them. What is not here is refused by name.

import {
  bind,
  type GivenArgument,
  intGiven,
  parseFloat10,
  parseInt10,
  textGiven,
} from "../python/arguments.ts";
import { toJson } from "../python/json.ts";
import { compare, iterate, length } from "../python/operators.ts";
import { charactersOf, joined, linesOf, SPACE, str, strip } from "../python/text.ts";
import {
  checkLength,
  defined,
  fail,
  foundOr,
  float,
  int,
  isDict,
  isFloat,
  isQuiet,
  isSequence,
  isTrue,
  isUndefined,
  numberOf,
  sequence,
  typeOf,
  undefinedValue,
  type CallArguments,
  type PythonValue,
} from "../python/values.ts";
import { capitalize, replace } from "./members.ts";

/** Its parameters behind the value, and what it makes of that. */
type Filter = readonly [
  parameters: readonly string[],
  apply: (value: PythonValue, given: readonly GivenArgument[]) => PythonValue,
];

const defaultTo: Filter = [
  ["default_value", "boolean"],
  (value, [otherwise = "", also = false]) =>
    isUndefined(value) || (isTrue(also) && !isTrue(value)) ? otherwise : value,
];
const count: Filter = [[], length];

export const FILTERS: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ["abs", [[], abs]],
  ["capitalize", [[], (value) => capitalize(shortText(value))]],
  ["count", count],
  ["d", defaultTo],
  ["default", defaultTo],
  ["first", [[], (value) => endOf(value, "first")]],
  [
    "float",
    [
      ["default"],
      (value, [otherwise = float(0)]) => {
        const number = parseFloat10(value);
        return number === undefined ? otherwise : float(number);
      },
    ],
  ],
  [
    "indent",
    [
      ["width", "first", "blank"],
      (value, [width = 4, first = false, blank = false]) =>
        indent(
          textGiven(value, "indent"),
          typeof width === "string" ? width : " ".repeat(checkLength(Math.max(intGiven(width, "indent"), 0))),
          {
            first: isTrue(first),
            blank: isTrue(blank),
          },
        ),
    ],
  ],
  [
    "int",
    [
      ["default"],
      (value, [otherwise = 0]) => {
        const number = parseInt10(value) ?? Math.trunc(parseFloat10(value) ?? NaN);
        return Number.isNaN(number) || (typeof value === "string" && !Number.isFinite(number))
          ? otherwise
          : int(number);
      },
    ],
  ],
  ["items", [[], (value) => (isUndefined(value) ? sequence("iterator", []) : items(value))]],
  ["join", [["d"], (value, [separator = ""]) => joined(iterate(value).map(str), str(separator))]],
  ["last", [[], (value) => endOf(value, "last")]],
  ["length", count],
  ["list", [[], (value) => sequence("list", [...iterate(value)])]],
  ["lower", [[], (value) => shortText(value).toLowerCase()]],
  [
    "replace",
    [
      ["old", "new", "count"],
      (value, [old, by, most = null]) =>
        replace(shortText(value), printed(old), printed(by), most === null ? -1 : intGiven(most, "replace")),
    ],
  ],
  ["reverse", [[], reverse]],
  ["safe", [[], (value) => ({ kind: "markup", text: str(value) })]],
  [
    "sort",
    [
      ["reverse", "case_sensitive"],
      (value, [reversed = false, exact = false]) =>
        sort(iterate(value), isTrue(reversed) ? -1 : 1, isTrue(exact) ? (item) => item : lowered),
    ],
  ],
  ["string", [[], str]],
  ["title", [[], (value) => title(shortText(value))]],
  [
    "tojson",
    [
      ["indent"],
      (value, [width = null]) => ({
        kind: "markup",
        text: toJson(value, width === null ? null : intGiven(width, "tojson")),
      }),
    ],
  ],
  [
    "trim",
    [
      ["chars"],
      (value, [chars = null]) =>
        strip(shortText(value), "both", chars === null ? undefined : textGiven(chars, "trim")),
    ],
  ],
  ["upper", [[], (value) => shortText(value).toUpperCase()]],
]);

/** `value | name(...)`. */
export function applyFilter(name: string, value: PythonValue, given: CallArguments): PythonValue {
  const filter = FILTERS.get(name);
  if (!filter) return fail(`the filter \`${name}\` is not supported`);
  if (!["default", "d", "items"].includes(name) && !isQuiet(value)) defined(value);
  const [parameters, apply] = filter;
  return apply(value, bind(name, parameters, given));
}

/** `str(value)`, where it is no longer than what a template may make. */
function shortText(value: PythonValue): string {
  if (typeOf(value) === "Markup") return fail("what `tojson` made can only be printed");
  const text = str(value);
  checkLength(text.length);
  return text;
}

function printed(given: GivenArgument): string {
  return given === undefined ? fail("`replace` takes two texts") : shortText(given);
}

function abs(value: PythonValue): PythonValue {
  const number = numberOf(value);
  if (number === undefined) return fail(`a value of the type ${typeOf(value)} has no absolute value`);
  return isFloat(value) ? float(Math.abs(number)) : Math.abs(number);
}

function items(value: PythonValue): PythonValue {
  if (!isDict(value)) return fail("`items` takes a dictionary");
  return sequence(
    "iterator",
    Array.from(value.entries, ([key, entry]) => sequence("tuple", [key, entry])),
  );
}

function endOf(value: PythonValue, end: "first" | "last"): PythonValue {
  const none = undefinedValue(`no ${end} item, sequence was empty`);
  if (isSequence(value, "iterator") && end === "first") return foundOr(value.items.shift(), none);
  if (isSequence(value, "iterator")) return fail("an iterator cannot be gone through from its end");
  return foundOr(iterate(value).at(end === "first" ? 0 : -1), none);
}

function reverse(value: PythonValue): PythonValue {
  if (typeof value === "string") return charactersOf(value).reverse().join("");
  return sequence(isSequence(value, "iterator") ? "list" : "iterator", [...iterate(value)].reverse());
}

function sort(
  items: readonly PythonValue[],
  direction: number,
  key: (item: PythonValue) => PythonValue,
): PythonValue {
  const keyed = items.map((item) => ({ item, by: key(item) }));
  keyed.sort((a, b) => direction * compare("<", a.by, b.by));
  return sequence(
    "list",
    keyed.map(({ item }) => item),
  );
}

function lowered(item: PythonValue): PythonValue {
  return typeof item === "string" ? item.toLowerCase() : item;
}

const WORD_BEGINS = new RegExp(`([-${SPACE}({\\[<]+)`, "u");

/** As the filter has it: unlike the method, only blanks, hyphens and opening brackets begin a word. */
function title(text: string): string {
  return text
    .split(WORD_BEGINS)
    .map((word) => {
      const first = String.fromCodePoint(...(word === "" ? [] : [word.codePointAt(0)!]));
      return first.toUpperCase() + word.slice(first.length).toLowerCase();
    })
    .join("");
}

function indent(
  text: string,
  by: string,
  where: { readonly first: boolean; readonly blank: boolean },
): string {
  const lines = linesOf(`${text}\n`, "cut");
  checkLength(text.length + lines.length * by.length);
  return lines
    .map((line, index) => ((index === 0 ? where.first : line !== "" || where.blank) ? by + line : line))
    .join("\n");
}
