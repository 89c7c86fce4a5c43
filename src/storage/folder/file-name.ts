// A file name for any title, safe on every file system, told apart from all others, and readable where it can be.

import { createHash } from "node:crypto";

const MAX_NAME_BYTES = 200;
/** What no file system, or not every one, takes in a name; `%` because it begins a code. */
const UNSAFE = /[\\/:*?"<>|%\p{Cc}\p{Cs}]/u;
const DEVICE_NAME = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Percent-encoded where a file system needs it, cut at 200 bytes plus a hash. */
export function fileNameOf(title: string): string {
  if (title === "") return markedNameOf(title);
  const encoded = [...title].map((char) => (UNSAFE.test(char) ? percent(char) : char)).join("");
  const name = encoded.replace(/^\.+/, encodeDots).replace(/\.+$/, encodeDots).replace(/ $/, "%20");
  const safe = DEVICE_NAME.test(name) ? `${percent(name[0]!)}${name.slice(1)}` : name;
  if (Buffer.byteLength(safe) <= MAX_NAME_BYTES) return safe;
  const start = Buffer.from(safe).subarray(0, MAX_NAME_BYTES).toString("utf8");
  return mark(start.replace(/(\uFFFD|%[0-9A-F]?)$/, ""), title);
}

/** The name of a title that would otherwise share its file with another one. */
export function markedNameOf(title: string): string {
  return mark(title === "" ? "" : fileNameOf(title), title);
}

/** Two names that are equal after this may be one file: many disks do not tell case apart. */
export function foldName(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** The title that a person meant by a file of their own. */
export function titleOf(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** A `%` that begins no code: no title encodes to such a name. */
function mark(name: string, title: string): string {
  return `${name}%-${createHash("sha256").update(title).digest("hex").slice(0, 8)}`;
}

function encodeDots(dots: string): string {
  return dots.replaceAll(".", "%2E");
}

function percent(char: string): string {
  return [...Buffer.from(char)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}
