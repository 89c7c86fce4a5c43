// Where in a user's own code something went wrong: the file, the line, and the lines around it.

import { spawn } from "node:child_process";
import { dirname, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { packageDir } from "../package.ts";
import { readTextFile, shownPath } from "../files/project-file.ts";

export interface CodePlace {
  /** Absolute path. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
}

const FRAME = /(?:^|[\s(])((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/])[^\n()]*?):(\d+)(?::\d+)?\)?$/;

/** The first frame of the stack that is neither ours, nor a library's, nor Node's; it lies in `root`. */
export function ownFrame(error: unknown, root: string): CodePlace | undefined {
  const stack = error instanceof Error ? String(error.stack) : "";
  for (const line of stack.split("\n").filter((text) => text.startsWith("    at "))) {
    const place = placeIn(line);
    if (place && isOwn(place.path, root)) return place;
  }
  return undefined;
}

function placeIn(text: string): CodePlace | undefined {
  const [, where, line] = FRAME.exec(text) ?? [];
  if (where === undefined) return undefined;
  return { path: where.startsWith("file:") ? pathOf(where) : where, line: Number(line) };
}

function pathOf(url: string): string {
  try {
    return fileURLToPath(new URL(url));
  } catch {
    return url;
  }
}

function isOwn(path: string, root: string): boolean {
  if (path.includes(`${sep}node_modules${sep}`) || !path.startsWith(root + sep)) return false;
  return !["src", "modules", "dist"].some((folder) => path.startsWith(packageDir + folder + sep));
}

/** Of what came of importing `file`: where it went wrong; `undefined` if that cannot be told. Nothing of it runs. */
export async function placeOfFault(
  error: unknown,
  file: string,
  root: string,
): Promise<CodePlace | undefined> {
  if (!(error instanceof SyntaxError)) return ownFrame(error, root);
  const [head = ""] = String(error.stack).split("\n");
  return placeIn(head) ?? findSyntaxError(file, root);
}

/** Each is a process of its own. */
const MAX_CHECKED = 30;
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*["'](\.{1,2}\/[^"'\n]+\.m?js)["']/g;

/** Node does not tell a program where a file of its own is broken: the file, and what it imports, are checked one by one. */
async function findSyntaxError(file: string, root: string): Promise<CodePlace | undefined> {
  const files = new Set([file]);
  for (const path of files) {
    if (files.size > MAX_CHECKED || !/\.m?js$/.test(path)) continue;
    const text = await readTextFile(path, path).catch(() => undefined);
    if (text === undefined) continue;
    const line = await lineOfSyntaxError(text);
    if (line !== undefined) return { path, line };
    for (const [, specifier] of text.matchAll(IMPORT)) {
      const next = resolve(dirname(path), specifier!);
      if (isOwn(next, root)) files.add(next);
    }
  }
  return undefined;
}

const CHECK_MS = 10_000;

/** Has Node read `text` as a module without running it. */
function lineOfSyntaxError(text: string): Promise<number | undefined> {
  return new Promise((done) => {
    const child = spawn(process.execPath, ["--check", "--input-type=module", "-"], {
      env: {},
      stdio: ["pipe", "ignore", "pipe"],
      timeout: CHECK_MS,
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
    child.on("error", () => done(undefined));
    child.on("close", () => {
      const line = /^\[stdin\]:(\d+)$/m.exec(said)?.[1];
      done(line === undefined ? undefined : Number(line));
    });
    // One that does not start reads nothing.
    child.stdin.on("error", () => undefined).end(text);
  });
}

/** `weather.mjs:12`, relative to `root`. */
export function showPlace({ path, line }: CodePlace, root: string): string {
  return `${shownPath(root, path)}:${line}`;
}

const LINES_AROUND = 2;
const MAX_COLUMNS = 100;

/** The lines around `place` with their numbers, the one meant with a mark; `undefined` if the file cannot be read. */
export async function excerptAt({ path, line }: CodePlace): Promise<string | undefined> {
  const text = await readTextFile(path, path).catch(() => undefined);
  const lines = text?.split(/\r?\n/) ?? [];
  if (line < 1 || line > lines.length) return undefined;
  const first = Math.max(1, line - LINES_AROUND);
  const last = Math.min(lines.length, line + LINES_AROUND);
  return lines
    .slice(first - 1, last)
    .map((content, index) => {
      const number = first + index;
      const mark = number === line ? ">" : " ";
      const shown = content
        .replaceAll("\t", "  ")
        .replace(/[\p{Cc}\p{Cf}]/gu, "?")
        .slice(0, MAX_COLUMNS);
      return `${mark} ${String(number).padStart(String(last).length)} | ${shown}`.trimEnd();
    })
    .join("\n");
}
