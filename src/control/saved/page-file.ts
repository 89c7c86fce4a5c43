// The page with a record in it, as one file: it asks nobody for anything, and nothing in it runs but the program of the page.

import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { LegionError } from "../../base/errors.ts";
import type { Redactor } from "../../base/redaction/redactor.ts";
import { readPageFiles } from "../web/page-files.ts";
import type { SavedLine } from "./record.ts";

/** Of the whole file, in bytes: beyond, browsers take long to open it. */
export const MOST_BYTES = 50 * 1024 * 1024;

interface FileWish {
  /** Secrets that are known now may be in what was written before. */
  readonly redactor: Pick<Redactor, "value">;
  readonly mostBytes?: number;
}

/**
 * Its pieces, in order. Nothing is given before all of it is known to fit; until then it is held as small as it gets. Rejects with
 * REFUSED where it does not fit, and where the page was not built.
 */
export async function savePage(
  lines: AsyncIterable<SavedLine>,
  { redactor, mostBytes = MOST_BYTES }: FileWish,
): Promise<readonly string[]> {
  const [before, after] = await shellOf();
  const pieces = [before];
  let bytes = Buffer.byteLength(before) + Buffer.byteLength(after);
  let rest = Buffer.alloc(0);
  const packed = compose(texts(lines, redactor));
  for await (const chunk of packed) {
    const all = Buffer.concat([rest, chunk]);
    // Three bytes are four letters: only the last piece may end otherwise.
    const whole = all.length - (all.length % 3);
    const piece = all.toString("base64", 0, whole);
    rest = all.subarray(whole);
    pieces.push(piece);
    bytes += piece.length;
    if (bytes + 4 > mostBytes) throw tooLarge(mostBytes);
  }
  return [...pieces, rest.toString("base64"), after];
}

/** An error on either side ends it. */
function compose(all: AsyncIterable<string>): AsyncIterable<Buffer> {
  const packing = createGzip();
  pipeline(Readable.from(all), packing).catch(() => undefined);
  return packing;
}

function tooLarge(mostBytes: number): LegionError {
  const most = `${Math.round(mostBytes / 1024 / 1024)} MB`;
  return new LegionError(
    "REFUSED",
    `the page would be larger than ${most}: choose less with --agent, --since or --root`,
  );
}

async function* texts(
  lines: AsyncIterable<SavedLine>,
  { value }: FileWish["redactor"],
): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(value(line))}\n`;
}

/** What stands before and after the record. */
async function shellOf(): Promise<readonly [string, string]> {
  const files = await readPageFiles();
  const read = (path: string): string => files.get(path)!.body.toString("utf8");
  const [page, style] = [read("/"), read("/page.css")];
  // A page from disk starts no worker: what one would do is a script of it.
  const scripts = [read("/layout.js"), read("/page.js")];
  const policy = [
    "default-src 'none'",
    `script-src ${scripts.map(hashOf).join(" ")}`,
    `style-src ${hashOf(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  const meta = '<meta charset="utf-8" />';
  const shell = replaced(page, [
    [meta, `${meta}\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`],
    ['<link rel="stylesheet" href="/page.css" />', `<style>${style}</style>`],
    ['<script src="/page.js" defer></script>', ""],
    [
      "</body>",
      `<script id="record" type="application/octet-stream">\0</script>\n${scripts.map((one) => `<script>${one}</script>`).join("\n")}\n</body>`,
    ],
  ]);
  const [before, after, ...others] = shell.split("\0");
  if (before === undefined || after === undefined || others.length > 0)
    throw new Error("the page holds a character that no page holds");
  return [before, after];
}

function hashOf(text: string): string {
  if (/<\/(script|style)|<!--/i.test(text))
    throw new Error("what the page is made of would end its own element");
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

function replaced(page: string, changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the page has no ${from}`);
    return text.replace(from, () => to);
  }, page);
}
