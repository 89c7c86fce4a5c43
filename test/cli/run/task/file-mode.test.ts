// The mode that a configuration's file says: no word of the person, so it holds only as far as it is granted, at each start anew.

import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { run as runInProgram } from "../../../../src/index.ts";
import { openPersonFolder } from "../../../../src/storage/folder/person/folder.ts";
import { grant } from "../../../../src/storage/folder/person/trust.ts";
import { bubblewrapIsThere } from "../../../environment/opened.ts";
import { createTempProject } from "../../../temp-project.ts";
import { temporaryFolder } from "../../../world.ts";
import { buildProgram, runToEnd } from "../../program.ts";

const CONFIG = `agent:
  system_template: You mend.
  instance_template: "Mend this: {{ task }}"
  mode: yolo
`;
const SCRIPT = `- calls: [{ action: bash, parameters: { command: "echo 1 >> ran" } }]
- calls: [{ action: bash, parameters: { command: "echo 1 >> ran" } }]
`;
const MODEL = ["--model", "scripted:script.yaml"];
const RESUME = ["run", "--resume", "garden", "--limits", "steps=+1"];

const project = () => createTempProject({ "mini.yaml": CONFIG, "script.yaml": SCRIPT });
const ranIn = async (cwd: string) => (await readFile(join(cwd, "ran"), "utf8")).length / 2;

/** Where bubblewrap does not work. */
async function unconfined() {
  const bin = await createTempProject({ bwrap: "#!/bin/sh\nexit 1\n" });
  await chmod(join(bin, "bwrap"), 0o755);
  return { PATH: `${bin}:${process.env["PATH"]}` };
}

describe.runIf(bubblewrapIsThere)("a file's mode yolo that nobody granted", () => {
  beforeAll(buildProgram, 120_000);

  const begun = async (...typed: readonly string[]) => {
    const cwd = await project();
    const argv = ["run", "--config", "mini.yaml", ...MODEL, "--session", "garden", ...typed];
    const { code, err } = await runToEnd([...argv, "--limits", "steps=1", "mend it"], { cwd });
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining("LimitsExceeded") });
    expect(await ranIn(cwd)).toBe(1);
    return cwd;
  };

  it("holds in a sandbox, also where the run goes on, and nowhere else", async () => {
    const cwd = await begun();
    const env = await unconfined();
    const refused = await runToEnd(RESUME, { cwd, env });
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("there is no sandbox here") });
    expect(await ranIn(cwd)).toBe(1);
    const denied = await runToEnd([...RESUME, "--approvals", "deny"], { cwd, env });
    expect(denied).toMatchObject({ code: 1, err: expect.stringContaining("have not trusted it") });
    expect(await ranIn(cwd)).toBe(1);
    expect(await runToEnd(RESUME, { cwd })).toMatchObject({ code: 1 });
    expect(await ranIn(cwd)).toBe(2);
  });

  it("is not that of a run in a program either, once that goes on elsewhere", async () => {
    const cwd = await project();
    const library = new URL("../../../../dist/src/index.js", import.meta.url).href;
    const { run } = (await import(library)) as { readonly run: typeof runInProgram };
    const config = join(cwd, "mini.yaml");
    const model = "scripted:script.yaml";
    const { run: name } = await run("Mend it.", { project: cwd, config, model, limits: { steps: 1 } });
    expect(await ranIn(cwd)).toBe(1);
    const resume = ["run", "--resume", name, "--limits", "steps=+1"];
    expect(await runToEnd(resume, { cwd, env: await unconfined() })).toMatchObject({ code: 2 });
    expect(await ranIn(cwd)).toBe(1);
  });

  it.each([[["--yolo"]], [["--config", "agent.mode=yolo"]]])(
    "holds wherever it goes on, typed as %j",
    async (typed) => {
      const cwd = await begun(...typed);
      expect(await runToEnd(RESUME, { cwd, env: await unconfined() })).toMatchObject({ code: 1 });
      expect(await ranIn(cwd)).toBe(2);
    },
  );

  const ELSEWHERE = ["--environment", "local"];
  const STARTUP = `${CONFIG}run: { env_startup_command: "echo 1 >> ran" }\n`;
  const types = (...typed: readonly string[]) => [
    "run",
    "--config",
    "mini.yaml",
    ...MODEL,
    ...typed,
    "mend it",
  ];

  it("does not hold where the person has its commands run outside of the sandbox", async () => {
    const cwd = await createTempProject({ "mini.yaml": STARTUP, "script.yaml": SCRIPT });
    const refused = await runToEnd(types(...ELSEWHERE), { cwd });
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("nobody is at a terminal") });
    const denied = await runToEnd(types(...ELSEWHERE, "--approvals", "deny"), { cwd });
    expect(denied.err).toMatch(/have not trusted it/);
    await expect(ranIn(cwd)).rejects.toThrow("ENOENT");
    await runToEnd(types(...ELSEWHERE, "--yolo"), { cwd });
    expect(await ranIn(cwd)).toBe(2);
  });

  it("does not hold where a run that began in the sandbox goes on outside of it", async () => {
    const cwd = await begun();
    expect(await runToEnd([...RESUME, ...ELSEWHERE], { cwd })).toMatchObject({ code: 2 });
    expect(await ranIn(cwd)).toBe(1);
  });

  it.each([
    [
      "the file itself",
      "mini.yaml environment.kind",
      { "mini.yaml": `${CONFIG}environment: { environment_class: local }\n` },
    ],
    [
      "the project",
      ".ai-legion/config.yaml environment.kind",
      { ".ai-legion/config.yaml": "environment: local\n" },
    ],
  ])(
    "does not hold where %s may have commands run without a sandbox, and no more",
    async (_, what, files) => {
      const cwd = await createTempProject({ "mini.yaml": CONFIG, "script.yaml": SCRIPT, ...files });
      const env = { XDG_CONFIG_HOME: await temporaryFolder() };
      await grant(openPersonFolder(env), cwd, { what, value: "local" });
      expect(await runToEnd(types(), { cwd, env })).toMatchObject({ code: 2 });
      await expect(ranIn(cwd)).rejects.toThrow("ENOENT");
    },
  );

  it("leaves a place for its trajectory that was granted", async () => {
    const path = join(await temporaryFolder(), "it.json");
    const cwd = await createTempProject({
      "mini.yaml": CONFIG.replace("mode: yolo", `output_path: ${path}`),
      "script.yaml": SCRIPT,
    });
    const env = { XDG_CONFIG_HOME: await temporaryFolder() };
    await runToEnd(types("--yolo", "--limits", "steps=1", "--trust"), { cwd, env });
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({
      trajectory_format: "mini-swe-agent-1.1",
    });
  });
});
