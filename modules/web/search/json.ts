/** What stands at `path` in something that JSON gave; `undefined` where there is no such place. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[key];
  }
  return found;
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] | undefined {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : undefined;
}

/** "" where there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === "string" ? found : "";
}
