import { appendFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { DoctorFinding } from "../../../src/cli/doctor/finding.ts";
import { everythingIn } from "../../environment/workspace/trees.ts";
import { createTempProject } from "../../temp-project.ts";
import { legion } from "../legion.ts";
import { fill, FOLDER, memory, rememberingProject, said } from "../memory/kit.ts";

async function examine(cwd: string, env: Readonly<Record<string, string>> = {}) {
  const { exitCode, json } = await legion(["doctor", "--json"], { cwd, env });
  const found = (json as readonly DoctorFinding[]).filter(({ check }) => check.startsWith("memory "));
  return { exitCode, told: found.map(({ check, status, detail }) => `${check} ${status}: ${detail}`) };
}

it("says nothing of memories where there is none, and counts what is in a sound one", async () => {
  expect((await examine(await createTempProject())).told).toEqual([]);
  const cwd = await createTempProject();
  await fill(cwd, [said(1, "Boats")]);
  const before = everythingIn(cwd);
  expect(await examine(cwd)).toEqual({ exitCode: 0, told: ["memory main/legion ok: 1 entry"] });
  expect(everythingIn(cwd)).toEqual(before);
});

it("tells of a keeper that is no agent here, neither of the project nor of a run", async () => {
  const cwd = await rememberingProject();
  const { told } = await examine(cwd);
  expect(told).toContain(
    "memory main/legion warning: its keeper scribe is no agent here, and nobody else's documents count; `legion memory keep <agent>` hands it over",
  );
  await mkdir(join(cwd, ".ai-legion/runs/fox/agents/scribe"), { recursive: true });
  expect((await examine(cwd)).told).toEqual(["memory main/legion ok: 3 entries"]);
});

it("tells of a memory that somebody else wrote", async () => {
  const cwd = await rememberingProject();
  const stranger = await createTempProject();
  const { told } = await examine(cwd, { XDG_CONFIG_HOME: stranger });
  expect(told[0]).toMatch(
    /^memory main\/legion warning: the memory main\/legion was not written on your machines/,
  );
});

it("tells of damaged lines, until they are set aside, and of words that are gone", async () => {
  const cwd = await rememberingProject();
  const log = join(cwd, FOLDER, "log");
  await appendFile(join(log, (await readdir(log)).at(-1)!), "damaged\n");
  const { told, exitCode } = await examine(cwd);
  expect(exitCode).toBe(1);
  expect(told.join("\n")).toMatch(
    /damaged: .ai-legion\/memory\/main\/legion\/log\/.*jsonl: 7 bytes at \d+ cannot be read/,
  );
  await fill(cwd, [said(9, "more")]);
  expect((await examine(cwd)).told.join("\n")).toContain("ok: 1 damaged before, set aside");

  const texts = join(cwd, FOLDER, "texts");
  const file = join(texts, (await readdir(texts))[0]!);
  await writeFile(file, (await readFile(file, "utf8")).replace("Toulouse.", "Helsinki."));
  expect((await examine(cwd)).told).toContain(
    "memory main/legion damaged: the words of #3 are gone, or not what was written",
  );
});

it("takes what was forgotten for no damage", async () => {
  const cwd = await rememberingProject();
  await memory(cwd, ["forget", "3", "--yes"]);
  expect((await examine(cwd)).exitCode).toBe(0);
});
