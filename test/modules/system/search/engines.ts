// The module as it stands in the sources, once with ripgrep and once without.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";
import { createSystem } from "../../../../modules/system/index.ts";
import type { SearchOptions } from "../../../../modules/system/search/look.ts";
import { findRipgrep } from "../../../../scripts/ripgrep.mjs";
import { closedPremises } from "../../../../src/legion/hosting/shared-host.ts";
import { createTestHost, type Setup } from "../../test-host.ts";

/** In CI its absence is a failure, not a reason to skip. */
export const ripgrepIsThere = findRipgrep() !== undefined || process.env["CI"] === "true";

export type EngineName = "ripgrep" | "own walk";
export const ENGINES: readonly EngineName[] = ripgrepIsThere ? ["ripgrep", "own walk"] : ["own walk"];

export const fromSource: SearchOptions["start"] = (search) =>
  new Worker(new URL("./walk-worker.mjs", import.meta.url), { workerData: search });

interface SearcherSetup extends Setup, Partial<SearchOptions> {
  /** In place of what makes it search by `engine`. */
  readonly environment?: Readonly<Record<string, string>>;
}

export function createSearcher(engine: EngineName, setup: SearcherSetup = {}) {
  const path: Readonly<Record<string, string>> =
    engine === "ripgrep" ? { PATH: process.env["PATH"] ?? "" } : {};
  const { start = fromSource, timeoutMs = 60_000, environment = path, ...rest } = setup;
  const scratch = mkdtempSync(join(tmpdir(), "legion-scratch-"));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  const node = { ...closedPremises(() => Promise.reject(new Error("no web here"))), environment, scratch };
  return createTestHost(createSystem({ start, timeoutMs }), { node, ...rest });
}
