// What is kept for `legion undo` of one agent, or of Control, as far as it is old: an agent that goes on keeps what it needs.

import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readJson } from "../../../base/text/json.ts";
import { keptName } from "../../../past/undo/kept.ts";
import { keptCallSchema } from "../../../past/undo/version.ts";
import type { Prunable } from "./prunable.ts";

type Aged = Pick<Prunable, "usedMs" | "mark" | "bytes" | "parts">;

/**
 * The files of calls that were kept before `beforeMs`, and the bytes that no later one needs; all of it where nothing came later, or
 * nothing is that old. @param path real
 */
export function agedIn(path: string, beforeMs: number): Aged {
  const files = readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const { mtimeMs, size } = lstatSync(join(path, entry.name));
    return entry.isFile() ? [{ name: entry.name, usedMs: Math.floor(mtimeMs), size }] : [];
  });
  const isOld = ({ usedMs }: { readonly usedMs: number }): boolean => usedMs <= beforeMs;
  const later = files.filter((file) => file.name.endsWith(".json") && !isOld(file));
  const needed = new Set(later.flatMap(({ name }) => namesIn(join(path, name))));
  const parts = files.filter((file) => isOld(file) && !needed.has(file.name));
  const gone = parts.length > 0 && later.length > 0 ? parts : files;
  const usedMs = Math.max(
    Math.floor(gone === files ? lstatSync(path).mtimeMs : 0),
    ...gone.map((file) => file.usedMs),
  );
  const bytes = gone.reduce((sum, { size }) => sum + size, 0);
  return {
    usedMs,
    bytes,
    mark: `${gone.length} ${usedMs}`,
    ...(gone === parts && { parts: parts.map(({ name }) => name) }),
  };
}

/** The bytes that a call has kept. Of one that cannot be read nothing is known, and nothing can be taken back. */
function namesIn(path: string): readonly string[] {
  const { data } = keptCallSchema.safeParse(readJson(readFileSync(path, "utf8")));
  return (data?.edits ?? []).flatMap(({ before }) => (before.kind === "file" ? [keptName(before)] : []));
}
