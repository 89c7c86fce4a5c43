import { spawnSync } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createTempProject } from "../../../temp-project.ts";
import { makeImage } from "../../../environment/container/image.ts";
import { legion } from "../../legion.ts";
import { batchProject, done, jsonAt, linesFor, namesIn, statuses, stepScript, typeBatch } from "./project.ts";

const IMAGE = "localhost/ai-legion-batch";
const FILES = { "/testbed/step.sh": `cat /proc/1/comm >> where.txt; ${stepScript(2)}` };
const runs = makeImage(IMAGE, FILES);

/** As those of SWE-bench, whose images have the repository in /testbed. */
const line = (id: string, image = IMAGE): string =>
  `${JSON.stringify({ instance_id: id, problem_statement: `Do ${id}.`, image_name: image })}\n`;

const GONE = "localhost/ai-legion-gone";
const inPodman = { ".ai-legion/config.yaml": "environment: podman\n" };
const variables = (more: object = {}) => ({
  ...Object.fromEntries(["PATH", "HOME", "CONTAINERS_CONF"].map((name) => [name, process.env[name] ?? ""])),
  ...more,
});

it.runIf(runs)("a batch goes on where the image of a task that is done is gone", async () => {
  makeImage(GONE, FILES);
  const { argv } = await typeBatch();
  const cwd = await batchProject({ "tasks.jsonl": line("a", GONE), ...inPodman });
  const env = variables();
  expect((await legion(argv, { cwd, env })).err).toMatch(/^1 of 1 task submitted/m);
  spawnSync("podman", ["rmi", "--force", GONE]);
  await writeFile(join(cwd, "tasks.jsonl"), line("a", GONE) + line("b"));
  expect((await legion(argv, { cwd, env })).err).toMatch(/^2 of 2 tasks submitted/m);
  expect(await statuses(cwd)).toEqual(["a Submitted", "b Submitted"]);
});

it.runIf(runs)("a batch is no batch in containers where a task of it has no image", async () => {
  const { argv } = await typeBatch();
  const bin = await createTempProject({ bwrap: "#!/bin/sh\nexit 1\n" });
  await chmod(join(bin, "bwrap"), 0o755);
  const cwd = await batchProject({ "tasks.jsonl": line("a") + linesFor("b") });
  const env = variables({ PATH: `${bin}:${process.env["PATH"]}` });
  const asked = argv.filter((word) => word !== "--yolo");
  const refused = await legion(asked, { cwd, env });
  expect(refused).toMatchObject({ exitCode: 2, err: expect.stringContaining("there is no sandbox here") });
});

it.runIf(runs)("tasks of images are worked at in containers, each in what its image holds", async () => {
  const { argv } = await typeBatch();
  const cwd = await batchProject({
    "tasks.jsonl": ["a", "b", "c"].map((id) => line(id)).join(""),
    ...inPodman,
  });
  const begun = await legion([...argv, "-w", "2"], { cwd, env: variables() });
  expect(begun.err).toMatch(/^3 of 3 tasks submitted/m);
  expect(begun.exitCode).toBe(0);
  expect(await statuses(cwd)).toEqual(["a Submitted", "b Submitted", "c Submitted"]);
  for (const id of ["a", "b", "c"]) {
    expect(await done(cwd, id)).toBe("step 0\nstep 1\n");
    expect(await namesIn(cwd, "out/workspaces", id)).toEqual(["done.txt", "step.sh", "where.txt"]);
  }
  expect(await jsonAt(cwd, "out/a/a.traj.json")).toMatchObject({ info: { exit_status: "Submitted" } });
  expect(await namesIn(join(cwd))).not.toContain("where.txt");
});
