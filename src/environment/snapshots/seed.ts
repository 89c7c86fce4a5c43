// A new folder begins with the index of the project, so that git need not read every file. What that index says of a file may be what a
// filter made of it, or what somebody told git not to look at: of such files nothing is taken over.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isProtected } from "../../domain/authoring/protected.ts";

/** @see the option --debug of git ls-files; `flags`: of cache.h of git */
const LISTED =
  /(?<mode>\d{6}) [0-9a-f]{40} \d\t(?<path>[^\0]*)\0 {2}ctime: .*\n {2}mtime: .*\n {2}dev: .*\n {2}uid: .*\n {2}size: (?<size>\d+)\tflags: (?<flags>[0-9a-f]+)\n/gy;
/** Assumed to be unchanged, in conflict, to be added, not checked out. */
const DOUBTFUL_FLAGS = 0x8000 | 0x3000 | 0x20000000 | 0x40000000;
const PLAIN = new Set(["unspecified", "unset"]);

/** Says which entries the next look forgets. All of them are in Latin 1, so that no byte of a name changes. */
export async function judgeSeed(path: string): Promise<void> {
  const [listed, sizes, attributes] = await Promise.all(
    ["listed", "sizes", "attributes"].map((name) => readFile(join(path, name), "latin1")),
  );
  const converted = convertedIn(attributes!);
  const stored = sizes!.split("\n");
  let index = 0;
  const doubtful: string[] = [];
  for (const { groups } of listed!.matchAll(LISTED)) {
    const { path: name, size, flags } = groups as Record<"path" | "size" | "flags", string>;
    const isAsRead = stored[index++] === size && !converted.has(name);
    const isPlain = (Number.parseInt(flags, 16) & DOUBTFUL_FLAGS) === 0;
    if (!isAsRead || !isPlain || isProtected(name.split("/"))) doubtful.push(`${name}\0`);
  }
  await writeFile(join(path, "doubtful"), doubtful.join(""), "latin1");
}

/** Paths of which git may have recorded other bytes than are there. */
function convertedIn(attributes: string): ReadonlySet<string> {
  const words = attributes.split("\0");
  const paths = new Set<string>();
  for (let at = 0; at + 2 < words.length; at += 3) if (!PLAIN.has(words[at + 2]!)) paths.add(words[at]!);
  return paths;
}
