import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { findProgram } from "../../../../src/environment/bubblewrap/system.ts";
import { temporaryFolder } from "../../../world.ts";
import { legion } from "../../legion.ts";
import { buildProgram, runToEnd } from "../../program.ts";
import { HELP, projectWith, runsIn } from "./project.ts";

const RUN = "- calls: [{ action: executeCommand, parameters: { command: echo ran } }]\n";

/** Where nothing can be run unless somebody says that it shall be run elsewhere. */
async function projectInAnEngine(script: string): Promise<string> {
  const cwd = await projectWith(script);
  await mkdir(join(cwd, ".ai-legion"), { recursive: true });
  await writeFile(join(cwd, ".ai-legion/config.yaml"), "environment: docker\n");
  return cwd;
}

/** No engine is found, whatever this machine has. */
async function withoutEngines(): Promise<{ readonly PATH: string }> {
  const folder = await temporaryFolder();
  for (const name of ["sh", "bash"]) {
    const program = findProgram(name, process.env["PATH"]!);
    if (program !== undefined) await symlink(program, join(folder, name));
  }
  return { PATH: folder };
}

async function resultsOf(cwd: string): Promise<readonly unknown[]> {
  const [run = ""] = await runsIn(cwd);
  const { json } = await legion(["log", "1", "--json", "--run", run], { cwd });
  return json.flatMap((event) => {
    const { kind, content } = event as { readonly kind: string; readonly content?: string };
    return kind === "result" ? [content] : [];
  });
}

it("commands of a run are run where --environment says, also where it is gone on with", async () => {
  const cwd = await projectInAnEngine(RUN.repeat(3));
  const env = await withoutEngines();
  const argv = ["run", ...HELP, "--yolo", "--environment", "local"];
  const begun = await legion([...argv, "--limits", "steps=1", "--session", "garden", "run it"], { cwd, env });
  expect(begun.err).toMatch(/LimitsExceeded/);
  await writeFile(join(cwd, "script.yaml"), `${RUN}- Done.\n`);
  const more = ["run", "--yolo", "--approvals", "deny", "--resume", "garden", "--limits", "steps=+3"];
  const gone = await legion(more, { cwd, env });
  expect(gone).toMatchObject({ exitCode: 0, out: "Done.\n" });
  expect(await resultsOf(cwd)).toEqual(Array(2).fill("Command executed successfully:\nran"));
});

it("a run is refused where its engine is missing, and where --environment is none", async () => {
  const cwd = await projectInAnEngine(RUN);
  const env = await withoutEngines();
  for (const [said, why] of [
    [[], /environment: docker is not installed/],
    [["--environment", "podman"], /environment: podman is not installed/],
    [["--environment", "vm"], /--environment: expected bubblewrap, local, docker or podman/],
    [["--environment", ""], /--environment: it is empty; say which, or leave the option out/],
  ] as const) {
    const { exitCode, err } = await legion(["run", ...HELP, ...said, "run it"], { cwd, env });
    expect(err).toMatch(why);
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(exitCode).toBe(2);
  }
  expect(await runsIn(cwd)).toEqual([]);
});

describe("where the commands of a run are run, once it is hosted by a start,", () => {
  beforeAll(buildProgram, 120_000);

  const kept = async (cwd: string) => {
    const record = join(cwd, ".ai-legion/runs/garden/agents/0/agent.json");
    const { lastStart } = JSON.parse(await readFile(record, "utf8")) as { lastStart: { flags: object } };
    return lastStart.flags;
  };
  const begun = async () => {
    const cwd = await projectWith("- Done.\n");
    const argv = ["run", ...HELP, "--yolo", "--environment", "local", "--session", "garden", "say it"];
    expect(await legion(argv, { cwd })).toMatchObject({ exitCode: 0 });
    expect(await kept(cwd)).toMatchObject({ environment: "local" });
    return cwd;
  };
  const start = ["start", "--run", "garden", "--until-idle", "--approvals", "deny"];

  it.each([[[]], [["--only", "1"]]])("is as its person typed it: %j", async (typed) => {
    const cwd = await begun();
    expect(await legion([...start, ...typed], { cwd })).toMatchObject({ exitCode: 0 });
    expect(await kept(cwd)).toMatchObject({ environment: "local" });
  });

  it("is not as somebody else typed it", async () => {
    const cwd = await begun();
    const env = { XDG_CONFIG_HOME: await temporaryFolder() };
    expect(await runToEnd([...start, "--trust"], { cwd, env })).toMatchObject({ code: 0 });
    expect(await kept(cwd)).not.toHaveProperty("environment");
  });
});
