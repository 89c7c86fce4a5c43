// A task of a program, to its end: the same ends, the same log and the same trajectory as under `legion run`.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defineModule, run, type RunOptions } from "../../src/index.ts";
import { createScriptedModel, type Script } from "../../src/model/scripted/scripted.ts";
import { legion } from "../cli/legion.ts";
import { buildProgram } from "../cli/program.ts";
import { createTempProject } from "../temp-project.ts";
import { call } from "./programs.ts";

const HELPER = "---\nmodules: [core, notes]\nprotocol: tools\n---\n\nHelp.\n";
const NOTE = call("writeNote", { title: "plan", content: "walk" });
const SUBMIT = `- calls: [{ action: bash, parameters: { command: "echo MINI_SWE_AGENT_FINAL_OUTPUT; echo a patch" } }]
`;
const CONFIG = `agent:
  system_template: You mend bugs.
  instance_template: "{{ task }}"
model:
  observation_template: "{{ output.output }}"
  format_error_template: "{{ error }}"
  cost_tracking: ignore_errors
`;

async function runIn(script: Script, options: RunOptions = {}) {
  const project = options.project ?? (await createTempProject({ "agents/helper.md": HELPER }));
  const model = createScriptedModel(script, { tools: true });
  const result = await run("Plan a walk.", {
    agent: "helper",
    model,
    approvals: "deny",
    ...options,
    project,
  });
  const logged = await legion(["log", "1", "--json", "--run", result.run], { cwd: project });
  return { project, model, result, log: logged.out };
}

const runsIn = (project: string) => readdir(join(project, ".ai-legion/runs")).catch(() => []);

describe("run", () => {
  it("gives an agent a task, and resolves with its end, its bill and its trajectory", async () => {
    const { project, result, log } = await runIn([NOTE, "It is written down."]);
    expect(result).toEqual({
      run: (await runsIn(project))[0],
      end: "Submitted",
      submission: "It is written down.",
      answer: "It is written down.",
      reason: "",
      steps: 2,
      tokens: expect.any(Number),
      cost: expect.toSatisfy((cost) => cost === 0 || cost === null),
      timeMs: expect.any(Number),
      trajectory: join(project, ".ai-legion/runs", result.run, "trajectory.json"),
    });
    expect(log).toContain('"reason":"ended"');
    const told = await legion(["log", "1", "--format", "mini-swe", "--run", result.run], { cwd: project });
    expect(JSON.parse(await readFile(result.trajectory, "utf8"))).toEqual(JSON.parse(told.out));
    expect((await legion(["runs", "--json"], { cwd: project })).out).toContain('"end":"Submitted"');
  });

  it("acts as a configuration of mini-SWE-agent says", { timeout: 120_000 }, async () => {
    await buildProgram();
    const project = await createTempProject({ "mini.yaml": CONFIG, "script.yaml": SUBMIT });
    const config = [join(project, "mini.yaml"), "agent.step_limit=5"];
    // Templates are rendered in a thread, of the built program.
    const library = new URL("../../dist/src/index.js", import.meta.url).href;
    const built = (await import(library)) as { readonly run: typeof run };
    const model = "scripted:script.yaml";
    const result = await built.run("Mend it.", { project, config, model, mode: "yolo" });
    expect(result).toMatchObject({ end: "Submitted", submission: "a patch\n", steps: 1 });
    const resumed = await legion(["run", "--resume", result.run], { cwd: project });
    expect(resumed.err).toMatch(/is over: Submitted/);
  });

  it("ends at its limits, which hold whatever the definition says, and `legion run --resume` goes on", async () => {
    const project = await createTempProject({
      "agents/helper.md": HELPER.replace("---\n\n", "limits: { steps: 9 }\n---\n\n"),
      "script.yaml": "- It is written down.\n",
    });
    const { result } = await runIn([NOTE, NOTE, NOTE], { project, limits: { steps: 2, time: 600_000 } });
    expect(result).toMatchObject({ end: "LimitsExceeded", steps: 2, submission: "", answer: undefined });
    expect(result.reason).toMatch(/2 model calls/);
    const model = ["--model", "scripted:script.yaml", "--approvals", "deny"];
    const resume = ["run", "--resume", result.run, ...model, "--json", "--limits"];
    expect((await legion([...resume, "cost=+1"], { cwd: project })).json).toMatchObject([
      { end: "LimitsExceeded", steps: 2 },
    ]);
    expect((await legion([...resume, "steps=+1"], { cwd: project })).json).toMatchObject([
      { end: "Submitted", submission: "It is written down.", steps: 3 },
    ]);
  });

  it.each(["the program", "a command"])("is stopped by %s at once, and can be gone on with", async (by) => {
    const project = await createTempProject({ "agents/helper.md": HELPER, "script.yaml": "- Done.\n" });
    const stop = new AbortController();
    let over: ReturnType<typeof runIn> | undefined;
    await new Promise<void>((resolve) => {
      const never: Script = () => (resolve(), new Promise(() => undefined));
      over = runIn(never, { project, signal: stop.signal });
    });
    const [name] = await runsIn(project);
    if (by === "the program") stop.abort();
    else expect((await legion(["stop", "--run", name!], { cwd: project })).exitCode).toBe(0);
    expect((await over!).result).toMatchObject({ run: name, end: "stopped", steps: 1, submission: "" });
    const model = ["--model", "scripted:script.yaml", "--approvals", "deny"];
    expect((await legion(["run", "--resume", name!, ...model], { cwd: project })).out).toBe("Done.\n");
  });

  it("has a folder of its own, so several run beside each other", async () => {
    const project = await createTempProject({ "agents/helper.md": HELPER });
    const runs = await Promise.all(["One.", "Two."].map((said) => runIn([said], { project })));
    expect(runs.map(({ result }) => result.submission)).toEqual(["One.", "Two."]);
    expect(await runsIn(project)).toHaveLength(2);
  });

  it.each<[string, string, unknown, RegExp]>([
    ["no task", " ", {}, /run: expected a text/],
    ["an unknown option", "Go.", { limit: 1 }, /run: unknown key "limit"; did you mean "limits"\?/],
    ["an unknown agent", "Go.", { agent: "nobody" }, /nobody/],
    ["an agent and a configuration", "Go.", { agent: "helper", config: "mini.yaml" }, /leave out agent/],
    ["an agent with an id", "Go.", { agent: { id: "2" } }, /leave out id/],
    ["no such configuration", "Go.", { config: "none.yaml" }, /none\.yaml/],
    ["a bad limit", "Go.", { limits: { steps: 0 } }, /run: limits\.steps/],
    [
      "a mode without anybody",
      "Go.",
      { agent: "helper", mode: "confirm" },
      /mode confirm asks .*mode: "yolo"/,
    ],
    ["an unknown mode", "Go.", { mode: "human" }, /run: mode: expected "usual", "confirm" or "yolo"/],
    ["no sandbox", "Go.", { agent: { agent: "helper", environment: "local" } }, /there is no sandbox here/],
    ["a place where no file can be", "Go.", { output: "out/" }, /run: output: "out\/" is a folder/],
  ])("refuses %s, in one line, and writes nothing", async (_, task, options, message) => {
    const project = await createTempProject({ "agents/helper.md": HELPER });
    const model = createScriptedModel(["Done."]);
    const refused = run(task, { model, project, ...(options as RunOptions) });
    await expect(refused).rejects.toMatchObject({
      code: expect.stringMatching(/^(USAGE|CONFIG)$/),
      message: expect.stringMatching(message),
    });
    expect(await readdir(project)).not.toContain(".ai-legion");
  });

  it("rejects where a module closes badly, and leaves its trajectory whole", async () => {
    const project = await createTempProject({ "agents/helper.md": HELPER });
    const faulty = defineModule({
      name: "faulty",
      instructions: ({ onClose }) => {
        onClose(() => Promise.reject(new Error("cannot close")));
        return "Be faulty.";
      },
      actions: {},
    });
    const agent = { agent: "helper", modules: ["core", faulty] };
    await expect(runIn(["Done."], { project, agent })).rejects.toThrow("cannot close");
    const [name] = await runsIn(project);
    const path = join(project, ".ai-legion/runs", name!, "trajectory.json");
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({
      info: { exit_status: "Submitted", submission: "Done." },
    });
  });

  it("does not begin where its signal has aborted", async () => {
    const project = await createTempProject({ "agents/helper.md": HELPER });
    const signal = AbortSignal.abort(new Error("too late"));
    await expect(runIn(["Done."], { project, signal })).rejects.toThrow("too late");
    expect(await runsIn(project)).toEqual([]);
  });
});
