// The search by ripgrep, a program of this machine. It is told everything that it does, nothing is left to settings of a
// person or to files beside `.gitignore` (before its version 14 a `.rgignore` counts all the same). It says only where
// something is, never what: whatever it was led to by somebody who swaps folders while it runs is not shown.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import type { Readable } from "node:stream";
import type { NodeHost } from "../../../src/domain/authoring/host.ts";
import { printableLine } from "../text.ts";
import { fitting, namesOf } from "./glob.ts";
import { literal } from "./rules.ts";
import {
  MACHINERY,
  MAX_FILE_BYTES,
  MAX_IN_FILE,
  type Engine,
  type Looking,
  type Place,
  type Search,
} from "./search.ts";

const MAX_SAID = 2_000;

/** The program on `path`; never one that lies in the workspace, by whatever links, or that a project's packages brought. */
export function findRipgrep(path: string | undefined, root: string): string | undefined {
  return (path ?? "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !/[\\/]node_modules[\\/]/.test(folder))
    .map((folder) => join(folder, "rg"))
    .find((file) => isProgram(file, root));
}

function isProgram(file: string, root: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    const isOutside = [file, realpathSync(file)].every((at) => !at.startsWith(`${root}/`));
    return isOutside && statSync(file).isFile();
  } catch {
    return false;
  }
}

export function ripgrep(program: string, node: Pick<NodeHost, "environment" | "scratch">): Engine {
  return async (search, looking) => {
    const rules = search.rules.length === 0 ? undefined : join(node.scratch, `rules-${randomUUID()}`);
    if (rules === undefined) return run({ program, args: argsFor(search), node }, search, looking);
    await mkdir(node.scratch, { recursive: true });
    await writeFile(rules, search.rules.map((rule) => `${rule}\n`).join(""), { flag: "wx", mode: 0o600 });
    try {
      const args = [`--ignore-file=${rules}`, ...argsFor(search)];
      return await run({ program, args, node }, search, looking);
    } finally {
      await rm(rules, { force: true });
    }
  };
}

interface Order {
  readonly program: string;
  readonly args: readonly string[];
  /** Its environment is all that the program has. */
  readonly node: Pick<NodeHost, "environment">;
}

async function run({ program, args, node }: Order, search: Search, looking: Looking) {
  const { signal } = looking;
  if (signal.aborted) return undefined;
  const child = spawn(program, args, {
    cwd: search.root,
    env: node.environment,
    stdio: ["ignore", "pipe", "pipe"],
    signal,
    killSignal: "SIGKILL",
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("close", resolve);
    child.once("error", (error) => (signal.aborted ? undefined : reject(error)));
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(0, MAX_SAID)));
  const [code] = await Promise.all([ended, readOutput(child.stdout, search, looking)]);
  // Without a word: there were files that it could not open.
  const lines = said.split("\n").filter((line) => line.trim() !== "");
  const problem = lines.find((line) => line.startsWith("error")) ?? lines.at(-1);
  return code === 2 && problem !== undefined ? `ripgrep says: ${printableLine(problem.trim())}` : undefined;
}

function argsFor({ folder, file, globs, pattern }: Search): readonly string[] {
  // A glob that takes in would take in what is ignored, too; a type only says of what is left which files count.
  const names = file === undefined ? namesOf(globs) : undefined;
  const types = names?.map((name) => `--type-add=wanted:${name}`) ?? [];
  const chosen =
    file === undefined
      ? MACHINERY.map((name) => `!${name}`)
      : [`/${[...folder, file].map(literal).join("/")}`];
  return [
    ...["--no-config", "--no-messages", "--color=never", "--null", "--hidden", "--no-follow"],
    ...[
      "--no-ignore-dot",
      "--no-ignore-exclude",
      "--no-ignore-global",
      "--no-ignore-parent",
      "--no-require-git",
    ],
    ...(file === undefined ? [] : ["--no-ignore", "--max-depth=1"]),
    ...chosen.map((glob) => `--glob=${glob}`),
    ...(types.length > 0 ? [...types, "--type=wanted"] : []),
    ...(pattern
      ? [
          ...["--no-heading", "--with-filename", "--line-number", "--column", "--byte-offset", "--crlf"],
          // No line is told: only that there is one.
          ...["--max-columns=1", `--max-count=${MAX_IN_FILE}`, `--max-filesize=${MAX_FILE_BYTES}`],
          ...["--no-mmap", "--encoding=none", "--case-sensitive", `--regexp=${pattern.rust}`],
        ]
      : ["--files"]),
    ...["--", `./${folder.join("/")}`],
  ];
}

/** Records are `path NUL line:column:offset: ... newline`; of files only `path NUL`. */
async function readOutput(stdout: Readable, search: Search, { signal, wants, tell }: Looking): Promise<void> {
  const isMeant = fitting(search.globs);
  const told = { wants: (path: string) => isMeant(path) && wants(path), tell };
  const read = search.pattern ? hitReader(told) : fileReader(told);
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of stdout as AsyncIterable<Buffer>) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      rest = bytes.subarray(read.take(bytes));
    }
  } catch (error) {
    // It was ended; what it said until then counts.
    if (!signal.aborted) throw error;
  }
  read.end(rest);
}

interface Reader {
  /** Says how many of the bytes it has used. */
  take(bytes: Buffer): number;
  /** @param rest what was not used */
  end(rest: Buffer): void;
}

type Told = Pick<Looking, "wants" | "tell">;

function fileReader({ wants, tell }: Told): Reader {
  return {
    take(bytes) {
      let start = 0;
      for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, start)) {
        const path = pathIn(bytes.toString("utf8", start, end));
        if (wants(path)) tell(path, []);
        start = end + 1;
      }
      return start;
    },
    end: () => undefined,
  };
}

const PLACE = /^(\d+):(\d+):(\d+):/;
const MAX_PLACE = 80;
/** Of a file that turned out to be none of text, after its last record. */
const NO_TEXT = /^: (?:WARNING: stopped searching binary file|binary file matches)[^\n]*\n/i;

/** The file whose records are read. */
interface Open {
  /** How its records begin, with the NUL. */
  readonly head: Buffer;
  readonly path: string;
  readonly isWanted: boolean;
  places: Place[];
}

function hitReader({ wants, tell }: Told): Reader {
  let open: Open | undefined;
  const flush = (): void => {
    if (open?.isWanted && open.places.length > 0) tell(open.path, open.places);
  };
  const begin = (written: Buffer): Open => {
    const path = pathIn(written.toString("utf8", 0, written.length - 1));
    return { head: Buffer.from(written), path, isWanted: wants(path), places: [] };
  };
  /** How much of `bytes` says that the open file is none of text. */
  const warned = (bytes: Buffer): number => {
    const written = open?.head.subarray(0, -1);
    if (!open || !written || !bytes.subarray(0, written.length).equals(written)) return 0;
    const [warning = ""] = NO_TEXT.exec(bytes.toString("latin1", written.length, written.length + 200)) ?? [];
    if (warning !== "") open.places = [];
    return warning === "" ? 0 : written.length + warning.length;
  };
  return {
    take(bytes) {
      let start = 0;
      for (;;) {
        const isSame = open !== undefined && beginsWith(bytes, start, open.head);
        const zero = isSame ? start + open!.head.length - 1 : bytes.indexOf(0, start);
        const end = zero < 0 ? -1 : bytes.indexOf(10, zero);
        if (end < 0) return start;
        if (!isSame) {
          start += warned(bytes.subarray(start, zero));
          flush();
          open = begin(bytes.subarray(start, zero + 1));
        }
        if (open!.isWanted) {
          const place = PLACE.exec(bytes.toString("latin1", zero + 1, Math.min(end, zero + MAX_PLACE)));
          if (place) open!.places.push(placeOf(place));
        }
        start = end + 1;
      }
    },
    end(rest) {
      warned(rest);
      flush();
    },
  };
}

function beginsWith(bytes: Buffer, start: number, head: Buffer): boolean {
  const end = start + head.length;
  return end <= bytes.length && bytes.compare(head, 0, head.length, start, end) === 0;
}

function placeOf([, line, column, offset]: RegExpExecArray): Place {
  return { line: Number(line), column: Number(column), offset: Number(offset) };
}

function pathIn(told: string): string {
  return told.startsWith("./") ? told.slice(2) : told;
}
