// What a file says of itself, as far as that can be read off its text: a sentence, what it offers, what it imports.

import { dirname, join } from "node:path/posix";

interface Kind {
  readonly names: RegExp;
  /** Of a line that says what the file offers: the name of it. */
  readonly offers?: { readonly says: string; readonly line: RegExp };
  /** Of a line that begins it: what a comment says. */
  readonly comment?: RegExp;
  readonly imports?: {
    readonly line: RegExp;
    readonly places: (from: string, named: string) => readonly string[];
  };
}

const SLASHES = /^\s*(?:\/\/+!?|\/\*\*?|\*(?!\/))\s?(.*)/;
const HASH = /^\s*#+(?!!)\s?(.*)/;

const KINDS: readonly Kind[] = [
  { names: /\.(?:md|markdown)$/i, offers: { says: "", line: /^#{1,2} (.+)/ } },
  {
    names: /\.[cm]?[jt]sx?$/i,
    comment: SLASHES,
    offers: {
      says: "exports",
      line: /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function|class|const|let|var|interface|type|enum)\*? ([\w$]+)/,
    },
    imports: {
      line: /(?:\bfrom|\bimport|\brequire) ?\(? ?["'](\.{1,2}\/[^"']{1,300})["']/,
      places: scriptPlaces,
    },
  },
  {
    names: /\.py$/i,
    comment: /^\s*(?:#+(?!!)|"""|''')\s?(.*?)(?:"""|''')?$/,
    offers: { says: "defines", line: /^(?:async )?(?:def|class) (\w+)/ },
    imports: { line: /^\s{0,20}(?:from|import) ([\w.]{1,300})/, places: pythonPlaces },
  },
  {
    names: /\.go$/i,
    comment: SLASHES,
    offers: { says: "exports", line: /^(?:func|type|const|var) (?:\([^)]*\) )?([A-Z]\w*)/ },
  },
  {
    names: /\.rs$/i,
    comment: SLASHES,
    offers: {
      says: "exports",
      line: /^pub (?:async |unsafe )?(?:fn|struct|enum|trait|mod|const|static|type) (\w+)/,
    },
  },
  {
    names: /\.(?:c|h|cc|cpp|hpp)$/i,
    comment: SLASHES,
    imports: {
      line: /^\s*#\s*include "([^"]{1,300})"/,
      places: (from, named) => [join(dirname(from), named), named],
    },
  },
  { names: /\.(?:java|kt|swift|cs|scala|php|css|scss)$/i, comment: SLASHES },
  {
    names: /\.(?:rb|sh|bash|ya?ml|toml|cfg|ini|tf|pl|r)$|(?:^|\/)(?:Makefile|Dockerfile|run)$/i,
    comment: HASH,
  },
];

const MAX_ABOUT = 60;
const MAX_OFFERED = 3;
const MAX_LINE = 500;
/** Says something of the file, but not what is in it. */
const NO_NEWS = /copyright|licen[sc]ed?\b|spdx|eslint|prettier|@ts-|-\*-|^\W*$/i;

/** A few words on a file; empty if its text gives none. */
export function aboutFile(path: string, text: string): string {
  const kind = KINDS.find(({ names }) => names.test(path));
  if (!kind) return "";
  const lines = text.split("\n").map((line) => line.slice(0, MAX_LINE));
  return (kind.comment && opening(lines, kind.comment)) || (kind.offers ? offered(lines, kind.offers) : "");
}

/** The first sentence of the comment that a file begins with. */
function opening(lines: readonly string[], comment: RegExp): string {
  const start = lines.findIndex((line) => line.trim() !== "" && !line.startsWith("#!"));
  const words: string[] = [];
  for (const line of lines.slice(Math.max(start, 0), start + 8)) {
    const said = comment
      .exec(line)?.[1]
      ?.replace(/\*\/\s*$/, "")
      .trim();
    if (said === undefined || (said === "" && words.length > 0)) break;
    if (said !== "" && !NO_NEWS.test(said)) words.push(said);
  }
  return clip(/^.*?[.:;!?](?= |$)/.exec(words.join(" "))?.[0].slice(0, -1) ?? words.join(" "));
}

function offered(lines: readonly string[], { says, line }: NonNullable<Kind["offers"]>): string {
  const found = outsideFences(lines).flatMap((one) => line.exec(one)?.[1] ?? []);
  if (says === "") return clip(found[0] ?? "");
  const named = found.slice(0, MAX_OFFERED);
  return named.length === 0
    ? ""
    : clip(`${says} ${named.join(", ")}${found.length > MAX_OFFERED ? ", ..." : ""}`);
}

/** What stands in a code fence of a Markdown text are no headings. */
function outsideFences(lines: readonly string[]): readonly string[] {
  let isInside = false;
  return lines.filter((line) => {
    const isFence = /^\s{0,3}(?:```|~~~)/.test(line);
    if (isFence) isInside = !isInside;
    return !isInside && !isFence;
  });
}

/** One line of plain text. */
function clip(text: string): string {
  const plain = text
    .replace(/[\p{C}\s]+/gu, " ")
    .replace(/[`<>*]/g, "")
    .trim();
  if (plain.length <= MAX_ABOUT) return plain;
  const end = plain.lastIndexOf(" ", MAX_ABOUT - 3);
  return `${plain.slice(0, end > MAX_ABOUT / 2 ? end : MAX_ABOUT - 3)}...`;
}

/** The paths that each import of the file at `path` may mean, the likeliest first, of so many at `most`; those of libraries mean none. */
export function importsOf(path: string, text: string, most: number): readonly (readonly string[])[] {
  const kind = KINDS.find(({ names, imports }) => imports && names.test(path))?.imports;
  if (!kind) return [];
  const named = text.split("\n").flatMap((line) => kind.line.exec(line.slice(0, MAX_LINE))?.[1] ?? []);
  return [...new Set(named)].slice(0, most).map((name) => kind.places(path, name));
}

const SCRIPTS = [".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs", ".cjs"];

function scriptPlaces(from: string, named: string): readonly string[] {
  const at = join(dirname(from), named);
  const stem = at.replace(/\.[cm]?jsx?$/, "");
  return [
    at,
    ...SCRIPTS.flatMap((extension) => [stem + extension, `${at}${extension}`, `${at}/index${extension}`]),
  ];
}

function pythonPlaces(from: string, named: string): readonly string[] {
  const dots = /^\.*/.exec(named)![0].length;
  const way = named.slice(dots).replaceAll(".", "/");
  const up = "../".repeat(Math.max(0, dots - 1));
  const tops = dots > 0 ? [join(dirname(from), up)] : ["", "src", dirname(from)];
  return tops.flatMap((top) => [join(top, `${way}.py`), join(top, way, "__init__.py")]);
}
