import { existsSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readGlob } from "../../../../modules/system/search/glob.ts";
import { readPattern } from "../../../../modules/system/search/pattern.ts";
import { findRipgrep, ripgrep } from "../../../../modules/system/search/ripgrep.ts";
import type { Engine, Search } from "../../../../modules/system/search/search.ts";
import { walker } from "../../../../modules/system/search/walker.ts";
import { createSearcher, fromSource, ripgrepIsThere } from "./engines.ts";

const PROJECT = fileURLToPath(new URL("../../../..", import.meta.url)).replace(/\/$/, "");
const SYSTEM = ["/usr/share/doc", "/usr/lib/python3", "/usr/include", "/usr/share"].find((path) =>
  existsSync(path),
)!;
const TREES = {
  "this project": PROJECT,
  "a package": `${PROJECT}/node_modules/openai`,
  "the system": SYSTEM,
};

const PATTERNS = [
  "^$",
  "(?i)\\bTODO\\b|fixme",
  "\\bexport (?:async )?function (\\w+)\\(",
  "[^\\x00-\\x7f]",
  "=\\s*$",
  "[[:upper:]]{4}[^[:alnum:]]",
  "{ }|\\.\\.\\.",
];
const GLOBS = ["*.{ts,py,txt}", "!*.{ts,js}", "**/[a-c]*/*"];

type Answer = readonly (readonly [path: string, places: string])[];

async function ask(engine: Engine, search: Search): Promise<Answer> {
  const told: [string, string][] = [];
  const problem = await engine(search, {
    signal: new AbortController().signal,
    wants: () => true,
    tell: (path, places) =>
      told.push([path, places.map(({ line, column, offset }) => `${line}:${column}:${offset}`).join(" ")]),
  });
  expect(problem).toBeUndefined();
  return told.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

async function expectEqual(root: string, asked: { readonly pattern?: string; readonly glob?: string }) {
  const { pattern, glob } = asked;
  const agent = createSearcher("ripgrep");
  const search: Search = {
    root: realpathSync(root),
    folder: [],
    file: undefined,
    rules: [],
    globs: glob === undefined ? [] : [readGlob(glob, [])],
    pattern: pattern === undefined ? undefined : readPattern(pattern),
  };
  const program = findRipgrep(process.env["PATH"], search.root)!;
  const [known, own] = await Promise.all([
    ask(ripgrep(program, agent.host.node), search),
    ask(walker(fromSource), search),
  ]);
  const of = (answer: Answer) => new Map(answer);
  const [rg, walk] = [of(known), of(own)];
  const differing = [...new Set([...rg.keys(), ...walk.keys()])].filter(
    (path) => rg.get(path) !== walk.get(path),
  );
  expect(differing.slice(0, 5).map((path) => ({ path, rg: rg.get(path), walk: walk.get(path) }))).toEqual([]);
  return own.length;
}

describe.runIf(ripgrepIsThere).each(Object.entries(TREES))("in %s", (_, root) => {
  it("ripgrep and the own walk find the same files", async () => {
    expect(await expectEqual(root, {})).toBeGreaterThan(10);
    for (const glob of GLOBS) await expectEqual(root, { glob });
  });

  it.each(PATTERNS)("ripgrep and the own walk find the same lines: %s", async (pattern) => {
    await expectEqual(root, { pattern });
  });
});

it.runIf(ripgrepIsThere)("a pattern means the same to both, whatever it is made of", async () => {
  const agent = createSearcher("ripgrep");
  const text = fc.constantFrom(
    "a",
    "b",
    "B",
    "é",
    "1",
    "٣",
    " ",
    "-",
    "_",
    "{",
    "\t",
    "ß",
    "(",
    "]",
    "\u00a0",
    "\ufeff",
  );
  const texts = fc.array(fc.array(text, { maxLength: 6 }), { minLength: 30, maxLength: 30 });
  for (const [n, lines] of fc.sample(texts, { numRuns: 3, seed: 1 }).entries()) {
    // Of a last line without its end ripgrep does not say that nothing stands at its end.
    const written = lines.map((line) => `${line.join("")}${n === 0 ? "\r\n" : "\n"}`).join("");
    agent.file(`file-${n}`, Buffer.from(written, n === 1 ? "latin1" : "utf8"));
  }
  const piece = fc.constantFrom(
    ..."a|b|é|\\w|\\W|\\d|\\D|\\s|\\S|\\b|\\B|.|^|$|[ab]|[^a]|[^\\W]|[\\w-]|[[:alpha:]]|[]a]|a?|b*|.+?|{|}|\\{|(a|b)|(?:ab)+|\\x62|\\pL|x{2}|\\t".split(
      "|",
    ),
    "a|b",
    "(?<n>a)",
  );
  const patterns = fc
    .sample(fc.tuple(fc.constantFrom("", "(?i)"), fc.array(piece, { minLength: 1, maxLength: 4 })), {
      numRuns: 40,
      seed: 1,
    })
    .map(([flags, pieces]) => flags + pieces.join(""));
  for (const pattern of patterns) {
    try {
      readPattern(pattern);
    } catch {
      continue;
    }
    await expectEqual(agent.root, { pattern });
  }
});
