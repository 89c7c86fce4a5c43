// What Python's operators come to.

import { charactersOf, compareText, cut, joined, lengthOf, repr, str } from "./text.ts";
import {
  checkItems,
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
  numberOf,
  sequence,
  typeOf,
  undefinedValue,
  type PythonValue,
} from "./values.ts";

/** Of all but `and`, `or` and `not`, with both sides known. */
export function operate(operator: string, left: PythonValue, right: PythonValue): PythonValue {
  switch (operator) {
    case "==":
      return isEqual(defined(left), defined(right));
    case "!=":
      return !isEqual(defined(left), defined(right));
    case "<":
      return compare("<", left, right) < 0;
    case ">":
      return compare(">", left, right) > 0;
    case "<=":
      return compare("<=", left, right) <= 0;
    case ">=":
      return compare(">=", left, right) >= 0;
    case "in":
      return isIn(left, right);
    case "not in":
      return !isIn(left, right);
    case "~":
      return joined([str(left), str(right)], "");
    default:
      return calculate(operator, defined(left), defined(right));
  }
}

function calculate(operator: string, left: PythonValue, right: PythonValue): PythonValue {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== undefined && b !== undefined) {
    const number = calculated(operator, a, b);
    const isWhole = !isFloat(left) && !isFloat(right) && operator !== "/" && !(operator === "**" && b < 0);
    return isWhole ? int(number) : float(number);
  }
  if (operator === "+") {
    if (typeof left === "string" && typeof right === "string") return joined([left, right], "");
    if (isSequence(left, "list", "tuple") && isSequence(right, left.type)) {
      checkItems(left.items.length + right.items.length);
      return sequence(left.type, [...left.items, ...right.items]);
    }
  }
  if (operator === "*") {
    if (typeof right === "number" || typeof right === "boolean") return repeat(left, Number(right));
    if (typeof left === "number" || typeof left === "boolean") return repeat(right, Number(left));
  }
  if (operator === "%" && typeof left === "string")
    return fail("formatting a text with `%` is not supported");
  return fail(`\`${operator}\` does not work on ${typeOf(left)} and ${typeOf(right)}`);
}

function calculated(operator: string, a: number, b: number): number {
  if (b === 0 && ["/", "//", "%"].includes(operator)) fail("division by zero");
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "//":
      return Math.round((a - remainder(a, b)) / b);
    case "%":
      return remainder(a, b);
    case "**":
      return power(a, b);
    default:
      return fail(`the operator \`${operator}\` is not supported`);
  }
}

/** Of the sign of `b`. */
function remainder(a: number, b: number): number {
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
}

function power(a: number, b: number): number {
  if (a === 0 && b < 0) fail("zero cannot be raised to a negative power");
  const result = a ** b;
  return Number.isFinite(result) ? result : fail(`${a} ** ${b} is no number that is supported`);
}

function repeat(value: PythonValue, times: number): PythonValue {
  const count = Math.max(times, 0);
  if (typeof value === "string") {
    checkLength(value.length * count);
    return value.repeat(count);
  }
  if (!isSequence(value, "list", "tuple"))
    return fail(`a value of the type ${typeOf(value)} cannot be repeated`);
  checkItems(value.items.length * count);
  return sequence(value.type, Array<PythonValue[]>(count).fill(value.items).flat());
}

export function isEqual(left: PythonValue, right: PythonValue): boolean {
  const [one, other] = [defined(left), defined(right)];
  const [a, b] = [numberOf(one), numberOf(other)];
  if (a !== undefined || b !== undefined) return a === b;
  if (isSequence(one, "list", "tuple", "range") && isSequence(other, one.type))
    return (
      one.items.length === other.items.length &&
      one.items.every((item, index) => isEqual(item, other.items[index]!))
    );
  if (isDict(one) && isDict(other))
    return (
      one.entries.size === other.entries.size &&
      Array.from(one.entries).every(([key, entry]) => {
        const there = other.entries.get(key);
        return there !== undefined && isEqual(entry, there);
      })
    );
  return one === other || (isText(one) && isText(other) && str(one) === str(other));
}

function isText(value: PythonValue): boolean {
  return typeof value === "string" || typeOf(value) === "Markup";
}

/** Less than 0, 0, or more, as `left` is to `right`; NaN where neither is less. */
export function compare(operator: string, left: PythonValue, right: PythonValue): number {
  const [one, other] = [defined(left), defined(right)];
  const [a, b] = [numberOf(one), numberOf(other)];
  if (a !== undefined && b !== undefined) return a < b ? -1 : a > b ? 1 : a === b ? 0 : NaN;
  if (isText(one) && isText(other)) return compareText(str(one), str(other));
  if (!isSequence(one, "list", "tuple") || !isSequence(other, one.type))
    return fail(`\`${operator}\` does not compare ${typeOf(one)} and ${typeOf(other)}`);
  const differs = one.items.findIndex(
    (item, index) => index >= other.items.length || !isEqual(item, other.items[index]!),
  );
  if (differs === -1 || differs >= other.items.length) return one.items.length - other.items.length;
  return compare(operator, one.items[differs]!, other.items[differs]!);
}

function isIn(item: PythonValue, container: PythonValue): boolean {
  if (isQuiet(container)) return false;
  const there = defined(container);
  if (isText(there)) {
    return isText(defined(item))
      ? str(there).includes(str(item))
      : fail(`${typeOf(item)} cannot be in a text`);
  }
  if (isDict(there)) {
    const key = defined(item);
    if (isDict(key) || isSequence(key, "list")) return fail(`a ${typeOf(key)} cannot be a key`);
    return typeof key === "string" && there.entries.has(key);
  }
  return iterate(there).some((other) => isEqual(other, item));
}

/** What a loop goes through. */
export function iterate(value: PythonValue): PythonValue[] {
  if (isQuiet(value)) return [];
  const there = defined(value);
  if (typeof there === "string") return charactersOf(there);
  if (isDict(there)) return [...there.entries.keys()];
  if (!isSequence(there)) return fail(`a value of the type ${typeOf(there)} cannot be gone through`);
  return there.type === "iterator" ? there.items.splice(0) : there.items;
}

/** `len(value)`. */
export function length(value: PythonValue): number {
  if (isQuiet(value)) return 0;
  const there = defined(value);
  if (isText(there)) return lengthOf(str(there));
  if (isDict(there)) return there.entries.size;
  return isSequence(there) && there.type !== "iterator"
    ? there.items.length
    : fail(`a value of the type ${typeOf(there)} has no length`);
}

/** `value[index]` of a text or a sequence, which may count from the end; otherwise nothing that is defined. */
export function itemAt(value: PythonValue, index: PythonValue): PythonValue {
  const none = undefinedValue(`${typeOf(value)} object has no element ${repr(index)}`);
  const at = typeof index === "boolean" ? Number(index) : index;
  if (typeof at !== "number") return none;
  if (isSequence(value, "list", "tuple", "range")) return foundOr(value.items.at(at), none);
  if (!isText(value)) return none;
  const [text, size] = [str(value), length(value)];
  const place = at < 0 ? at + size : at;
  return place >= 0 && place < size ? cut(text, place, place + 1) : none;
}

/** `value[start:stop:step]`. */
export function slice(value: PythonValue, bounds: readonly PythonValue[]): PythonValue {
  const there = defined(value);
  if (!isText(there) && !isSequence(there, "list", "tuple", "range"))
    return fail(`a value of the type ${typeOf(there)} cannot be sliced`);
  const [start, stop, step = 1] = bounds.map(bound);
  if (step === 0) fail("the step of a slice cannot be 0");
  const size = length(there);
  const [first, last] = step > 0 ? [0, size] : [-1, size - 1];
  const within = (at: number | undefined, otherwise: number): number =>
    at === undefined ? otherwise : Math.min(Math.max(at < 0 ? at + size : at, first), last);
  const [from, to] = [within(start, step > 0 ? first : last), within(stop, step > 0 ? last : first)];
  if (step === 1 && isText(there)) return cut(str(there), from, to);
  const all = isSequence(there) ? there.items : charactersOf(str(there));
  const items: PythonValue[] = [];
  for (let at = from; step > 0 ? at < to : at > to; at += step) items.push(all[at]!);
  return isSequence(there) ? sequence(there.type, items) : items.map(str).join("");
}

function bound(value: PythonValue): number | undefined {
  const there = defined(value);
  if (there === null) return undefined;
  const whole = typeof there === "boolean" ? Number(there) : there;
  return typeof whole === "number" ? whole : fail("a slice has whole numbers for bounds");
}
