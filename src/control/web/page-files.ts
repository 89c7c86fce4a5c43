// The files of the page, as they were built: read once, served from memory, under these names and no others.

import { readFile } from "node:fs/promises";
import { LegionError } from "../../base/errors.ts";
import { packageDir } from "../../base/package.ts";

export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
}

const FILES: readonly (readonly [path: string, name: string, type: string])[] = [
  ["/", "index.html", "text/html; charset=utf-8"],
  ["/page.js", "page.js", "text/javascript; charset=utf-8"],
  ["/layout.js", "layout.js", "text/javascript; charset=utf-8"],
  ["/page.css", "page.css", "text/css; charset=utf-8"],
];

/** Rejects with REFUSED where the package was not built. */
export async function readPageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  try {
    const read = FILES.map(async ([path, name, type]) => {
      const body = await readFile(`${packageDir}dist/page/${name}`);
      return [path, { type, body }] as const;
    });
    return new Map(await Promise.all(read));
  } catch (error) {
    throw new LegionError("REFUSED", "the page was not built; `npm run build` builds it", { cause: error });
  }
}

/** On everything that is answered: nothing is loaded from elsewhere, nothing runs that is not a file of ours, nobody frames it. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; worker-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types legion-layout",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};
