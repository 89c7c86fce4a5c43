import { chmod, copyFile, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { createTempProject } from "../../../temp-project.ts";
import { legion } from "../../legion.ts";
import { git, repository } from "../../../environment/workspace/trees.ts";
import {
  batchProject,
  done,
  jsonAt,
  linesFor,
  namesIn,
  statuses,
  stepScript,
  typeBatch,
  type TypedBatch,
} from "./project.ts";

const STAND_IN = fileURLToPath(new URL("../../../environment/container/stand-in.mjs", import.meta.url));

let BATCH: TypedBatch["argv"];
let batch: TypedBatch["batch"];
beforeEach(async () => {
  ({ argv: BATCH, batch } = await typeBatch());
});

describe("a batch", () => {
  it("has each task done in a copy of the project, and leaves a trajectory of each, predictions and a summary", async () => {
    const cwd = await batchProject();
    const { exitCode, out, err } = await batch(cwd, "-w", "2");
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^TASK {2}STATUS +STEPS +COST +TIME\na +Submitted +4 +-/);
    expect(err).toMatch(/^b: Submitted · 4 steps · free · \S+ \(\d of 3\)$/m);
    expect(err).toMatch(/\n3 of 3 tasks submitted · 12 steps · free · \S+ · out\/preds\.json\n$/);
    expect(await jsonAt(cwd, "out/preds.json")).toEqual(
      Object.fromEntries(
        ["a", "b", "c"].map((id) => [
          id,
          {
            model_name_or_path: "openai/tester",
            instance_id: id,
            model_patch: "Done.",
          },
        ]),
      ),
    );
    expect(await jsonAt(cwd, "out/summary.json")).toMatchObject({
      totals: { tasks: 3, submitted: 3, steps: 12, cost: 0 },
      tasks: [{ id: "a", agent: "a", status: "Submitted", steps: 4, reason: "" }, { id: "b" }, { id: "c" }],
    });
    expect(await jsonAt(cwd, "out/b/b.traj.json")).toMatchObject({
      trajectory_format: "mini-swe-agent-1.1",
      info: { exit_status: "Submitted", submission: "Done." },
    });
    expect(await namesIn(cwd)).not.toContain("done.txt");
  });

  it("is reached by its folder: every command takes it as a run", async () => {
    const cwd = await batchProject();
    await batch(cwd);
    const of = async (...argv: readonly string[]) => legion([...argv, "--run", "./out"], { cwd });
    expect((await of("ps", "--json")).json).toMatchObject([{ id: "a", steps: 4 }, { id: "b" }, { id: "c" }]);
    expect((await of("log", "b")).out).toContain("Do b.");
    const trajectory = await of("log", "c", "--format", "mini-swe");
    expect(trajectory.out).toBe(await readFile(join(cwd, "out/c/c.traj.json"), "utf8"));
    expect((await of("approvals")).exitCode).toBe(0);
    expect((await of("doctor")).out).not.toContain("does not belong here");
    expect((await of("ps")).out).toMatch(
      /\nNo node runs; `legion batch <file> --output \.\/out` starts one\.\n$/,
    );
    expect(await of("start")).toMatchObject({
      exitCode: 2,
      err: "legion: --run: that is a batch; `legion batch <file> --output ./out` goes on with it\n",
    });
    expect(await legion(["ps", "--run", "./uot"], { cwd })).toMatchObject({
      exitCode: 2,
      err: 'legion: --run: there is no batch in "./uot"\n',
    });
  });

  it("tells programs of each task, and of all of them, as JSON", async () => {
    const cwd = await batchProject({ "tasks.jsonl": linesFor("a", "b") });
    const { json } = await legion([...BATCH, "--json"], { cwd });
    expect(json).toMatchObject([
      { kind: "task", id: "a", status: "Submitted", steps: 4, cost: 0 },
      { kind: "task", id: "b", status: "Submitted" },
      { kind: "end", tasks: 2, submitted: 2, steps: 8, predictions: join(cwd, "out/preds.json") },
    ]);
  });

  it("goes on whatever stops one of its tasks", async () => {
    const folders = linesFor("a").trimEnd().replace("}", ',"workspace":"sub"}');
    const cwd = await batchProject({ "tasks.jsonl": `${folders}\n${linesFor("b")}`, "sub/x": "" });
    // Something else lies where its copy would be.
    await mkdir(join(cwd, "out"));
    await writeFile(join(cwd, "tasks-first.jsonl"), linesFor("b"));
    await legion(["batch", "tasks-first.jsonl", "--output", "out", ...BATCH.slice(4)], { cwd });
    await writeFile(join(cwd, "out/workspaces/a"), "");
    const { exitCode, out } = await batch(cwd);
    expect(exitCode).toBe(1);
    expect(out).toMatch(/a +Error +0 .*workspaces\/a is no folder; move it away/);
    expect(await statuses(cwd)).toEqual(["a Error", "b Submitted"]);
    expect(await jsonAt(cwd, "out/preds.json")).toMatchObject({ a: { model_patch: "" } });
    await rm(join(cwd, "out/workspaces/a"));
    await writeFile(join(cwd, "sub/step.sh"), stepScript(1));
    expect((await batch(cwd)).exitCode).toBe(0);
    expect(await done(cwd, "a")).toBe("step 0\n");
  });

  it("finds no repository around a copy that is none, and its own in one that is", async () => {
    const top = `git rev-parse --show-toplevel > top.txt 2>&1\n${stepScript(0)}`;
    const cwd = await batchProject({
      "step.sh": top,
      "plain/step.sh": top,
      "tasks.jsonl": `${linesFor("a")}{"id":"b","task":"Do b.","workspace":"plain"}\n`,
    });
    repository(cwd, {});
    expect((await batch(cwd)).exitCode).toBe(0);
    const found = (agent: string) => readFile(join(cwd, "out/workspaces", agent, "top.txt"), "utf8");
    expect(await found("a")).toBe(`${join(cwd, "out/workspaces/a")}\n`);
    expect(await found("b")).toContain("not a git repository");
  });

  it("has the tasks file in no patch, whether the project's repository knows it or not", async () => {
    const cwd = await batchProject({
      "step.sh": "git add -A; git diff --cached --name-only > names; echo ALL IS DONE",
    });
    const staged = (agent: string) => readFile(join(cwd, "out/workspaces", agent, "names"), "utf8");
    repository(cwd, {});
    expect((await batch(cwd)).exitCode).toBe(0);
    expect(await staged("a")).toBe("");
    git(cwd, "rm", "-q", "--cached", "tasks.jsonl");
    git(cwd, "commit", "-qm", "two");
    expect((await batch(cwd, "--redo", "a")).exitCode).toBe(0);
    expect(await staged("a-2")).toBe("");
    // Nor is what the batch keeps a part of the project; its results may be.
    git(cwd, "add", "-A");
    const added = git(cwd, "diff", "--cached", "--name-only", "--", "out").trim().split("\n");
    expect(added).toContain("out/preds.json");
    expect(
      added.filter((path) => /^out\/(agents|homes|lock|logs|workspaces|\.gitignore)/.test(path)),
    ).toEqual([]);
  });
});

describe("a batch of images", () => {
  const task = (image: string) => `${JSON.stringify({ id: "a", task: "Do a.", image })}\n`;

  it("is refused where there is no engine, or an image is not here, and nothing is written", async () => {
    const cwd = await batchProject({ "tasks.jsonl": task("no-such-image") });
    const before = await namesIn(cwd);
    const empty = await createTempProject({});
    const none = await legion(BATCH, { cwd, env: { PATH: empty } });
    expect(none).toMatchObject({ exitCode: 2, err: expect.stringContaining("needs docker or podman") });
    const engine = await createTempProject({ "package.json": '{ "type": "module" }' });
    await copyFile(STAND_IN, join(engine, "docker"));
    await chmod(join(engine, "docker"), 0o755);
    const PATH = `${engine}${delimiter}${process.env["PATH"]}`;
    const absent = await legion(BATCH, { cwd, env: { PATH } });
    expect(absent).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining(
        "docker has no image no-such-image here: `docker pull no-such-image` gets it",
      ),
    });
    expect(await namesIn(cwd)).toEqual(before);
  });
});

describe("a batch is refused, and nothing is written:", () => {
  const rows: readonly (readonly [what: string, argv: readonly string[], why: RegExp])[] = [
    [
      "a tasks file that is not there",
      ["none.jsonl", "--output", "out"],
      /none\.jsonl: there is no such file/,
    ],
    ["a broken line 117", ["broken.jsonl", "--output", "out"], /broken\.jsonl:117: no object of JSON/],
    ["no output", ["tasks.jsonl"], /--output/],
    ["an output that is nothing", ["tasks.jsonl", "--output", " "], /--output: expected a folder/],
    [
      "the project as output",
      ["tasks.jsonl", "--output", "."],
      /holds the project; name a folder of its own/,
    ],
    [
      "an output with something else in it",
      ["tasks.jsonl", "--output", "full"],
      /is no batch, and holds `x`/,
    ],
    ["an output that is a file", ["tasks.jsonl", "--output", "step.sh"], /`step\.sh` is no folder/],
    [
      "an output under a file",
      ["tasks.jsonl", "--output", "step.sh/out"],
      /a file is in the place of a folder/,
    ],
    ["an output among keys", ["tasks.jsonl", "--output", ".ssh/out"], /is protected/],
    ["an output in the state of the project", ["tasks.jsonl", "--output", ".ai-legion/out"], /is protected/],
    ["no workers", ["tasks.jsonl", "--output", "out", "-w", "0"], /--workers: expected a number from 1 up/],
    [
      "too many",
      ["tasks.jsonl", "--output", "out", "-w", "1000"],
      /--workers: expected a number from 1 to 256/,
    ],
    ["an agent that is not there", ["tasks.jsonl", "--output", "out", "--agent", "nobody"], /nobody/],
    ["limits that are none", ["tasks.jsonl", "--output", "out", "--limits", "x=1"], /is no limit/],
  ];
  it.each(rows)("%s", async (_, argv, why) => {
    const many = Array.from({ length: 200 }, (_, index) => linesFor(`t${index}`));
    many[116] = '{"id": "t116", "task":\n';
    const cwd = await batchProject({ "full/x": "", "broken.jsonl": many.join("") });
    const before = await namesIn(cwd);
    const refused = await legion(["batch", ...BATCH.slice(4), ...argv], { cwd });
    expect(refused).toMatchObject({ exitCode: 2, out: "", err: expect.stringMatching(why) });
    expect(refused.err.trimEnd()).not.toContain("\n");
    expect(await namesIn(cwd)).toEqual(before);
  });
});

describe("hostile: folders of batches", () => {
  it("a folder that is a link, or holds one, is refused, and nothing is written through it", async () => {
    const cwd = await batchProject({ "elsewhere/keep": "" });
    await symlink("elsewhere", join(cwd, "out"));
    expect(await batch(cwd)).toMatchObject({ exitCode: 2, err: expect.stringContaining("`out` is a link") });
    await rm(join(cwd, "out"));
    await batch(cwd);
    await rm(join(cwd, "out/b"), { recursive: true });
    await symlink("../elsewhere", join(cwd, "out/b"));
    expect(await batch(cwd)).toMatchObject({ exitCode: 2, err: expect.stringContaining("out/b is a link") });
    expect(await namesIn(cwd, "elsewhere")).toEqual(["keep"]);
  });

  it("what somebody else wrote of a task leads nowhere", async () => {
    const cwd = await batchProject({ "elsewhere/keep": "" });
    await batch(cwd);
    for (const agent of ["../../elsewhere", "..", "0", "", 7]) {
      await writeFile(join(cwd, "out/a/task.json"), JSON.stringify({ agent, line: "x", worker: "x" }));
      expect(await batch(cwd)).toMatchObject({
        exitCode: 1,
        err: expect.stringContaining("--redo a begins"),
      });
    }
    await rm(join(cwd, "out/a/task.json"));
    await symlink("../../elsewhere/keep", join(cwd, "out/a/task.json"));
    expect((await batch(cwd)).exitCode).not.toBe(0);
    expect(await readFile(join(cwd, "elsewhere/keep"), "utf8")).toBe("");
  });
});
