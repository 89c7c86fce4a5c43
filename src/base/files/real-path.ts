import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../errors.ts";

/** Where `path` (absolute) leads, without links; of what is missing the names stand behind what is there. */
export async function realPathOf(path: string): Promise<string> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(await realpath(at), ...missing);
    } catch (error) {
      if (!GONE.includes(codeOf(error)) || at === dirname(at)) return path;
      missing.unshift(basename(at));
    }
  }
}

/** ENOTDIR: a file stands where a folder is named. */
const GONE = ["ENOENT", "ENOTDIR"];
