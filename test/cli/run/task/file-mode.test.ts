// The mode that a configuration's file says: no word of the person, so it holds only as far as it is granted, at each start anew.

import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { run as runInProgram } from "../../../../src/index.ts";
import { bubblewrapIsThere } from "../../../environment/opened.ts";
import { createTempProject } from "../../../temp-project.ts";
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
});
