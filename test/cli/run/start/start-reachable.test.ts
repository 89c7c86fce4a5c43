import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createTempProject } from "../../../temp-project.ts";
import { legion } from "../../legion.ts";
import { buildProgram, run, runToEnd } from "../../program.ts";

beforeAll(buildProgram, 120_000);

const SCRIPTED = ["--model", "scripted:script.yaml", "--tick", "0"];
/** Waits for the file `go`. */
const WAIT = `- calls: [{ action: executeCommand, parameters: { command: "until [ -e go ]; do sleep 0.02; done" } }]`;

const projectWith = (script: string): Promise<string> => createTempProject({ "script.yaml": script });

describe("a node", () => {
  it("is found by a command that is there from the start", async () => {
    const cwd = await projectWith("[]");
    const { code, out } = await runToEnd(["start", "2", ...SCRIPTED, "--until-idle"], {
      cwd,
      stdin: "/ps\n",
    });
    expect(code).toBe(0);
    expect(out).toContain("runs 2 of 2");
    expect(out).not.toContain("No node runs");
  });

  it("still answers other terminals while it finishes what runs", async () => {
    const cwd = await projectWith(WAIT);
    const node = run(["start", ...SCRIPTED, "--yes", "--task", "wait"], { cwd });
    await node.until("executeCommand");
    node.child.kill("SIGTERM");
    await node.until("Ending: what runs is finished first");
    const { out } = await legion(["ps"], { cwd });
    expect(out).toContain("acting");
    expect(out).not.toContain("No node runs");
    await writeFile(join(cwd, "go"), "");
    expect(await node.ended).toMatchObject({ code: 0 });
  });
});
