// Parameters that a server wants told in a header of HTTP as well: `"x-mcp-header": "Region"` in the schema of a parameter.

const KEYWORD = "x-mcp-header";
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const TYPES: readonly unknown[] = ["string", "integer", "boolean"];
/** What stands there is a value, and no schema. */
const VALUES = new Set(["default", "const", "enum", "examples"]);
const MAX_DEPTH = 64;

/** Can all be told so? A tool of which that is not true is none over HTTP: the protocol says so. */
export function canTellInHeaders(schema: unknown): boolean {
  return declares({ schema, isParameter: false, depth: 0 }, new Set());
}

interface Part {
  readonly schema: unknown;
  /** Is there one way to it, by names of parameters alone? */
  readonly isParameter: boolean;
  readonly depth: number;
}

function declares({ schema, isParameter, depth }: Part, told: Set<string>): boolean {
  if (typeof schema !== "object" || schema === null) return true;
  if (depth > MAX_DEPTH) return false;
  if (Object.hasOwn(schema, KEYWORD) && !(isParameter && isGood(schema, told))) return false;
  const isReached = isParameter || depth === 0;
  return Object.entries(schema).every(([key, value]) => {
    if (VALUES.has(key) || typeof value !== "object" || value === null) return true;
    if (key !== "properties" || !isReached)
      return declares({ schema: value, isParameter: false, depth: depth + 1 }, told);
    return Object.values(value).every((inner) =>
      declares({ schema: inner, isParameter: true, depth: depth + 1 }, told),
    );
  });
}

/** Adds to `told`, which holds names in lower case. */
function isGood(
  schema: { readonly [KEYWORD]?: unknown; readonly type?: unknown },
  told: Set<string>,
): boolean {
  const header = schema[KEYWORD];
  if (typeof header !== "string" || !TOKEN.test(header) || !TYPES.includes(schema.type)) return false;
  const isNew = !told.has(header.toLowerCase());
  told.add(header.toLowerCase());
  return isNew;
}
