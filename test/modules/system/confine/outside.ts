// What lies beside a workspace, and is nobody's business there.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { TestHost } from "../../test-host.ts";

export const SECRET = "the secret outside";

/** A folder beside the workspace whose name begins like the workspace's. */
export function createOutside(agent: TestHost): string {
  const outside = `${agent.root}-evil`;
  mkdirSync(outside);
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  writeFileSync(join(outside, "secret"), SECRET);
  return outside;
}
