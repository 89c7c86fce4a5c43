import { join } from "node:path";
import { expect, it } from "vitest";
import { makeImage } from "../../../environment/container/image.ts";
import { legion } from "../../legion.ts";
import { batchProject, done, jsonAt, namesIn, statuses, stepScript, typeBatch } from "./project.ts";

const IMAGE = "localhost/ai-legion-batch";
const runs = makeImage(IMAGE, { "/testbed/step.sh": `cat /proc/1/comm >> where.txt; ${stepScript(2)}` });

/** As those of SWE-bench, whose images have the repository in /testbed. */
const line = (id: string): string =>
  `${JSON.stringify({ instance_id: id, problem_statement: `Do ${id}.`, image_name: IMAGE })}\n`;

it.runIf(runs)("tasks of images are worked at in containers, each in what its image holds", async () => {
  const { argv } = await typeBatch();
  const cwd = await batchProject({
    "tasks.jsonl": ["a", "b", "c"].map(line).join(""),
    ".ai-legion/config.yaml": "environment: podman\n",
  });
  const env = Object.fromEntries(
    ["PATH", "HOME", "CONTAINERS_CONF"].map((name) => [name, process.env[name] ?? ""]),
  );
  const begun = await legion([...argv, "-w", "2"], { cwd, env });
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
