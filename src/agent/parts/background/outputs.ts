// What commands in the background have printed, and what they came to, in the agent's folder. Each has its own files: parts,
// named by the place where they begin, of which the first and the last two stay, and one for its end.

import { join } from "node:path";
import { z } from "zod";
import { LegionError, messageOf } from "../../../base/errors.ts";
import type { AppendFile, Disk } from "../../../base/files/disk.ts";
import type { Redactor } from "../../../base/redaction/redactor.ts";
import { readJson } from "../../../base/text/json.ts";
import type { CommandEnd, Printed } from "../../../domain/authoring/workspace.ts";

const PART_BYTES = 1024 * 1024;
const LAST_PARTS = 2;
const FILE = /^([a-z0-9-]+\.[0-9a-f]{8})\.(?:(\d{1,15})\.out|end)$/;

const END: z.ZodType<CommandEnd> = z.object({
  exitCode: z.number().nullable(),
  ended: z.enum(["timeout", "aborted", "too much output", "too many processes", "disk full"]).optional(),
  remarks: z.array(z.string()).optional(),
});

/** Takes what one command prints. */
export interface OutputSink {
  /** Never throws. */
  print(chunk: Uint8Array): void;
  /** How much of it can be read, in bytes. */
  length(): number;
  /** Nothing more comes. Absent: what it came to is not to be kept. Never rejects. */
  close(end?: CommandEnd): Promise<void>;
}

export type Outputs = ReturnType<typeof createOutputs>;

export function createOutputs(folder: string, disk: Disk, redactor: Redactor) {
  const partPath = (name: string, start: number): string => join(folder, `${name}.${start}.out`);
  const endPath = (name: string): string => join(folder, `${name}.end`);
  /** What is kept of which command; without a start it is the end. */
  const files = async (): Promise<readonly KeptFile[]> =>
    (await disk.list(folder)).flatMap((file) => {
      const [, name, start] = FILE.exec(file) ?? [];
      return name === undefined
        ? []
        : [{ file, name, start: start === undefined ? undefined : Number(start) }];
    });
  return {
    /** The names of all commands of which something is kept; `open`: of those that are not known to have ended. */
    async names(): Promise<{ readonly all: readonly string[]; readonly open: readonly string[] }> {
      const found = await files();
      const ended = new Set(found.filter(({ start }) => start === undefined).map(({ name }) => name));
      const all = [...new Set(found.map(({ name }) => name))];
      return { all, open: all.filter((name) => !ended.has(name)) };
    },

    /** Throws REFUSED where nothing can be kept: nobody would find the command again. */
    begin(name: string): OutputSink {
      const parts = createParts((start) => partPath(name, start), disk);
      const decoder = new TextDecoder();
      const pieces = redactor.pieces();
      return {
        print: (chunk) => parts.write(pieces.add(decoder.decode(chunk, { stream: true }))),
        length: parts.length,
        async close(end) {
          parts.write(pieces.add(decoder.decode()) + pieces.end());
          parts.close();
          // A command has not failed because what it came to cannot be kept for a bad day.
          if (end) await disk.replace(endPath(name), JSON.stringify(end)).catch(() => undefined);
        },
      };
    },

    /** As `BackgroundCommands.read`. */
    async read(name: string, from: number): Promise<Printed> {
      const own = (await files()).filter((found) => found.name === name);
      const starts = own.flatMap(({ start }) => start ?? []).sort((a, b) => a - b);
      return joinParts(starts, from, (start) => disk.read(partPath(name, start)));
    },

    /** What it came to, if that is known. */
    async end(name: string): Promise<CommandEnd | undefined> {
      const isKept = (await files()).some((found) => found.name === name && found.start === undefined);
      const text = isKept ? await disk.read(endPath(name)) : undefined;
      return text && END.safeParse(readJson(text.toString("utf8"))).data;
    },

    async remove(name: string): Promise<void> {
      for (const found of await files()) if (found.name === name) await disk.remove(join(folder, found.file));
    },
  };
}

interface KeptFile {
  readonly file: string;
  readonly name: string;
  readonly start: number | undefined;
}

/** @param starts in ascending order */
async function joinParts(
  starts: readonly number[],
  from: number,
  read: (start: number) => Promise<Buffer | undefined>,
): Promise<Printed> {
  let [text, next] = ["", from];
  for (const [index, start] of starts.entries()) {
    if ((starts[index + 1] ?? Infinity) <= next) continue;
    const bytes = await read(start);
    if (!bytes || start + bytes.length <= next) continue;
    if (start > next)
      text += `${text === "" || text.endsWith("\n") ? "" : "\n"}[Left out: ${start - next} bytes.]\n`;
    text += bytes.subarray(Math.max(0, next - start)).toString("utf8");
    next = start + bytes.length;
  }
  return { text, next };
}

/** Writes a text that may have no end; where it cannot be written, that is left out. */
function createParts(pathOf: (start: number) => string, disk: Disk) {
  const starts = [0];
  let length = 0;
  let part: AppendFile | undefined = createOrRefuse(pathOf(0), disk);
  const begin = (): AppendFile => {
    part?.close();
    part = disk.create(pathOf(length));
    starts.push(length);
    const gone = starts.length > 1 + LAST_PARTS ? starts.splice(1, 1) : [];
    for (const start of gone) void disk.remove(pathOf(start)).catch(() => undefined);
    return part;
  };
  return {
    write(text: string): void {
      if (text === "") return;
      const bytes = Buffer.from(text);
      try {
        const file = part && length - starts.at(-1)! < PART_BYTES ? part : begin();
        file.write(bytes);
      } catch {
        // The disk may have room again later: what comes then has a part of its own, behind the gap.
        part?.close();
        part = undefined;
      }
      length += bytes.length;
    },
    length: () => length,
    close: () => part?.close(),
  };
}

function createOrRefuse(path: string, disk: Disk): AppendFile {
  try {
    return disk.create(path);
  } catch (error) {
    throw new LegionError("REFUSED", `What it prints cannot be kept: ${messageOf(error)}`, { cause: error });
  }
}
