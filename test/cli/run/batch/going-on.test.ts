// What the same command does again, and another one for the same folder.

import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createTempProject } from "../../../temp-project.ts";
import { follow, legion } from "../../legion.ts";
import {
  batchProject,
  done,
  jsonAt,
  linesFor,
  namesIn,
  statuses,
  stepScript,
  summary,
  typeBatch,
  type TypedBatch,
} from "./project.ts";

let BATCH: TypedBatch["argv"];
let batch: TypedBatch["batch"];
beforeEach(async () => {
  ({ argv: BATCH, batch } = await typeBatch());
});

describe("a batch that was begun", () => {
  it("goes on with what is not submitted: nothing that is done is done again, and lines may be added", async () => {
    const cwd = await batchProject({ "step.sh": stepScript(4) });
    const limited = await batch(cwd, "--limits", "steps=2");
    expect(limited.exitCode).toBe(1);
    expect(limited.out).toMatch(/a +LimitsExceeded +2 .*may make 2 model calls/);
    expect(limited.err).toContain(
      "legion: 3 tasks are not submitted; the same command with higher --limits goes on\n",
    );
    expect(await done(cwd, "a")).toBe("step 0\nstep 1\n");
    await appendFile(join(cwd, "tasks.jsonl"), linesFor("d"));
    expect((await batch(cwd, "--limits", "steps=9")).exitCode).toBe(0);
    expect(await done(cwd, "a")).toBe("step 0\nstep 1\nstep 2\nstep 3\n");
    expect(await statuses(cwd)).toEqual(["a Submitted", "b Submitted", "c Submitted", "d Submitted"]);
    const before = await jsonAt(cwd, "out/preds.json");
    expect(Object.keys(before as object).sort()).toEqual(["a", "b", "c", "d"]);
    const again = await batch(cwd);
    expect(again).toMatchObject({
      exitCode: 0,
      err: expect.stringMatching(/^4 of 4 tasks submitted · 24 steps/),
    });
    expect(await jsonAt(cwd, "out/preds.json")).toEqual(before);
  });

  it("begins no task that could do nothing, once what all may spend is used up", async () => {
    const cwd = await batchProject();
    const { exitCode, err } = await batch(cwd, "-w", "1", "--limits", "tokens=6000");
    expect(exitCode).toBe(1);
    expect(err).toMatch(/tokens.*; the same command with higher --limits goes on\n/);
    const all = await statuses(cwd);
    expect(all.at(-1)).toBe("c waiting");
    expect(await namesIn(cwd, "out/workspaces")).not.toContain("c");
    expect((await batch(cwd)).exitCode).toBe(0);
  });

  it("whose person's purse is empty goes on when that begins anew, which no flag makes sooner", async () => {
    const cwd = await batchProject();
    const person = await createTempProject({ "ai-legion/config.yaml": "limits: { day: { steps: 2 } }\n" });
    const env = { XDG_CONFIG_HOME: person };
    for (const flags of [[], ["--limits", "steps=100"]]) {
      const { exitCode, err } = await legion([...BATCH, "-w", "1", ...flags], { cwd, env });
      expect(exitCode).toBe(1);
      expect(err).toMatch(
        /legion: your agents in all projects may make 2 model calls a day.*; the same command goes on from \d{4}-\d\d-\d\d on, or once you raise that limit there\n/,
      );
    }
    await writeFile(join(person, "ai-legion/config.yaml"), "limits: { day: { steps: 100 } }\n");
    expect((await legion(BATCH, { cwd, env })).exitCode).toBe(0);
  });

  it("refuses a line that changed once its task was begun, and begins it anew where that is said", async () => {
    const cwd = await batchProject({ "tasks.jsonl": linesFor("a", "b") });
    await batch(cwd);
    await writeFile(join(cwd, "tasks.jsonl"), linesFor("a", "b").replace("Do b.", "Do it."));
    expect(await batch(cwd)).toEqual({
      exitCode: 2,
      out: "",
      err: "legion: tasks.jsonl:2: the task `b` was begun as another one; put that back, or `--redo b` begins it anew\n",
    });
    expect((await batch(cwd, "--redo", "b")).exitCode).toBe(0);
    expect((await summary(cwd)).map(({ agent }) => agent)).toEqual(["a", "b-2"]);
    expect(await done(cwd, "b-2")).toBe("step 0\nstep 1\n");
    const { out } = await legion(["log", "b-2", "--run", "out"], { cwd });
    expect(out).toContain("Do it.");
    // Said once, it holds.
    expect((await batch(cwd)).err).toMatch(/^2 of 2 tasks submitted · 8 steps/);
  });

  it("stopped while it begins tasks anew, goes on with those once that is not said again, as it tells", async () => {
    const held = (folder: string) =>
      `case "$PWD" in */b-2) until [ -e ${folder}/go ]; do sleep 0.05; done;; esac\n${stepScript(2)}`;
    const cwd = await batchProject({ "tasks.jsonl": linesFor("a", "b") });
    await batch(cwd);
    await writeFile(join(cwd, "step.sh"), held(cwd));
    const anew = follow([...BATCH, "-w", "1", "--redo", "a,b"], { cwd });
    await anew.untilError("a: Submitted");
    const stopping = legion(["stop", "--run", "./out"], { cwd });
    await anew.untilError("Ending: what runs is finished first; the same command without --redo goes on.");
    await writeFile(join(cwd, "go"), "");
    const { exitCode, err } = await anew.ended;
    expect((await stopping).exitCode).toBe(0);
    expect({ exitCode, err }).toEqual({
      exitCode: 130,
      err: expect.stringContaining(": 1 task is not submitted; the same command without --redo goes on\n"),
    });
    const limited = await batch(cwd, "--redo", "a", "--limits", "steps=1");
    expect(limited.err).toContain("; the same command with higher --limits and without --redo goes on\n");
    expect((await batch(cwd)).exitCode).toBe(0);
    expect((await summary(cwd)).map(({ agent }) => agent)).toEqual(["a-3", "b-2"]);
    expect(await done(cwd, "b-2")).toBe("step 0\nstep 1\n");
  });

  it("refuses another model or agent for tasks that were begun; what begins them anew can be copied", async () => {
    const cwd = await batchProject({ "tasks.jsonl": linesFor("a", "b", "c", "d", "e", "f") });
    await batch(cwd);
    const other = (...more: readonly string[]) =>
      legion([...BATCH, "--model", "openai/other", ...more], { cwd });
    const what = "began with another agent, model or configuration; say the same again, name a new --output,";
    expect(await other()).toMatchObject({
      exitCode: 2,
      err: `legion: \`a\` and 5 more ${what} or begin anew with \`--redo a,b,c,d,e\` and 1 more\n`,
    });
    expect(await other("--redo", "a,b,c,d,e")).toMatchObject({
      exitCode: 2,
      err: `legion: \`f\` ${what} or begin anew with \`--redo f\`\n`,
    });
    expect((await other("--redo", "a,b,c,d,e", "--redo", "f")).exitCode).toBe(0);
    expect((await summary(cwd)).map(({ agent }) => agent)).toEqual(
      ["a", "b", "c", "d", "e", "f"].map((id) => `${id}-2`),
    );
    expect((await batch(cwd, "--redo", "z")).err).toContain("--redo: there is no task `z` in tasks.jsonl.");
  });
});
