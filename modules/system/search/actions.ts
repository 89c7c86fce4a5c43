import { z } from "zod";
import {
  defineAction,
  fail,
  ok,
  type Action,
  type ActionResult,
} from "../../../src/domain/authoring/module.ts";
import { pathParameter } from "../parameters.ts";
import { orRefusal, Refusal } from "../refusal.ts";
import { shownName } from "../text.ts";
import { filesAt, linesAt } from "./excerpt.ts";
import { readGlob } from "./glob.ts";
import { look, placeOf, type Findings, type Hit, type SearchOptions } from "./look.ts";
import { Mistake } from "./mistake.ts";
import { readPattern } from "./pattern.ts";
import { MAX_FILE_BYTES, MAX_IN_FILE } from "./search.ts";
import type { Host } from "../../../src/domain/authoring/host.ts";

const MAX_FILES = 1_000;
const MAX_HITS = MAX_IN_FILE - 1;
const MAX_GLOB_LENGTH = 1_000;
const MAX_PATTERN_LENGTH = 10_000;
/** Of the text of a result for each of its tokens. */
const CHARACTERS_PER_TOKEN = 3;

function globParameter(meaning: string) {
  return z
    .string()
    .min(1)
    .max(MAX_GLOB_LENGTH)
    .refine((glob) => !/[\p{Cc}\p{Cs}]/u.test(glob), "a glob has no control characters")
    .describe(meaning);
}

export function findFiles(options: SearchOptions): Action {
  return defineAction({
    description:
      "List the files of a folder and of all below it whose names fit a glob, without what git ignores",
    parameters: {
      pattern: globParameter("The glob, such as *.ts, src/**/*.test.ts or *.{js,ts}"),
      path: pathParameter("Path of the folder, the workspace unless given").optional(),
    },
    effects: "reads",
    touches: ({ path = "." }) => [{ kind: "read", path }],
    execute: ({ pattern, path = "." }, host) =>
      answering("glob", path, async () => {
        const place = await placeOf(host, path);
        if (place.file !== undefined) throw new Refusal("That is a file, not a folder.");
        const search = { ...place, globs: [readGlob(pattern, place.folder)] };
        const findings = await look(host, search, { ...options, most: MAX_FILES });
        const files = await filesAt(
          host,
          findings.hits.map((hit) => hit.path),
        );
        return answer(host, "file", findings, files.toSorted().map(shownName));
      }),
  });
}

export function searchText(options: SearchOptions): Action {
  return defineAction({
    description:
      "Search the lines of a text file, or of all in a folder and below it, for a regular expression, without what git " +
      `ignores and without files of more than ${MAX_FILE_BYTES / 1024 / 1024} MB`,
    parameters: {
      pattern: z
        .string()
        .min(1)
        .max(MAX_PATTERN_LENGTH)
        .describe("The regular expression; with (?i) at its beginning the case does not matter"),
      path: pathParameter("Path of the folder or file, the workspace unless given").optional(),
      glob: globParameter(
        "Only files whose names fit, such as *.ts, or do not, such as !*.test.ts",
      ).optional(),
    },
    effects: "reads",
    touches: ({ path = "." }) => [{ kind: "read", path }],
    execute: ({ pattern, path = ".", glob }, host) =>
      answering("pattern", path, async () => {
        const place = await placeOf(host, path);
        const globs = glob === undefined || place.file !== undefined ? [] : [readGlob(glob, place.folder)];
        const search = { ...place, globs, pattern: readPattern(pattern) };
        const findings = await look(host, search, { ...options, most: MAX_HITS });
        return answer(host, "hit", findings, await rowsOf(host, findings.hits));
      }),
  });
}

async function answering(
  what: string,
  path: string,
  act: () => Promise<ActionResult>,
): Promise<ActionResult> {
  try {
    return await orRefusal(path, act);
  } catch (error) {
    if (error instanceof Mistake) return fail(`That ${what} cannot be used: ${error.message}.`);
    throw error;
  }
}

async function rowsOf(host: Host, hits: readonly Hit[]): Promise<readonly string[]> {
  const rows: string[] = [];
  for (const path of new Set(hits.map((hit) => hit.path))) {
    const places = hits.flatMap((hit) => (hit.path === path && hit.place ? [hit.place] : []));
    const lines = await linesAt(host, path, places);
    rows.push(...lines.map((text, at) => `${shownName(path)}:${places[at]!.line}: ${text}`));
  }
  return rows;
}

/** As many of `rows` as one result can show. */
function answer(
  host: Host,
  what: "file" | "hit",
  { isCut, problem }: Findings,
  rows: readonly string[],
): ActionResult {
  if (rows.length === 0) return problem === undefined ? ok(`Found no ${what}.`) : fail(`${problem}.`);
  let room = host.maxTokens * CHARACTERS_PER_TOKEN;
  const left = rows.findIndex((row, at) => (room -= row.length + 1) < 0 && at > 0);
  const shown = left < 0 ? rows : rows.slice(0, left);
  const isWhole = shown.length === rows.length && !isCut;
  const count = `${shown.length} ${what}${shown.length === 1 ? "" : "s"}`;
  return ok(
    [
      isWhole ? `Found ${count}:` : `The first ${count}; there are more, narrow it down to see them:`,
      ...shown,
      ...(problem === undefined ? [] : [`[${problem}.]`]),
    ].join("\n"),
  );
}
