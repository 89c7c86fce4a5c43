import { chmod, copyFile, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeEnvironment, type EnvironmentUnderTest } from "../environment-contract.ts";
import { describePrograms } from "../programs-contract.ts";
import { openChosen, placeIn } from "../opened.ts";
import type { EnvironmentChoice } from "../../../src/environment/settings.ts";

let programs: string;
beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), "legion-stand-in-"));
  for (const kind of ["docker", "podman"]) {
    await copyFile(new URL("./stand-in.mjs", import.meta.url), join(programs, kind));
    await chmod(join(programs, kind), 0o755);
  }
  // Without a name that says so, Node takes the programs for CommonJS.
  await writeFile(join(programs, "package.json"), '{ "type": "module" }');
});
afterAll(() => rm(programs, { recursive: true }));

const withPrograms = (variables: NodeJS.ProcessEnv) => ({
  ...variables,
  PATH: `${programs}${delimiter}${variables["PATH"]}`,
});

for (const kind of ["docker", "podman"] as const) {
  const stoodIn: EnvironmentUnderTest = {
    name: `${kind}, by a stand-in`,
    path: () => withPrograms(process.env).PATH,
    open: (workspace, variables) => openChosen({ kind }, placeIn(workspace), withPrograms(variables)),
  };
  describeEnvironment(stoodIn);
  describePrograms(stoodIn);
}

describe("what docker and podman are told", () => {
  async function told(choice: EnvironmentChoice) {
    const workspace = await realpath(await mkdtemp(join(tmpdir(), 'legion, a "container" ')));
    await mkdir(join(workspace, "app"));
    await writeFile(join(workspace, "app/.env"), "SECRET=1");
    await mkdir(join(workspace, "app/.vscode"));
    await rm(join(programs, "told.jsonl"), { force: true });
    const variables = withPrograms({ ...process.env, JAVA_HOME: "/opt/java" });
    const environment = await openChosen({ kind: "docker", ...choice }, placeIn(workspace), variables);
    const { signal } = new AbortController();
    const result = await environment.execute("echo made > x; echo $JAVA_HOME", {
      cwd: workspace,
      timeoutMs: 20_000,
      signal,
    });
    const lines = (await readFile(join(programs, "told.jsonl"), "utf8")).trim().split("\n");
    const words = (JSON.parse(lines[0]!) as string[])
      .join(" ")
      .replaceAll('""', '"')
      .replaceAll(workspace, "W");
    await rm(workspace, { recursive: true, force: true });
    return { words, result, isSandbox: environment.isSandbox };
  }

  it("is to run it without network, rights or limits that are too wide, and with the same masks", async () => {
    const { words, isSandbox } = await told({});
    expect(isSandbox).toBe(true);
    for (const part of [
      "--network none",
      "--cap-drop ALL",
      "--security-opt no-new-privileges",
      "--pids-limit 1024",
      "--memory 4g",
      'type=bind,"src=W","dst=W"',
      'src=/dev/null,"dst=W/app/.env",readonly',
      '"src=W/app/.vscode","dst=W/app/.vscode",readonly',
      'type=bind,"src=W/app","dst=W/app"',
      "dst=/home/agent",
      "--workdir W",
    ])
      expect(words).toContain(part);
  });

  it("is what the settings say: image, network, arguments, variables; values stand in no command line", async () => {
    const { words, result, isSandbox } = await told({
      image: "node:22",
      network: "on",
      args: ["--gpus=all"],
      pass: ["JAVA_HOME"],
    });
    expect(isSandbox).toBe(false);
    expect(words).toContain("--gpus=all node:22 sh -c");
    expect(words).toContain("--network bridge");
    expect(words).toContain("--env JAVA_HOME ");
    expect(result.output).toBe("/opt/java\n");
  });

  it("is nothing for single hosts, which only bubblewrap knows", async () => {
    await expect(told({ network: ["example.com"] })).rejects.toThrow("single hosts are for bubblewrap");
  });

  it("says what is wrong where no container starts", async () => {
    await expect(told({ image: "no-such-image" })).rejects.toThrow(
      "docker cannot start a container: Error: no such image",
    );
  });

  it("is not installed", async () => {
    const place = placeIn("/");
    await expect(openChosen({ kind: "podman" }, place, { PATH: "/nowhere" })).rejects.toThrow(
      "podman is not installed",
    );
  });
});
