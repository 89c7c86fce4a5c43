// What a template works on: values of Python. Only what is made here can be reached by one; nothing of the host is.

import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What is wrong with a template or an expression, in one line for the person who wrote it. */
export class TemplateError extends Error {}

/** `null` is None; a number is an int, and safe. */
export type PythonValue =
  null | boolean | number | string | Float | Sequence | Dict | Markup | Namespace | Callable | Undefined;

export interface Float {
  readonly kind: "float";
  readonly number: number;
}

/** `type` is what Python calls it; an iterator is empty once it was gone through. */
export interface Sequence {
  readonly kind: "sequence";
  readonly type: "list" | "tuple" | "range" | "dict_keys" | "dict_values" | "dict_items" | "iterator";
  readonly items: PythonValue[];
}

export interface Dict {
  readonly kind: "dict";
  readonly entries: ReadonlyMap<string, PythonValue>;
}

/** Text that `tojson` or `safe` made: Python would escape whatever is added to it. */
export interface Markup {
  readonly kind: "markup";
  readonly text: string;
}

/** A `namespace()`, or the `loop` of a loop. */
export interface Namespace {
  readonly kind: "names";
  readonly type: "Namespace" | "LoopContext";
  readonly names: Map<string, PythonValue>;
}

export interface CallArguments {
  readonly positional: readonly PythonValue[];
  readonly named: ReadonlyMap<string, PythonValue>;
}

export interface Callable {
  readonly kind: "callable";
  readonly name: string;
  call(given: CallArguments): PythonValue;
}

/** Not an error until it is used. */
export interface Undefined {
  readonly kind: "undefined";
  /** Says what is not there. */
  readonly message: string;
  /** Of an `if` without `else`: printed it is an empty text. */
  readonly isQuiet?: boolean;
}

/** Of a text that a template makes, in UTF-16 units: what is longer would be no prompt, and might end the process. */
export const MAX_LENGTH = 4 * 1024 ** 2;
/** Of a sequence that a template makes. */
export const MAX_ITEMS = 1_000_000;

/** Of objects in the thread. */
export const MAX_HEAP_MB = 128;
export const NO_MEMORY = `it needs more than ${MAX_HEAP_MB} MB of memory`;

export function fail(message: string): never {
  throw new TemplateError(message);
}

/** Where the next template begins. */
export function beginSpending(): void {
  unseenBytes = 0;
}

/** Looks at the memory in use where many `bytes` were made since the last time. */
export function spend(bytes: number): void {
  unseenBytes += bytes;
  if (unseenBytes < LOOK_BYTES) return;
  unseenBytes = 0;
  if (!isFull()) return;
  // What was dropped, here or by a template before, may not have been collected yet.
  collect();
  if (isFull()) fail(NO_MEMORY);
}

function isFull(): boolean {
  return getHeapStatistics().used_heap_size > MAX_HEAP_MB * 1024 ** 2;
}

let collector: (() => void) | undefined;

function collect(): void {
  if (!collector) {
    setFlagsFromString("--expose-gc");
    collector = runInNewContext("gc") as () => void;
    setFlagsFromString("--no-expose-gc");
  }
  collector();
}

let unseenBytes = 0;
const LOOK_BYTES = 4 * 1024 ** 2;

/** Before a text of this many units is made. */
export function checkLength(length: number): number {
  if (length > MAX_LENGTH) fail(`it makes a text longer than ${MAX_LENGTH.toLocaleString("en")} characters`);
  spend(length * 2);
  return length;
}

/** Before a sequence of this many items is made. */
export function checkItems(count: number): number {
  if (count > MAX_ITEMS) fail(`it makes a sequence of more than ${MAX_ITEMS.toLocaleString("en")} items`);
  spend(count * 8);
  return count;
}

export function int(number: number): number {
  if (!Number.isSafeInteger(number)) fail("whole numbers beyond 2 ** 53 are not supported");
  return number + 0;
}

export function float(number: number): Float {
  return { kind: "float", number };
}

export function sequence(type: Sequence["type"], items: PythonValue[]): Sequence {
  checkItems(items.length);
  return { kind: "sequence", type, items };
}

/** What was found, also if it is `None`: only nothing at all is another thing. */
export function foundOr(found: PythonValue | undefined, otherwise: PythonValue): PythonValue {
  return found === undefined ? otherwise : found;
}

export function undefinedValue(message: string): Undefined {
  return { kind: "undefined", message };
}

/** What Python calls the type of `value`. */
export function typeOf(value: PythonValue): string {
  if (value === null) return "NoneType";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return "int";
  if (typeof value === "string") return "str";
  if (value.kind === "sequence" || value.kind === "names") return value.type;
  return {
    float: "float",
    dict: "dict",
    markup: "Markup",
    callable: "function",
    undefined: "StrictUndefined",
  }[value.kind];
}

export function isUndefined(value: PythonValue): value is Undefined {
  return typeof value === "object" && value?.kind === "undefined";
}

export function isQuiet(value: PythonValue): boolean {
  return isUndefined(value) && value.isQuiet === true;
}

/** `value`, which has to be there. */
export function defined(value: PythonValue): Exclude<PythonValue, Undefined> {
  return isUndefined(value) ? fail(value.message) : value;
}

/** Of what counts as a number, booleans included; `undefined` of all else. */
export function numberOf(value: PythonValue): number | undefined {
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "number") return value;
  return isFloat(value) ? value.number : undefined;
}

export function isFloat(value: PythonValue): value is Float {
  return typeof value === "object" && value?.kind === "float";
}

export function isSequence(value: PythonValue, ...types: Sequence["type"][]): value is Sequence {
  return (
    typeof value === "object" &&
    value?.kind === "sequence" &&
    (types.length === 0 || types.includes(value.type))
  );
}

export function isDict(value: PythonValue): value is Dict {
  return typeof value === "object" && value?.kind === "dict";
}

/** As Python has it: nothing, zero and what is empty are false. */
export function isTrue(value: PythonValue): boolean {
  if (isQuiet(value)) return false;
  const there = defined(value);
  const number = numberOf(there);
  if (number !== undefined) return number !== 0;
  if (there === null || typeof there === "string") return Boolean(there);
  if (isDict(there)) return there.entries.size > 0;
  if (typeof there === "object" && there.kind === "markup") return there.text !== "";
  return isSequence(there) && there.type !== "iterator" ? there.items.length > 0 : true;
}

/**
 * What a program gave, as a value of Python.
 *
 * @param given of what structured cloning leaves: a whole number is an int, a boxed one (`Object(3)`) a float
 */
export function pythonValue(given: unknown): PythonValue {
  if (given === null || typeof given === "boolean" || typeof given === "string") return given;
  if (typeof given === "number") return Number.isSafeInteger(given) ? given + 0 : float(given);
  if (given instanceof Number) return float(Number(given));
  if (Array.isArray(given)) return sequence("list", given.map(pythonValue));
  if (typeof given === "object" && Object.getPrototypeOf(given) === Object.prototype)
    return { kind: "dict", entries: pythonNames(given) };
  return fail(`a value of the kind ${Object.prototype.toString.call(given)} is not supported`);
}

/** By name; what is `undefined` was not given. */
export function pythonNames(given: object): Map<string, PythonValue> {
  const there = Object.entries(given).filter(([, value]) => value !== undefined);
  return new Map(there.map(([name, value]) => [name, pythonValue(value)]));
}
