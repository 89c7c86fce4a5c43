import { chown, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { picture } from "../../../hostile/folder.ts";
import { repository } from "../../../environment/workspace/trees.ts";
import { startOllama } from "../../../local-servers.ts";
import { createTempProject } from "../../../temp-project.ts";
import { buildProgram, run, runToEnd, type Run } from "../../program.ts";
import { jsonAt, linesFor } from "./project.ts";

const COMMANDS = 3;
const HAND_IN = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; cat done.txt";
/** A file that has to be there before a task does anything; absent: it waits for none. */
type GateOf = (task: number) => string | undefined;

/** Each answer has a command of its own, also after one that was lost: whatever stands twice in a file was done twice. */
function createMind(gateOf: GateOf = () => undefined) {
  const asked = new Map<string, number>();
  return (prompt: string) => {
    const [, number = ""] = /Do t(\d+)\./.exec(prompt) ?? [];
    const n = asked.get(number) ?? 0;
    asked.set(number, n + 1);
    const gate = gateOf(Number(number));
    const held = gate === undefined ? "" : `until [ -e ${gate} ]; do sleep 0.05; done; `;
    const command = n < COMMANDS ? `${held}echo t${number}.${n} >> done.txt` : held + HAND_IN;
    return { action: "bash", parameters: { command } };
  };
}

const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `t${index}`);

/** Where commands run without a sandbox, which takes its time. */
const projectFor = (count: number): Promise<string> =>
  createTempProject({
    ".ai-legion/config.yaml": "environment: local\n",
    "tasks.jsonl": linesFor(...ids(count)),
    "src/a.txt": "a\n",
  });

/** Resolves once `text` is on its standard error. */
function untilError({ child, ended }: Run, text: string): Promise<void> {
  let err = "";
  return new Promise((resolve, reject) => {
    child.stderr.on("data", (more: string) => {
      err += more;
      if (err.includes(text)) resolve();
    });
    void ended.then(() => reject(new Error(`ended without ${text}:\n${err}`)));
  });
}

/** LEGION_BATCH_TASKS=200 is the long form. */
const TASKS = Number(process.env["LEGION_BATCH_TASKS"] ?? "24");

describe("a batch, as a process", () => {
  beforeAll(buildProgram, 120_000);

  it("killed twice and gone on with, has each task once, each command once, and leaves the source as it was", async () => {
    const outer = await createTempProject({});
    const doneAt = (kill: number): number => Math.floor((TASKS * kill) / 3);
    const gate = (kill: number): string => join(outer, `gate-${kill}`);
    // So that some are at work at each kill, however fast the others are.
    const mind = createMind((task) => [2, 1].filter((kill) => task >= doneAt(kill)).map(gate)[0]);
    const { baseUrl } = await startOllama([{ id: "tester" }], { mind });
    const cwd = await projectFor(TASKS);
    repository(cwd, {});
    const before = await picture(cwd);
    const output = join(outer, "out");
    const model = ["--model", "openai/tester", "--base-url", baseUrl];
    const argv = ["batch", "tasks.jsonl", "-w", "8", "--output", output, ...model, "--yolo", "--trust"];
    for (const at of [1, 2]) {
      const running = run(argv, { cwd });
      await untilError(running, `(${doneAt(at)} of ${TASKS})`);
      const second = await runToEnd(argv, { cwd });
      expect(second).toMatchObject({ code: 1, err: expect.stringContaining(`process ${running.child.pid}`) });
      running.child.kill("SIGKILL");
      await running.ended;
      await writeFile(gate(at), "");
    }
    const { code, err } = await runToEnd(argv, { cwd });
    expect({ code, err }).toMatchObject({
      code: 0,
      err: expect.stringContaining(`${TASKS} of ${TASKS} tasks`),
    });
    const { tasks } = (await jsonAt(output, "summary.json")) as { tasks: { id: string; status: string }[] };
    expect(tasks.map(({ id, status }) => `${id} ${status}`)).toEqual(
      ids(TASKS).map((id) => `${id} Submitted`),
    );
    const predictions = (await jsonAt(output, "preds.json")) as Record<string, { model_patch: string }>;
    expect(Object.keys(predictions).sort()).toEqual([...ids(TASKS)].sort());
    for (const id of ids(TASKS)) {
      const done = await readFile(join(output, "workspaces", id, "done.txt"), "utf8");
      // A command that was killed may not have happened; none happened twice.
      expect(new Set(done.split("\n")).size).toBe(done.split("\n").length);
      expect(predictions[id]!.model_patch).toBe(done);
      expect(await jsonAt(output, id, `${id}.traj.json`)).toMatchObject({
        info: { exit_status: "Submitted", submission: done },
      });
    }
    expect(await picture(cwd)).toEqual(before);
  }, 240_000);

  it("stops at SIGINT with 130, once what runs is finished, and goes on", async () => {
    const { baseUrl } = await startOllama([{ id: "tester" }], { mind: createMind() });
    const cwd = await projectFor(12);
    const model = ["--model", "openai/tester", "--base-url", baseUrl];
    const argv = ["batch", "tasks.jsonl", "-w", "2", "--output", "out", ...model, "--yolo", "--trust"];
    const running = run(argv, { cwd });
    await untilError(running, "(1 of 12)");
    running.child.kill("SIGINT");
    const stopped = await running.ended;
    expect(stopped).toMatchObject({ code: 130, out: expect.stringMatching(/t11 +waiting/) });
    expect(stopped.err).toContain("Ending: what runs is finished first; the same command goes on.");
    const { tasks } = (await jsonAt(cwd, "out/summary.json")) as { tasks: { id: string; status: string }[] };
    expect(Object.keys((await jsonAt(cwd, "out/preds.json")) as object)).toHaveLength(
      tasks.filter(({ status }) => status === "Submitted").length,
    );
    expect((await runToEnd(argv, { cwd })).code).toBe(0);
    const names = (await readdir(join(cwd, "out/workspaces"))).toSorted();
    expect(names).toEqual([...ids(12)].toSorted());
  }, 120_000);

  it("tells, naming the task, what of the project its workspace lacks", async () => {
    const { baseUrl } = await startOllama([{ id: "tester" }], { mind: createMind() });
    const cwd = await projectFor(1);
    await writeFile(join(cwd, "src/secret"), "", { mode: 0o000 });
    const nobody = process.getuid?.() === 0 ? { uid: 65_534 } : {};
    const config = await createTempProject({});
    for (const path of [cwd, join(cwd, ".ai-legion"), config])
      if (nobody.uid !== undefined) await chown(path, nobody.uid, -1);
    const model = ["--model", "openai/tester", "--base-url", baseUrl];
    const argv = ["batch", "tasks.jsonl", "--output", "out", ...model, "--yolo", "--trust"];
    const { code, err } = await runToEnd(argv, { cwd, ...nobody, env: { XDG_CONFIG_HOME: config } });
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining("t0: Submitted") });
    expect(err).toContain("t0: workspace: left out `src/secret`: EACCES\n");
    expect(await readdir(join(cwd, "out/workspaces/t0/src"))).toEqual(["a.txt"]);
  }, 60_000);

  it("is what a configuration of mini-SWE-agent says, which trajectories keep", async () => {
    const mini = `agent:
  system_template: You mend.
  instance_template: "Mend this: {{ task }}"
  step_limit: 7
`;
    const { baseUrl } = await startOllama([{ id: "tester" }], { mind: createMind() });
    const cwd = await projectFor(1);
    await writeFile(join(cwd, "mini.yaml"), mini);
    const model = ["--model", "openai/tester", "--base-url", baseUrl, "--config", "mini.yaml"];
    const argv = ["batch", "tasks.jsonl", "--output", "out", ...model, "--yolo", "--trust"];
    expect((await runToEnd(argv, { cwd })).code).toBe(0);
    const { info, messages } = (await jsonAt(cwd, "out/t0/t0.traj.json")) as {
      info: unknown;
      messages: readonly { content: string }[];
    };
    expect(info).toMatchObject({ config: { agent: { step_limit: 7 } } });
    expect(messages[1]!.content).toBe("Mend this: Do t0.");
    await writeFile(join(cwd, "mini.yaml"), mini.replace("mend", "fix"));
    const changed = await runToEnd(argv, { cwd });
    expect(changed).toMatchObject({ code: 2, err: expect.stringMatching(/`t0` began with another agent/) });
  }, 60_000);
});
