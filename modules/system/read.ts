import { z } from "zod";
import { defineAction, fail, ok } from "../../src/domain/authoring/module.ts";
import { openFile, withEntry, type Errand } from "./confine/confine.ts";
import { binaryKind, readLines, type Excerpt } from "./excerpt.ts";
import { pathParameter } from "./parameters.ts";
import { orRefusal } from "./refusal.ts";
import { bytesOf, linesOf, MAX_LINES, printable, printableLine } from "./text.ts";
import type { Host } from "../../src/domain/authoring/host.ts";

const READ: Errand = { access: "read", lastLink: "follow", missingFolders: "refuse" };

export const readFile = defineAction({
  description: "Read a text file",
  parameters: {
    path: pathParameter("Path of the file"),
    offset: z.coerce.number().int().min(1).optional().describe("Line to begin with, from 1"),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .optional()
      .describe(`Most lines to read, ${MAX_LINES} unless given`),
  },
  effects: "reads",
  touches: ({ path }) => [{ kind: "read", path }],
  execute: ({ path, offset = 1, limit = MAX_LINES }, host) =>
    orRefusal(path, () =>
      withEntry(host, path, READ, async (at) => {
        const { file, size } = await openFile(at, "read");
        try {
          const kind = await binaryKind(file);
          if (kind) return fail(`${path} is ${kind} (${bytesOf(size)}); it cannot be read as text.`);
          const excerpt = await readLines(file, { offset, limit: Math.min(limit, MAX_LINES) }, host.signal);
          return offset > Math.max(1, excerpt.lines)
            ? fail(pastEnd(path, excerpt))
            : ok(render(path, { offset, size, protocol: host.protocol }, excerpt));
        } finally {
          await file.close();
        }
      }),
    ),
});

function pastEnd(path: string, { lines, isWhole }: Excerpt): string {
  if (isWhole) return `${path} has only ${linesOf(lines)}.`;
  return `${path} is too big to be read that far: it can be read up to line ${lines}.`;
}

interface From {
  readonly offset: number;
  /** Of the file, in bytes. */
  readonly size: number;
  readonly protocol: Host["protocol"];
}

function render(path: string, { offset, size, protocol }: From, excerpt: Excerpt): string {
  const { text, shown, lines, isWhole, isCut } = excerpt;
  const isNumbered = protocol === "tools";
  const count = `${isWhole ? "" : "more than "}${linesOf(lines)}`;
  const header = isNumbered
    ? `File: ${path} (${count})`
    : `Contents of ${path} (${count}, ${bytesOf(size)}):`;
  const next = offset + shown;
  const notes = [
    ...(isCut ? [`Line ${offset} is cut: it is too long to be shown.`] : []),
    ...(next <= lines ? [`Lines ${offset} to ${next - 1} are shown; go on with offset ${next}.`] : []),
  ];
  return [
    header,
    ...(lines > 0 ? [isNumbered ? numbered(text, offset) : printable(text)] : []),
    ...notes.map((note) => `[${note}]`),
  ].join("\n");
}

function numbered(text: string, first: number): string {
  return text
    .split("\n")
    .map((line, at) => `${first + at}: ${printableLine(line)}`)
    .join("\n");
}
