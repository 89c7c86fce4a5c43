// Every test file gets a person's folder of its own: nothing reads or writes that of whoever runs the tests.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "legion-person-"));
process.env["XDG_CONFIG_HOME"] = folder;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** For an environment that holds nothing else. */
export function ownHome(): { readonly XDG_CONFIG_HOME: string } {
  return { XDG_CONFIG_HOME: folder };
}
