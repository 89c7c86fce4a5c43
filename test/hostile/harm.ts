// Folders in which every piece of code leaves a file `harm`: there must never be one.

import { chmod, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { legion, type Seen } from "../cli/legion.ts";
import { createTempProject } from "../temp-project.ts";

export const HARM = `
import { writeFileSync } from "node:fs";
writeFileSync(new URL("harm", import.meta.url), "");
export default { name: "harm", actions: {} };`;
export const OWN = "export default { name: 'own', actions: {} };";
export const START = ["--model", "scripted:script.yaml", "--tick", "0", "--task", "Go.", "--until-idle"];

let refused = 0;
/** Counts tries that were refused; the number is printed at the end. */
export function countRefused(tries: number): void {
  refused += tries;
}
afterAll(() => console.log(`${refused} hostile folders and tries to have code run: all refused`));

export type Files = Readonly<Record<string, string>>;

export async function expectNoHarm(project: string): Promise<void> {
  const files = await readdir(project, { recursive: true });
  expect(files.filter((file) => /(?:^|[\\/])harm$/.test(file))).toEqual([]);
  countRefused(1);
}

export const BROWSER = `#!/bin/sh\ntouch "$(dirname "$0")/harm"\necho Chromium 1\n`;

/** Everything that a start would run here does harm. */
export async function hostileProject(files: Files = {}): Promise<string> {
  const project = await createTempProject({
    "agents/legionnaire.md": "---\nmodules: [core, goals, notes, ./harm.mjs]\n---\n",
    "harm.mjs": HARM,
    "script.yaml": "- Done.",
    browser: BROWSER,
    ...files,
  });
  await chmod(join(project, "browser"), 0o755);
  return project;
}

/** A start ends in one line, and nothing was run. */
export async function expectRefused(says: RegExp, project: string, env?: Files): Promise<Seen> {
  const seen = await legion(["start", ...START], { cwd: project, env });
  expect(seen.err).toMatch(says);
  expect(seen.err.trimEnd().split("\n")).toHaveLength(1);
  expect(seen.exitCode).toBe(2);
  await expectNoHarm(project);
  return seen;
}
