import { sep } from "node:path";
import { FILES_THAT_RUN, SECRET_FILES } from "./protected-names.ts";

/** `id_rsa.old`, `id_work`, `id_work.pub`; not `id_map.py`. */
const SSH_KEY = /^id_(?:rsa|dsa|ecdsa|ed25519|[^.]*$|[^.]*\.pub$)/;

const isSecret = namesLike(SECRET_FILES);
const runsByItself = namesLike(FILES_THAT_RUN);

/** Of the top of the workspace: what agents are, and so what code the next start runs. */
const DEFINITIONS = "agents";

/** True if one of `names`, the parts of a path inside the workspace, is off-limits for reading and writing. */
export function isProtected(names: readonly string[]): boolean {
  const folded = names.map(fold);
  return isSecret(folded) || folded.some((name) => SSH_KEY.test(name));
}

/**
 * True if what lies at `names` may be read but not changed: definitions, each of `protectedPaths` with what is in it, and
 * what other programs run by themselves. The next start runs the former, also where commands are refused.
 */
export function isReadOnly(names: readonly string[], protectedPaths: readonly string[]): boolean {
  return runsByItself(names.map(fold)) || liesIn(names, [DEFINITIONS, ...protectedPaths]);
}

/** True if `names` is one of `paths`, or lies in it. */
export function liesIn(names: readonly string[], paths: readonly string[]): boolean {
  return paths.some((path) => beginsWith(names.map(fold), path.split(sep).map(fold)));
}

/** True if something that may not be changed lies in the folder at `names`, and would go with it. */
export function holdsReadOnly(names: readonly string[], protectedPaths: readonly string[]): boolean {
  return [DEFINITIONS, ...protectedPaths].some((path) =>
    beginsWith(path.split(sep).map(fold), names.map(fold)),
  );
}

/** True for a path of which some names that follow each other fit one of `patterns`. */
export function namesLike(patterns: readonly string[]): (names: readonly string[]) => boolean {
  const split = patterns.map((pattern) => pattern.split("/").map(expressionOf));
  const single = new RegExp(`^(?:${split.flatMap((parts) => (parts.length === 1 ? parts : [])).join("|")})$`);
  const several = split
    .filter((parts) => parts.length > 1)
    .map((parts) => parts.map((part) => new RegExp(`^${part}$`)));
  return (names) =>
    names.some((name, at) => {
      const fits = (part: RegExp, index: number) => part.test(names[at + index] ?? "");
      return single.test(name) || several.some((parts) => parts.every(fits));
    });
}

function expressionOf(pattern: string): string {
  return pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
}

function beginsWith(names: readonly string[], start: readonly string[]): boolean {
  return start.every((name, index) => names[index] === name);
}

/**
 * One spelling for all names that some file system takes for the same: macOS ignores case, composition and invisible
 * characters, Windows ignores case, trailing dots and spaces and what follows a colon.
 */
export function fold(name: string): string {
  const visible = name.normalize("NFKC").replace(/[\p{Cc}\p{Cf}]/gu, "");
  const [stem = ""] = visible.split(":");
  let end = stem.length;
  while (end > 0 && (stem[end - 1] === "." || stem[end - 1] === " ")) end--;
  return stem.slice(0, end).toLowerCase();
}
