// Small houses to hold against the rules.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach } from "vitest";
import { checkShape } from "../../scripts/shape/shape.mjs";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

export function house(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), "shape-"));
  folders.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

export function problems(files: Record<string, string>): string[] {
  return checkShape(house(files)).map(({ path, line, text }) => `${path}:${line}: ${text}`);
}
