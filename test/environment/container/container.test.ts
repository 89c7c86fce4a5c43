import { chmod, copyFile, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findPodman } from "../../../scripts/podman.mjs";
import { describeChoices } from "../choices-contract.ts";
import { describeEnvironment, type EnvironmentUnderTest } from "../environment-contract.ts";
import { describePrograms } from "../programs-contract.ts";
import { openChosen, placeIn } from "../opened.ts";
import { checkEnvironment, findEnvironment } from "../../../src/environment/open.ts";
import { write } from "../workspace/trees.ts";
import type { EnvironmentPlace } from "../../../src/environment/environment.ts";
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

// Where podman runs, it stands for itself.
for (const kind of findPodman() ? (["docker"] as const) : (["docker", "podman"] as const)) {
  const stoodIn: EnvironmentUnderTest = {
    name: `${kind}, by a stand-in`,
    path: () => withPrograms(process.env).PATH,
    open: (workspace, variables, more) =>
      openChosen({ kind, ...more }, placeIn(workspace), withPrograms(variables)),
  };
  describeEnvironment(stoodIn);
  describeChoices(stoodIn);
  describePrograms(stoodIn);
}

describe("what docker and podman are told", () => {
  async function told(
    choice: EnvironmentChoice,
    more: (workspace: string) => Partial<EnvironmentPlace> = () => ({}),
  ) {
    const workspace = await realpath(await mkdtemp(join(tmpdir(), 'legion, a "container" ')));
    await mkdir(join(workspace, "app"));
    await writeFile(join(workspace, "app/.env"), "SECRET=1");
    await mkdir(join(workspace, "app/.vscode"));
    await rm(join(programs, "told.jsonl"), { force: true });
    const variables = withPrograms({ ...process.env, JAVA_HOME: "/opt/java" });
    const environment = await openChosen(
      { kind: "docker", ...choice },
      { ...placeIn(workspace), ...more(workspace) },
      variables,
    );
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

  it("is to show of a worktree's repository what git needs, and to keep what it runs as it is", async () => {
    const { words } = await told({}, (workspace) => {
      const [shared, project] = [join(workspace, "p/.git"), join(workspace, "p")];
      write(workspace, {
        "p/.git/config": "",
        "p/.git/HEAD": "",
        "p/.git/hooks/x": "",
        "p/node_modules/x": "",
      });
      write(shared, { "worktrees/1/commondir": "../..", "worktrees/1/HEAD": "" });
      const own = join(shared, "worktrees/1");
      write(workspace, { "p/.ai-legion/workspaces/1/.git": `gitdir: ${own}` });
      const root = join(project, ".ai-legion/workspaces/1");
      return { project, workspace: root, home: join(project, ".ai-legion"), repository: { shared, own } };
    });
    const mounts = words
      .match(/src=W\S*?",?"?dst=[^ ]*/g)!
      .map((mount) => mount.replaceAll('"', "").replace("src=W/", ""));
    const inOrder = [
      "p/node_modules,dst=W/p/node_modules,readonly",
      "p/.git,dst=W/p/.git",
      "p/.git/config,dst=W/p/.git/config,readonly",
      "p/.git/hooks,dst=W/p/.git/hooks,readonly",
      "p/.git/worktrees,dst=W/p/.git/worktrees,readonly",
      "p/.git/HEAD,dst=W/p/.git/HEAD,readonly",
      "p/.git/worktrees/1,dst=W/p/.git/worktrees/1",
      "p/.git/worktrees/1/commondir,dst=W/p/.git/worktrees/1/commondir,readonly",
    ];
    expect(mounts.filter((mount) => inOrder.includes(mount))).toEqual(inOrder);
  });

  it("is what the settings say: image, network, arguments, variables; values stand in no command line", async () => {
    const { words, result, isSandbox } = await told({
      image: "node:22",
      network: "on",
      args: ["--gpus=all"],
      pass: ["JAVA_HOME"],
      set: { DEPLOY_KEY: "not-for-ps" },
    });
    expect(words).not.toContain("not-for-ps");
    expect(isSandbox).toBe(false);
    expect(words).toContain("--gpus=all node:22 sh -c");
    expect(words).toContain("--network bridge");
    expect(words).toContain("--env JAVA_HOME ");
    expect(result.output).toBe("/opt/java\n");
  });

  it("is where the workspace is in there, with its masks, if that is another place", async () => {
    const { words } = await told({ at: "/testbed" });
    for (const part of [
      'type=bind,"src=W",dst=/testbed',
      "src=/dev/null,dst=/testbed/app/.env,readonly",
      '"src=W/app/.vscode",dst=/testbed/app/.vscode,readonly',
      '"src=W/app",dst=/testbed/app',
      "--workdir /testbed",
    ])
      expect(words).toContain(part);
    expect(words).not.toContain("dst=W");
  });

  it.each([
    [{ set: { LEGION_RUN: "x" } }, "environment: set: `LEGION_RUN`: names that begin with LEGION_ are ours"],
    [{ set: { "A=B": "x" } }, "expected the name of a variable such as JAVA_HOME"],
    [{ set: { A: "x\0y" } }, "without NUL"],
    [{ interpreter: ["bash", "$(id)", "-c"] }, "expected bash or sh with its options"],
    [{ interpreter: ["./sh", "-c"] }, "expected bash or sh with its options"],
    [{ interpreter: ["bash"] }, "expected bash or sh with its options"],
    [{ at: "/" }, "environment: at: expected an absolute path such as /testbed"],
    [{ at: "/a/../etc" }, "environment: at: expected an absolute path"],
    [{ image: "--privileged" }, "environment: image: expected a name such as node:22"],
  ] satisfies readonly (readonly [EnvironmentChoice, string])[])(
    "is nothing that a program says and that cannot be: %j",
    async (choice, text) => {
      await expect(told(choice)).rejects.toThrow(text);
    },
  );

  it("is nothing for single hosts, which only bubblewrap knows", async () => {
    await expect(told({ network: ["example.com"] })).rejects.toThrow("single hosts are for bubblewrap");
  });

  it("says what is wrong where no container starts", async () => {
    await expect(told({ image: "no-such-image" })).rejects.toThrow(
      "docker cannot start a container: Error: No such image",
    );
  });

  it("has to be there, with the image, before anything begins: nothing is fetched", async () => {
    const finding = await findEnvironment(process.env);
    const check = (choice: EnvironmentChoice, variables: NodeJS.ProcessEnv = withPrograms(process.env)) =>
      checkEnvironment({ choice, finding, variables });
    await expect(check({ kind: "docker", image: "node:22" })).resolves.toBeUndefined();
    await expect(check({ kind: "bubblewrap" })).resolves.toBeUndefined();
    await expect(check({ kind: "docker", image: "no-such-image" })).rejects.toThrow(
      "environment: docker has no image no-such-image here: `docker pull no-such-image` gets it",
    );
    await expect(
      check({ kind: "docker" }, { ...withPrograms(process.env), STAND_IN: "down" }),
    ).rejects.toThrow(
      "environment: docker does not answer: Cannot connect to the Docker daemon (start it, or name another environment)",
    );
    await expect(check({ kind: "podman" }, { PATH: "/nowhere" })).rejects.toThrow(
      "environment: podman is not installed; install it",
    );
  });

  it("is not installed", async () => {
    const place = placeIn("/");
    await expect(openChosen({ kind: "podman" }, place, { PATH: "/nowhere" })).rejects.toThrow(
      "podman is not installed",
    );
  });
});
