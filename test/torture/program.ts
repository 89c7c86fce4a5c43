// A process of a torture test as one file of JavaScript: it starts in a fraction of the time that loading the sources
// takes, and a line of them can be changed on the way.

import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A line of the sources that stands there once, and what stands in its place. */
export interface Change {
  /** Relative to the repository. */
  readonly file: string;
  readonly line: string;
  readonly instead: string;
}

export interface Program {
  /** Relative to the repository. */
  readonly entry: string;
  readonly outfile: string;
  readonly changes?: readonly Change[];
}

const ROOT = join(import.meta.dirname, "..", "..");
/** Bundled CommonJS asks for it. */
const REQUIRE = `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`;

/** The files that `changes` are about, by path, as they leave them. Throws if a line is not there, or there twice. */
export function changedFiles(changes: readonly Change[]): ReadonlyMap<string, string> {
  const changed = new Map<string, string>();
  for (const { file, line, instead } of changes) {
    const path = join(ROOT, file);
    const text = changed.get(path) ?? readFileSync(path, "utf8");
    const times = text.split(line).length - 1;
    if (times !== 1) throw new Error(`${file} has this line ${times} times, not once:\n${line}`);
    changed.set(
      path,
      text.replace(line, () => instead),
    );
  }
  return changed;
}

/** Writes the program to `outfile`. Rejects if a line to be changed is not there, or there twice. */
export async function buildProgram({ entry, outfile, changes = [] }: Program): Promise<void> {
  const changed = changedFiles(changes);
  await build({
    entryPoints: [join(ROOT, entry)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["js-tiktoken", "@anthropic-ai/sdk", "openai", "pino", "commander"],
    banner: { js: REQUIRE },
    logLevel: "error",
    plugins: [
      {
        name: "changes",
        setup({ onLoad }) {
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const contents = changed.get(path);
            return contents === undefined ? undefined : { contents, loader: "ts" };
          });
        },
      },
    ],
  });
}
