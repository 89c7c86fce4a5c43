// page/ -> dist/page/: four files that a browser loads as they are. What they are made with is no dependency of whoever
// installs the package.

import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const FROM = "page";

/**
 * Does nothing where there is no page. The compiler of TypeScript checks its types elsewhere.
 * @param {string} root the repository
 * @param {string} [to] the folder that the files are for
 * @returns {boolean} whether it could be built; if not, the errors were printed
 */
export function buildPage(root, to = join(root, "dist/page")) {
  if (!existsSync(join(root, FROM))) return true;
  mkdirSync(to, { recursive: true });
  copyFileSync(join(root, FROM, "index.html"), join(to, "index.html"));
  // Only installed by now.
  /** @type {typeof import("esbuild")} */
  const esbuild = createRequire(import.meta.url)("esbuild");
  try {
    esbuild.buildSync({
      absWorkingDir: root,
      entryPoints: [
        { in: join(root, FROM, "page.tsx"), out: "page" },
        { in: join(root, FROM, "page.css"), out: "page" },
        // Runs in a worker.
        { in: join(root, FROM, "conversation/layout-worker.ts"), out: "layout" },
      ],
      outdir: to,
      bundle: true,
      minify: true,
      format: "iife",
      target: "es2022",
      charset: "utf8",
      tsconfig: join(root, FROM, "tsconfig.json"),
      logLevel: "warning",
    });
    return true;
  } catch {
    return false;
  }
}
