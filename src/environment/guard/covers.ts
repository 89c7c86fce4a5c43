// How git gets along with files that it tracks and that are hidden from it: one that is as long stands in the place of each,
// and what git would record of that is what it has already.

import { existsSync, lstatSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { namesLike } from "../../domain/authoring/protected.ts";
import { SECRET_FILES } from "../../domain/authoring/protected-names.ts";

const NAMES = [...SECRET_FILES, "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*"].filter(
  (name) => name !== ".git" && name !== "node_modules",
);
const isKnownToGit = namesLike(NAMES);
/** What is longer is no key. */
const MAX_BYTES = 64 * 1024;

/** Settings of the whole system: what is hidden is not added, and what is tracked of it is not changed. */
export function gitSettings(): Readonly<
  Record<"gitconfig" | "gitignore" | "gitattributes", readonly string[]>
> {
  return {
    gitconfig: [
      ...["[core]", "\texcludesFile = /etc/gitignore"],
      ...['[filter "hidden"]', "\tclean = git cat-file blob :%f", "\trequired"],
    ],
    gitignore: NAMES.map((name) => `**/${name}`),
    gitattributes: [...NAMES, ".ai-legion/**"].map((name) => `**/${name} filter=hidden`),
  };
}

export interface Covered {
  readonly path: string;
  /** On the way from the workspace to it. */
  readonly names: readonly string[];
}

/** A file of `folder` that can stand in the place of this one, made of empty lines. What git does not know by its name it would record: then none that it takes. */
export function coverOf({ path, names }: Covered, folder: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile() || stat.size > MAX_BYTES || !isKnownToGit(names)) return "/dev/null";
  const isProgram = (stat.mode & 0o100) !== 0;
  const cover = join(folder, `${stat.size}${isProgram ? "x" : ""}`);
  if (!existsSync(cover)) writeFileSync(cover, "\n".repeat(stat.size), { mode: isProgram ? 0o555 : 0o444 });
  return cover;
}
