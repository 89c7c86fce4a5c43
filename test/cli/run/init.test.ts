import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { packageDir } from "../../../src/base/package.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { fileSettings } from "../../../src/config/files/config-schema.ts";
import { findDefinition } from "../../../src/config/definition.ts";
import type { Module } from "../../../src/domain/authoring/module.ts";
import { parseYaml } from "../../../src/config/files/yaml.ts";
import { createTestHost } from "../../modules/test-host.ts";
import { temporaryFolder } from "../../world.ts";
import { legion } from "../legion.ts";
import { ownHome } from "../../own-config-home.ts";

const filesOf = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

it("makes a project that the other commands take, and says what to do next", async () => {
  const cwd = await temporaryFolder();
  const { exitCode, out, err } = await legion(["init"], { cwd });
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  expect(out).toContain("wrote  agents/clerk.md");
  expect(out).toContain("legion start 3 --task");
  expect(await filesOf(cwd)).toEqual([
    ".ai-legion/config.schema.json",
    ".ai-legion/config.yaml",
    ".gitignore",
    "agents/clerk.md",
    "my-module.mjs",
  ]);
  await loadConfig({ projectDir: cwd, env: ownHome(), flags: {} });
  const clerk = await findDefinition("clerk", { projectDir: cwd, packageDir });
  expect(clerk.modules).toContain("./my-module.mjs");
});

it("grants what it wrote, and nothing that was there", async () => {
  const status = async (cwd: string) => (await legion(["trust", "--json"], { cwd })).json;
  const own = await temporaryFolder();
  await legion(["init"], { cwd: own });
  expect(await status(own)).toMatchObject([{ what: "code my-module.mjs", status: "granted" }]);

  const clone = await temporaryFolder();
  await mkdir(join(clone, ".ai-legion"));
  await writeFile(join(clone, ".ai-legion/config.yaml"), "web: { allowPrivate: [localhost] }");
  await writeFile(join(clone, "my-module.mjs"), "");
  await legion(["init"], { cwd: clone });
  expect(await status(clone)).toMatchObject([{ status: "wanted" }, { status: "wanted" }]);
});

it("brings a module that works", async () => {
  const source = await readFile(join(packageDir, "starter/my-module.mjs"), "utf8");
  const surface = pathToFileURL(join(packageDir, "src/index.ts")).href;
  const path = join(await temporaryFolder(), "my-module.ts");
  await writeFile(path, source.replace('"ai-legion"', JSON.stringify(surface)));
  const { calendar } = (await import(path)) as { readonly calendar: Module };

  const { act } = createTestHost(calendar);
  expect(await act("daysUntil", { date: "2000-01-01" })).toMatchObject({ outcome: "ok" });
  expect(await act("daysUntil", { date: "soon" })).toMatchObject({
    outcome: "error",
    content: "soon is no date; write it as 2026-12-24.",
  });
});

it("offers in comments only settings that there are", async () => {
  const config = await readFile(join(packageDir, "starter/.ai-legion/config.yaml"), "utf8");
  const active = config
    .split("\n")
    .slice(2)
    .map((line) => line.replace(/^# /, ""))
    .join("\n");
  const settings = await parseYaml({ file: "config.yaml", text: active, firstLine: 1 }, fileSettings);
  expect(Object.keys(settings).length).toBeGreaterThan(5);
});

it("makes the folder that it is given", async () => {
  const cwd = await temporaryFolder();
  const { out } = await legion(["init", "new/place"], { cwd });
  expect(await filesOf(join(cwd, "new/place"))).toHaveLength(5);
  expect(out).toContain("cd new/place");
  expect(await legion(["init", "a", "--dir", "b"], { cwd })).toMatchObject({ exitCode: 2 });
});

it("never overwrites, and adds to .gitignore only what is missing", async () => {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, ".ai-legion"));
  await writeFile(join(cwd, ".ai-legion/config.yaml"), "model: offline\n");
  await writeFile(join(cwd, ".gitignore"), "dist\n.env");
  const first = await legion(["init"], { cwd });
  expect(first.out).toContain("kept   .ai-legion/config.yaml, which was there");
  expect(await readFile(join(cwd, ".ai-legion/config.yaml"), "utf8")).toBe("model: offline\n");
  const ignored =
    "dist\n.env\n/.ai-legion/*\n!/.ai-legion/config.yaml\n!/.ai-legion/config.schema.json\n!/.ai-legion/prompts\n";
  expect(await readFile(join(cwd, ".gitignore"), "utf8")).toBe(ignored);

  const second = await legion(["init"], { cwd });
  expect(second.exitCode).toBe(0);
  expect(second.out).not.toContain("wrote");
  expect(await readFile(join(cwd, ".gitignore"), "utf8")).toBe(ignored);
});

it("says in one line why it cannot write", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "agents"), "a file where a folder should be");
  const { exitCode, err } = await legion(["init"], { cwd });
  expect(exitCode).toBe(1);
  expect(err).toMatch(/^legion: the starter project could not be written: .*\n$/);
});
