// The schema of a tool's parameters as a server gives it -> one that can be shown, and checked by, without harm.

import type { ParametersSchema } from "../../../src/domain/authoring/module.ts";
import { cleanLine } from "./text.ts";

const MAX_JSON = 16_384;
const MAX_DEPTH = 24;
const MAX_TEXT = 1_000;
const ANY_OBJECT: ParametersSchema = { type: "object" };

type Json = Readonly<Record<string, unknown>>;
type Clean = (value: unknown, depth: number) => unknown;

/**
 * Without what nobody needs to choose values by, and without expressions: they would run on our thread. What such an expression
 * asks for is told. Any object for what is malformed, too deep or too long.
 */
export function cleanSchema(given: unknown): ParametersSchema {
  try {
    const schema = schemaOf(given, 0);
    if (!isMap(schema) || schema["type"] !== "object") return ANY_OBJECT;
    const clean: ParametersSchema = { ...schema, type: "object" };
    return JSON.stringify(clean).length <= MAX_JSON ? clean : ANY_OBJECT;
  } catch (error) {
    if (error instanceof Malformed) return ANY_OBJECT;
    throw error;
  }
}

class Malformed extends Error {}

const asIs: Clean = (value) => {
  if (typeof value === "object" && value !== null) throw new Malformed();
  return typeof value === "string" ? cleanLine(value, MAX_TEXT) : value;
};
/** A value that is compared: to change it would change what is meant. */
const constant: Clean = (value, depth) => {
  if (asIs(value, depth) !== value) throw new Malformed();
  return value;
};
const listOf =
  (clean: Clean): Clean =>
  (value, depth) => {
    if (!Array.isArray(value)) throw new Malformed();
    return value.map((item) => clean(item, depth));
  };
const mapOf =
  (clean: Clean): Clean =>
  (value, depth) => {
    if (!isMap(value)) throw new Malformed();
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        if (cleanLine(key, 128) !== key) throw new Malformed();
        return [key, clean(inner, depth)];
      }),
    );
  };
const schemaOf: Clean = (value, depth) => {
  if (value === true) return {};
  if (value === false) return value;
  if (!isMap(value) || depth > MAX_DEPTH) throw new Malformed();
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    // Lists and maps, too, are what the server takes where nothing is said: nobody has to be shown them.
    if (key === "default" && typeof inner === "object") return [];
    const clean = KEYWORDS.get(key);
    return clean ? [[key, clean(inner, depth + 1)]] : [];
  });
  const schema = Object.fromEntries(entries);
  const pattern = value["pattern"];
  if (typeof pattern !== "string") return schema;
  const described = [schema["description"], `It has to fit ${pattern}`].filter(Boolean).join(" ");
  return { ...schema, description: cleanLine(described, MAX_TEXT) };
};
const reference: Clean = (value) => {
  if (typeof value !== "string" || !/^#(?:\/[\w$.-]+)*$/.test(value)) throw new Malformed();
  return value;
};
const types: Clean = (value, depth) =>
  Array.isArray(value) ? listOf(asIs)(value, depth) : asIs(value, depth);
const items: Clean = (value, depth) =>
  Array.isArray(value) ? listOf(schemaOf)(value, depth) : schemaOf(value, depth);

const KEYWORDS: ReadonlyMap<string, Clean> = new Map([
  ...["title", "description", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].map(
    plain,
  ),
  ...["multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "nullable"].map(plain),
  ...["minProperties", "maxProperties"].map(plain),
  // Read by who calls: see param-headers.ts.
  ["x-mcp-header", asIs],
  ["type", types],
  ["default", constant],
  ["const", constant],
  ["enum", listOf(constant)],
  ["required", listOf(asIs)],
  ["properties", mapOf(schemaOf)],
  ["additionalProperties", schemaOf],
  ["items", items],
  ["prefixItems", listOf(schemaOf)],
  ["anyOf", listOf(schemaOf)],
  ["oneOf", listOf(schemaOf)],
  ["allOf", listOf(schemaOf)],
  ["$defs", mapOf(schemaOf)],
  ["definitions", mapOf(schemaOf)],
  ["$ref", reference],
]);

function plain(key: string): [string, Clean] {
  return [key, asIs];
}

function isMap(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
