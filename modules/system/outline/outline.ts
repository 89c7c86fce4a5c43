import { z } from "zod";
import { defineAction, fail, ok } from "../../../src/domain/authoring/module.ts";
import { pathParameter } from "../parameters.ts";
import { orRefusal } from "../refusal.ts";
import { MAX_BYTES, printable } from "../text.ts";
import { readTree, type Leaf } from "./tree.ts";
import type { Host } from "../../../src/domain/authoring/host.ts";

const MAX_FILES = 500;
/** How many stand out. */
const MOST = 10;
const ROOM_FOR_SUMS = 4_000;

/** Nobody reads these for their length. */
const WRITTEN_BY_TOOLS = /[-.]lock(?:\.json|\.yaml|b)?$/i;

type Found = Awaited<ReturnType<typeof readTree>>;

export const outline = defineAction({
  description:
    "Show what lies in a folder and all below it: sums, the largest and the most imported files, then each file with a " +
    "few words about it; without what git ignores",
  parameters: {
    path: pathParameter("Path of the folder, or of a file"),
    offset: z.coerce.number().int().min(1).optional().describe("File to begin with, from 1"),
    limit: z.coerce
      .number()
      .int()
      .min(0)
      .optional()
      .describe(`Most files to show, ${MAX_FILES} unless given`),
  },
  effects: "reads",
  touches: ({ path }) => [{ kind: "read", path }],
  execute: ({ path, offset = 1, limit = MAX_FILES }, host) =>
    orRefusal(path, async () => {
      const tree = await readTree(host, path);
      const { leaves } = tree;
      if (offset > Math.max(1, leaves.length))
        return fail(`${path} has only ${count(leaves.length, "file")}.`);
      const part = leaves.slice(offset - 1, offset - 1 + Math.min(limit, MAX_FILES));
      const shown = render(part, tree.names, host);
      const next = offset + shown.files;
      const left = leaves.length - next + 1;
      const note = left > 0 && limit > 0 ? [`[${count(left, "more file")}; go on with offset ${next}.]`] : [];
      return ok([...overview(path, tree), ...shown.rows, ...note].join("\n"));
    }),
});

function overview(path: string, { names, leaves, folders, closed, isCut }: Found): string[] {
  const sum = (of: (leaf: Leaf) => number): number => leaves.reduce((total, leaf) => total + of(leaf), 0);
  const unread = sum(({ problem }) => (problem ? 1 : 0)) + closed.length;
  const shorten = (leaf: Leaf): string => nameOf(leaf.names.slice(names.length).join("/"));
  const isOne = leaves[0]?.names.length === names.length;
  const large = top(isOne ? [] : leaves, (leaf) =>
    WRITTEN_BY_TOOLS.test(leaf.names.at(-1)!) ? 0 : leaf.lines,
  ).map(([leaf, n]) => `${shorten(leaf)} (${count(n, "line")})`);
  const importers = countImporters(leaves);
  const wanted = top(leaves, (leaf) => importers.get(leaf) ?? 0).map(
    ([leaf, n]) => `${shorten(leaf)} (${n})`,
  );
  const holds = isOne ? [] : countByFolder(leaves, names.length);
  const sums = [
    count(leaves.length, "file"),
    count(
      sum(({ lines }) => lines),
      "line",
    ),
    count(
      sum(({ bytes }) => bytes),
      "byte",
    ),
    count(folders, "folder"),
  ];
  return [
    `Outline of ${path}: ${sums.join(", ")}, ${unread} not read.`,
    ...(isCut ? ["[It holds more than that: this is as far as one outline goes.]"] : []),
    ...(holds.length > 0 ? [`Holds: ${holds.join(", ")}.`] : []),
    ...(large.length > 0 ? [`Largest: ${large.join(", ")}.`] : []),
    ...(wanted.length > 0 ? [`Most imported: ${wanted.join(", ")}.`] : []),
    ...closed.map(
      (one) => `- ${nameOf(`${one.names.slice(names.length).join("/")}/`)}: not opened, ${one.problem}`,
    ),
  ];
}

const MAX_FOLDERS = 40;

/** How many files lie in each folder that is `depth` names deep; none if there is no folder. */
function countByFolder(leaves: readonly Leaf[], depth: number): readonly string[] {
  const counts = new Map<string, number>();
  for (const { names } of leaves) {
    if (names.length > depth + 1) counts.set(names[depth]!, (counts.get(names[depth]!) ?? 0) + 1);
  }
  return Array.from(counts, ([name, n]) => `${nameOf(`${name}/`)} (${count(n, "file")})`).slice(
    0,
    MAX_FOLDERS,
  );
}

function top(leaves: readonly Leaf[], of: (leaf: Leaf) => number): readonly (readonly [Leaf, number])[] {
  return leaves
    .map((leaf) => [leaf, of(leaf)] as const)
    .filter(([, n]) => n > 0)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MOST);
}

/** How many files import each: a file counts once, however often it names another. */
function countImporters(leaves: readonly Leaf[]): ReadonlyMap<Leaf, number> {
  const byPath = new Map(leaves.map((leaf) => [leaf.names.join("/"), leaf]));
  const counts = new Map<Leaf, number>();
  for (const leaf of leaves) {
    const targets = leaf.imports.flatMap((places) => {
      const place = places.find((path) => byPath.has(path));
      return place === undefined ? [] : [byPath.get(place)!];
    });
    for (const target of new Set(targets))
      if (target !== leaf) counts.set(target, (counts.get(target) ?? 0) + 1);
  }
  return counts;
}

/** As many as there is room for, under the folders that they lie in; `top`: the names to what is outlined. */
function render(leaves: readonly Leaf[], top: readonly string[], { maxTokens }: Host) {
  const rows: string[] = [];
  let room = Math.min(MAX_BYTES, maxTokens * 3) - ROOM_FOR_SUMS;
  let folder = "";
  for (const [files, leaf] of leaves.entries()) {
    const inside = leaf.names.slice(top.length, -1).join("/");
    const more = [
      ...(inside === folder ? [] : [`In ${nameOf(`${inside}/`)}:`]),
      `- ${nameOf(leaf.names.at(-1)!)}: ${sizeOf(leaf)}${leaf.about && `; ${leaf.about}`}`,
    ];
    room -= more.reduce((sum, row) => sum + Buffer.byteLength(row) + 1, 0);
    if (room < 0 && files > 0) return { rows, files };
    rows.push(...more);
    folder = inside;
  }
  return { rows, files: leaves.length };
}

function sizeOf({ lines, problem }: Leaf): string {
  return problem ? `not read, ${problem}` : count(lines, "line");
}

const PLAIN = /^[\p{L}\p{N}\p{M}_./@+~=()-]+$/u;
const HIDDEN = /[\p{Cf}\p{Zl}\p{Zp}`<]/gu;

/** Quoted unless it is one plain word: no name can look like more than a name. */
function nameOf(name: string): string {
  if (PLAIN.test(name)) return name;
  return JSON.stringify(printable(name)).replace(HIDDEN, (hidden) =>
    Array.from(
      { length: hidden.length },
      (_, at) => `\\u${hidden.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

function count(n: number, unit: string): string {
  return `${n} ${unit}${n === 1 ? "" : "s"}`;
}
