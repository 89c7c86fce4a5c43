// What a CLAUDE.md has read along with it: `@docs/style.md`, wherever it stands outside of code.

import { dirname, join, normalize } from "node:path/posix";

/** Anything else that is named so is only a mention. */
const TEXT = /\.(?:md|mdc|markdown|txt)$/i;
const FENCE = /^\s*(?:```|~~~)/;

/** The paths of texts that `text` names, as they stand there. */
export function importsIn(text: string): readonly string[] {
  const named = new Set<string>();
  let isCode = false;
  for (const line of text.split("\n")) {
    if (FENCE.test(line)) isCode = !isCode;
    else if (!isCode) for (const path of pathsIn(line.replace(/`[^`]*`/g, "``"))) named.add(path);
  }
  return [...named];
}

function pathsIn(line: string): readonly string[] {
  // So long that the rest of a longer one is no path of its own.
  return [...line.matchAll(/(?:^|[\s(])@((?:\\ |[^\s\\`#]){1,1000})(?![^\s\\`#])/g)]
    .map(([, path = ""]) => path.replaceAll("\\ ", " ").replace(/[.,;:!?)\]}'"]+$/, ""))
    .filter((path) => TEXT.test(path));
}

/** What `path` means in the file `from`, relative to the project; `undefined`: something outside of it. */
export function importedBy(from: string, path: string): string | undefined {
  if (/^[~/\\]|^[a-z]:/i.test(path)) return undefined;
  const way = normalize(join(dirname(from), path));
  return way.startsWith("../") ? undefined : way;
}
