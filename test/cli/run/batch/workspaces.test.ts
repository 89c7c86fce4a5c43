import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { legion } from "../../legion.ts";
import { batchProject, linesFor, namesIn, startModels } from "./project.ts";

it("a workspace has nothing of a batch: neither of its own, nor of earlier ones, of whatever version", async () => {
  const cwd = await batchProject({ "tasks.jsonl": linesFor("a"), "data/batch.json": "{}" });
  const { flags } = await startModels();
  const batch = (output: string) =>
    legion(["batch", "tasks.jsonl", "--output", output, ...flags], { cwd }).then(({ exitCode }) => exitCode);
  expect(await batch("out")).toBe(0);
  const sign = JSON.parse(await readFile(join(cwd, "out/batch.json"), "utf8")) as object;
  expect(await batch("deep/er")).toBe(0);
  await writeFile(join(cwd, "out/batch.json"), JSON.stringify({ ...sign, format: 1_000 }));
  expect(await batch("third")).toBe(0);
  for (const output of ["deep/er", "third"]) {
    const workspace = [cwd, output, "workspaces/a"];
    expect(await namesIn(...workspace)).toEqual(
      expect.arrayContaining(["agents", "data", "step.sh", "tasks.jsonl"]),
    );
    for (const name of ["out", "deep/er", "third"]) expect(await namesIn(...workspace, name)).toEqual([]);
    expect(await namesIn(...workspace, "data")).toEqual(["batch.json"]);
  }
});
