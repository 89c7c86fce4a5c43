// What git leaves out of a folder, by the `.gitignore` files from the top of the workspace down to it.
// Read are neither `.git/info/exclude` nor what a person set up for all projects; what git keeps in spite of a rule is
// taken for ignored.

import type { Host } from "../../../src/domain/authoring/host.ts";
import { openFile, withEntry, type Errand } from "../confine/confine.ts";
import { codeOf, Refusal } from "../refusal.ts";
import { MAX_BYTES, readRules, type Rules } from "./rules.ts";

const READ: Errand = { access: "read", lastLink: "keep", missingFolders: "refuse" };

/** Of the one folder at `names`; empty if it has none, or none that can be read. */
export async function rulesIn(host: Host, names: readonly string[]): Promise<Rules> {
  try {
    const text = await withEntry(host, [...names, ".gitignore"].join("/"), READ, async (at) => {
      const { file, size } = await openFile(at, "read");
      try {
        return size > MAX_BYTES ? "" : await file.readFile("utf8");
      } finally {
        await file.close();
      }
    });
    return { folder: names, lines: readRules(text) };
  } catch (error) {
    if (!(error instanceof Refusal) && codeOf(error) === undefined) throw error;
    return { folder: names, lines: [] };
  }
}

/** Of the top of the workspace, and of each folder down to the one at `names`. */
export function rulesDownTo(host: Host, names: readonly string[]): Promise<readonly Rules[]> {
  return Promise.all([...names.keys(), names.length].map((depth) => rulesIn(host, names.slice(0, depth))));
}
