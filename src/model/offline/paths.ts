// Paths in texts. A plain one stands as it is; any other as a JSON string, so that no name can look like anything but
// a name: no line breaks, no marks, nothing invisible.

import { unquoted } from "../../base/text/json.ts";

/** Matches one written path: the source of a regular expression without groups. */
export const PATH = String.raw`(?:"(?:[^"\\\n]|\\.)*"|[^\s":;,]+)`;

const PLAIN = /^[\p{L}\p{N}\p{M}_./@+~=()-]+$/u;
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}`<]/gu;

export function writePath(path: string): string {
  return PLAIN.test(path) ? path : quotePath(path);
}

/** Always as a JSON string: for the middle of a sentence. */
export function quotePath(path: string): string {
  return JSON.stringify(path).replace(HIDDEN, (hidden) =>
    hidden.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}

/** What `writePath` or `quotePath` wrote; any other text stands for itself. */
export const readPath = unquoted;

/** The path of `name` in the folder `dir`, as actions take it. */
export function joinPath(dir: string, name: string): string {
  const path = name.endsWith("/") ? name.slice(0, -1) : name;
  return dir === "." ? path : `${dir === "/" ? "" : dir}/${path}`;
}
