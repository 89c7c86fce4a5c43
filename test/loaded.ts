// What a program of dist/ has loaded: the code of many modules may lie in one file, and each says where its own begins.

import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Loaded {
  /** Files of dist/ and of packages, as Node read them. */
  readonly files: readonly string[];
  /** Whose code is in them, such as `src/agent/actor.ts`. */
  readonly modules: readonly string[];
  readonly packages: readonly string[];
}

const BEGINS = /^\/\/ ((?:src|modules|node_modules)\/\S+)$/gm;
const PACKAGE = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/;

/** Of every process that ran with `NODE_V8_COVERAGE=<folder>`, and no other. */
export async function loadedIn(folder: string): Promise<Loaded> {
  const files = new Set<string>();
  for (const name of await readdir(folder)) {
    const { result } = JSON.parse(await readFile(join(folder, name), "utf8")) as {
      result: { url: string }[];
    };
    for (const { url } of result)
      if (/^file:.*\/(?:dist|node_modules)\//.test(url)) files.add(fileURLToPath(url));
  }
  const inside = await Promise.all([...files].map(async (path) => whatBegins(await readFile(path, "utf8"))));
  const places = [...files, ...inside.flat()];
  return {
    files: [...files],
    modules: inside.flat().filter((place) => !PACKAGE.test(place)),
    packages: [...new Set(places.flatMap((place) => PACKAGE.exec(place)?.[1] ?? []))],
  };
}

function whatBegins(text: string): readonly string[] {
  return Array.from(text.matchAll(BEGINS), ([, place = ""]) => place);
}
