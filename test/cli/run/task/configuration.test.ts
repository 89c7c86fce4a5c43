// Runs in bash alone, by `agents/swe.md` and by configurations of mini-SWE-agent: with templates, so with the built program.

import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createTempProject } from "../../../temp-project.ts";
import { SCHEMAS } from "../../../past/trajectory/schemas.ts";
import { buildProgram, run, runToEnd, type RunOptions } from "../../program.ts";

const CONFIG = `agent:
  system_template: You mend.
  instance_template: "Mend this: {{ task }}"
  step_limit: 2
run:
  task: the fence
`;
const bash = (command: string): string =>
  `- calls: [{ action: bash, parameters: { command: ${JSON.stringify(command)} } }]\n`;
const SUBMIT = bash("printf 'COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\\n a patch\\tit is'");
const MODEL = ["--model", "scripted:script.yaml", "--yes"];

const projectWith = (script: string) => createTempProject({ "mini.yaml": CONFIG, "script.yaml": script });
const trajectoryAt = async (path: string) =>
  SCHEMAS["mini-swe"].parse(JSON.parse(await readFile(path, "utf8"))) as {
    readonly info: Readonly<Record<string, unknown>>;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
  };

async function legion(argv: readonly string[], options: RunOptions) {
  const { code: exitCode, out, err } = await runToEnd(argv, options);
  return { exitCode, out, err };
}

describe("a run in bash", () => {
  beforeAll(buildProgram, 120_000);

  it("prints what a command handed in, byte for byte, and leaves a trajectory that is its log", async () => {
    const cwd = await projectWith(bash("echo 1 > a.txt") + SUBMIT);
    const argv = ["run", "--agent", "swe", ...MODEL, "--session", "garden", "mend it"];
    const { exitCode, out, err } = await legion(argv, { cwd });
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: " a patch\tit is" });
    const path = ".ai-legion/runs/garden/trajectory.json";
    expect(err).toMatch(/Submitted · 2 steps · free · \S+ · \.ai-legion\/runs\/garden\/trajectory\.json\n$/);
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("1\n");
    const log = await legion(["log", "1", "--format", "mini-swe", "--run", "garden"], { cwd });
    expect(await readFile(join(cwd, path), "utf8")).toBe(log.out);
    const { info, messages } = await trajectoryAt(join(cwd, path));
    expect(info).toMatchObject({ exit_status: "Submitted", submission: " a patch\tit is" });
    expect(messages.at(-1)!.role).toBe("exit");
  });

  it("is what a configuration says, with its task, and goes on as that", async () => {
    const cwd = await projectWith(bash("echo 1").repeat(2));
    const argv = ["run", "--config", "mini.yaml", ...MODEL, "--session", "garden"];
    const limited = await legion(argv, { cwd });
    expect({ exitCode: limited.exitCode, out: limited.out }).toEqual({ exitCode: 1, out: "" });
    expect(limited.err).toMatch(/LimitsExceeded · 2 steps · /);
    const path = join(cwd, ".ai-legion/runs/garden/trajectory.json");
    const { info, messages } = await trajectoryAt(path);
    expect(messages[1]!.content).toBe("Mend this: the fence");
    expect(info).toMatchObject({
      exit_status: "LimitsExceeded",
      model_stats: { api_calls: 2 },
      config: { agent: { step_limit: 2 } },
    });
    await writeFile(join(cwd, "script.yaml"), SUBMIT);
    const done = await legion(["run", "--resume", "garden", "--limits", "steps=+1", "--yes"], { cwd });
    expect(done).toMatchObject({ exitCode: 0, out: " a patch\tit is" });
    expect(await trajectoryAt(path)).toMatchObject({
      info: { exit_status: "Submitted", model_stats: { api_calls: 3 } },
    });
  });

  it("takes values behind files, and a task that was typed before the file's", async () => {
    const cwd = await projectWith(SUBMIT);
    const specs = ["--config", "mini.yaml", "--config", "agent.step_limit=7"];
    const output = join(cwd, "out/run.traj.json");
    const argv = ["run", ...specs, ...MODEL, "--output", output, "the gate"];
    expect((await legion(argv, { cwd })).exitCode).toBe(0);
    const { info, messages } = await trajectoryAt(output);
    expect(messages[1]!.content).toBe("Mend this: the gate");
    const agent = { step_limit: 7, output_path: output, mode: "yolo" };
    expect(info).toMatchObject({ config: { agent, model: { model_name: "scripted:script.yaml" } } });
    const [run = ""] = await readdir(join(cwd, ".ai-legion/runs"));
    expect(await readdir(join(cwd, ".ai-legion/runs", run))).not.toContain("trajectory.json");
    const log = await legion(["log", "1", "--format", "mini-swe", "--run", run], { cwd });
    expect(log.out).toBe(await readFile(output, "utf8"));
  });

  it.each([
    ["that its configuration names", "out/run.traj.json", ""],
    ["that was typed into it", "run.json", "agent.output_path=run.json"],
  ])("completes the file %s, where it is done", async (_, path, typed) => {
    const cwd = await projectWith(SUBMIT);
    const named = CONFIG.replace("step_limit: 2", "output_path: out/run.traj.json");
    await writeFile(join(cwd, "mini.yaml"), named);
    const specs = ["--config", "mini.yaml", ...(typed === "" ? [] : ["--config", typed])];
    const argv = ["run", ...specs, ...MODEL, "--session", "garden"];
    expect((await legion(argv, { cwd })).exitCode).toBe(0);
    const whole = await readFile(join(cwd, path), "utf8");
    await rm(join(cwd, path));
    const refused = await legion(["run", "--resume", "garden", "--json"], { cwd });
    expect(refused).toMatchObject({ exitCode: 2, err: expect.stringContaining("is over: Submitted") });
    expect(JSON.parse(refused.out)).toMatchObject({ trajectory: join(cwd, path) });
    expect(await readFile(join(cwd, path), "utf8")).toBe(whole);
    expect(await readdir(join(cwd, ".ai-legion/runs/garden"))).not.toContain("trajectory.json");
  });

  it("tells templates of the model and the limits that hold, whatever the file says", async () => {
    const said = CONFIG.replace(
      "Mend this",
      "{{ model_name }} {{ step_limit }} {{ cost_limit }} of {{ mode }}",
    );
    const cwd = await createTempProject({ "mini.yaml": said, "script.yaml": SUBMIT });
    const argv = ["run", "--config", "mini.yaml", "--config", "model.model_name=gpt-5", ...MODEL];
    expect((await legion([...argv, "--limits", "steps=9", "--session", "garden"], { cwd })).exitCode).toBe(0);
    const { messages } = await trajectoryAt(join(cwd, ".ai-legion/runs/garden/trajectory.json"));
    expect(messages[1]!.content).toBe("scripted:script.yaml 9 3.0 of yolo: the fence");
  });

  it("is watched over as the configuration says, and the word that was typed counts more", async () => {
    const cwd = await projectWith(SUBMIT);
    const argv = ["run", "--config", "mini.yaml", ...MODEL.slice(0, 2), "--session", "garden"];
    const open = await legion([...argv, "--config", "agent.mode=yolo"], { cwd });
    expect(open).toMatchObject({ exitCode: 0, out: " a patch\tit is" });
    const notices = await legion(["mode", "1", "--run", "garden"], { cwd });
    expect(notices.out).toContain("yolo");
    const refused = await legion(
      [...argv.slice(0, -1), "shed", "--config", "agent.mode=yolo", "--mode", "confirm"],
      { cwd },
    );
    expect(refused).toMatchObject({ exitCode: 2, err: expect.stringContaining("mode confirm asks") });
  });

  it("leaves unasked what its list of commands says, and nothing that a file alone lists", async () => {
    const cwd = await projectWith(bash("echo 1 > a.txt") + SUBMIT);
    const argv = ["run", "--config", "mini.yaml", ...MODEL.slice(0, 2)];
    const typed = ["--config", 'agent.whitelist_actions=["echo", "printf"]', "--mode", "confirm"];
    const done = await legion([...argv, ...typed, "--approvals", "wait"], { cwd });
    expect(done).toMatchObject({ exitCode: 0, out: " a patch\tit is" });
    const listing = CONFIG.replace("step_limit: 2", "mode: yolo\n  whitelist_actions: [echo]");
    await writeFile(join(cwd, "mini.yaml"), listing);
    const refused = await legion([...argv, "--config", "environment.environment_class=local"], { cwd });
    expect(refused).toMatchObject({ exitCode: 2, err: expect.stringContaining("there is no sandbox here") });
  });

  it("runs a startup command once; after kill -9 it says that it was cut off, and runs it at the next word", async () => {
    const cwd = await projectWith(SUBMIT);
    const startup = "echo {{ task }} >> begun; test $(wc -l < begun) -gt 1 || sleep 1000";
    const argv = ["run", "--config", "mini.yaml", ...MODEL, "--session", "garden"];
    const killed = run([...argv, "--config", `run.env_startup_command=${startup}`, "a"], { cwd });
    await expect
      .poll(() => readFile(join(cwd, "begun"), "utf8").catch(() => ""), { timeout: 20_000 })
      .toBe("a\n");
    killed.child.kill("SIGKILL");
    await killed.ended;
    const resume = ["run", "--resume", "garden", "--yes"];
    const said = await legion(resume, { cwd });
    expect(said).toMatchObject({ exitCode: 1, err: expect.stringContaining("cut off") });
    expect(said.err).toContain("legion run --resume garden goes on");
    expect(await legion(resume, { cwd })).toMatchObject({ exitCode: 0, out: " a patch\tit is" });
    expect(await readFile(join(cwd, "begun"), "utf8")).toBe("a\na\n");
  });

  it("keeps its configuration: goes on anywhere with what files said then, and says so", async () => {
    const cwd = await projectWith(bash("echo 1").repeat(2));
    await mkdir(join(cwd, "there"));
    await rename(join(cwd, "mini.yaml"), join(cwd, "there/mini.yaml"));
    const key = ["--config", "model.model_kwargs.api_key=sk-canary-0123456789abcdef"];
    const argv = ["run", "--dir", "..", "--config", "mini.yaml", ...key, ...MODEL, "--session", "garden"];
    expect(await legion(argv, { cwd: join(cwd, "there") })).toMatchObject({ exitCode: 1 });
    await writeFile(join(cwd, "script.yaml"), bash("echo 1"));
    const resume = ["run", "--resume", "garden", "--limits", "steps=+1", "--yes"];
    const same = await legion(resume, { cwd });
    expect(same.err).not.toContain("began");
    await writeFile(join(cwd, "there/mini.yaml"), CONFIG.replace("You mend", "You break"));
    const changed = await legion(resume, { cwd });
    expect(changed.err).toContain(
      "legion: there/mini.yaml changed since this was begun: what it said then holds, --config there/mini.yaml takes",
    );
    await rm(join(cwd, "there"), { recursive: true });
    await writeFile(join(cwd, "script.yaml"), SUBMIT);
    const done = await legion([...resume, "--config", "environment.timeout=7"], { cwd });
    expect(done).toMatchObject({ exitCode: 0, out: " a patch\tit is" });
    expect(done.err).toContain("there/mini.yaml is gone since this was begun: what it said then holds");
    const { info } = await trajectoryAt(join(cwd, ".ai-legion/runs/garden/trajectory.json"));
    const config = { agent: { system_template: "You mend." }, environment: { timeout: 7 } };
    expect(info).toMatchObject({ config });
    expect((await legion(["replay", "1", "--run", "garden"], { cwd })).out).toContain("identical");
    const files = await readdir(join(cwd, ".ai-legion"), { recursive: true, withFileTypes: true });
    for (const file of files.filter((one) => one.isFile()))
      expect(await readFile(join(file.parentPath, file.name), "utf8")).not.toContain("sk-canary");
  });

  it("has the model and the limits of its run where another agent goes on with it", async () => {
    const cwd = await projectWith(bash("echo 1").repeat(2));
    const argv = ["run", "--config", "mini.yaml", ...MODEL, "--limits", "steps=2", "--session", "garden"];
    expect(await legion(argv, { cwd })).toMatchObject({ exitCode: 1 });
    const other = ["run", "--resume", "garden", "--agent", "swe", "--yes"];
    const limited = await legion(other, { cwd });
    expect(limited.err).toContain("LimitsExceeded · 2 steps");
    await writeFile(join(cwd, "script.yaml"), SUBMIT);
    const done = await legion([...other, "--limits", "steps=+1"], { cwd });
    expect(done).toMatchObject({ exitCode: 0, out: " a patch\tit is" });
    const runs = await legion(["runs", "--json"], { cwd });
    expect(JSON.parse(runs.out)).toMatchObject({ agent: "swe", model: "scripted:script.yaml" });
  });

  it.each([
    ["a configuration that is not there", ["--config", "none.yaml", "x"], "none.yaml"],
    ["a template that is broken", ["--config", "broken.yaml", "x"], "line 2"],
    [
      "a name that nothing has",
      ["--config", "unknown.yaml", "x"],
      "unknown.yaml:4: agent.instance_template: 'taks' is undefined",
    ],
    [
      "a name that nothing has in what is run first",
      ["--config", "mini.yaml", "--config", "run.env_startup_command=cd {{ repo }}", "x"],
      "run.env_startup_command: line 1: 'repo' is undefined",
    ],
    [
      "a definition's name that nothing has",
      ["--agent", "typo", "x"],
      "agents/typo.md: templates.instance: line 1: 'taks' is",
    ],
    ["a configuration and an agent", ["--config", "mini.yaml", "--agent", "swe", "x"], "leave out --agent"],
    ["an output that is a folder", ["--output", "out/", "x"], "--output: "],
    ["an output that is nothing", ["--output", "", "x"], "--output: "],
  ])("is refused for %s, and nothing is written", async (_, argv, why) => {
    const cwd = await projectWith(SUBMIT);
    const broken = 'agent:\n  system_template: S\n  instance_template: "a\\n{% if %}"\n';
    await writeFile(join(cwd, "broken.yaml"), broken);
    const unknown = "agent:\n  system_template: S\n  instance_template: |\n    Mend {{ taks }}\n";
    await writeFile(join(cwd, "unknown.yaml"), unknown);
    await mkdir(join(cwd, "agents"));
    const typo = 'protocol: bash\ntemplates: { instance: "{{ taks }}", observation: o, formatError: f }';
    await writeFile(join(cwd, "agents/typo.md"), `---\n${typo}\n---\n\nMend.\n`);
    await mkdir(join(cwd, "out"));
    const before = await readdir(cwd);
    const refused = await legion(["run", ...MODEL, ...argv], { cwd });
    expect(refused).toMatchObject({ exitCode: 2, out: "", err: expect.stringContaining(why) });
    expect(refused.err.trimEnd()).not.toContain("\n");
    expect(await readdir(cwd)).toEqual(before);
  });

  const IN_DOCKER = [
    "--config",
    "environment.environment_class=docker",
    "--config",
    "environment.image=nope:1",
  ];
  it.each([
    [
      "docker without an engine",
      IN_DOCKER,
      "Cannot connect to the daemon",
      "docker does not answer: Cannot connect",
    ],
    ["an image that is absent", IN_DOCKER, "Error: No such image: nope:1", "`docker pull nope:1` gets it"],
  ])("is refused for %s, in one line with the cure, and nothing is written", async (_, more, says, why) => {
    const cwd = await projectWith(SUBMIT);
    const bin = await createTempProject({ docker: `#!/bin/sh\necho "${says}" >&2\nexit 1\n` });
    await chmod(join(bin, "docker"), 0o755);
    const before = await readdir(cwd);
    const env = { PATH: `${bin}:${process.env["PATH"]}` };
    const refused = await legion(["run", "--config", "mini.yaml", ...more, ...MODEL], { cwd, env });
    expect(refused).toMatchObject({ exitCode: 2, out: "", err: expect.stringContaining(why) });
    expect(refused.err.trimEnd()).not.toContain("\n");
    expect(await readdir(cwd)).toEqual(before);
  });

  it.each([
    ["a run that is absent", ["--resume", "nope"], "there is no run or session `nope` here"],
    [
      "an expression",
      ["--config", "mini.yaml", "--config", "agent.action_regex=("],
      "agent.action_regex: syntax error",
    ],
    ["an expression of a definition", ["--agent", "odd"], "agents/odd.md: actionRegex: syntax error"],
  ])("is refused for %s, in one line, and nothing is written", async (_, argv, why) => {
    const cwd = await projectWith(SUBMIT);
    await mkdir(join(cwd, "agents"));
    const odd =
      'protocol: bash\nactionRegex: "("\ntemplates: { instance: i, observation: o, formatError: f }';
    await writeFile(join(cwd, "agents/odd.md"), `---\n${odd}\n---\n\nMend.\n`);
    const before = await readdir(cwd);
    const refused = await legion(["run", ...argv, ...MODEL, "x"], { cwd });
    expect(refused).toMatchObject({ exitCode: 2, out: "", err: expect.stringContaining(why) });
    expect(refused.err.trimEnd()).not.toContain("\n");
    expect(await readdir(cwd)).toEqual(before);
  });
});
