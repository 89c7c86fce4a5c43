import { spawn, spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Environment } from "../../../src/environment/environment.ts";
import { isRunningAs, lasting } from "../environment-contract.ts";
import { bubblewrapIsThere, openChosen, placeIn } from "../opened.ts";

describe.runIf(bubblewrapIsThere)("what a sandbox does with the files of a workspace", () => {
  let workspace: string;
  let environment: Environment;
  beforeEach(async () => {
    workspace = await realpath(await mkdtemp("/var/tmp/legion-guard-"));
    await mkdir(join(workspace, ".ai-legion/agents/1/blobs"), { recursive: true });
    await mkdir(join(workspace, ".ai-legion/agents/2/blobs"), { recursive: true });
    environment = await openChosen({ kind: "bubblewrap" }, placeIn(workspace));
  });
  afterEach(() => rm(workspace, { recursive: true, force: true }));

  const run = (command: string) => {
    const { signal } = new AbortController();
    return environment.execute(command, { cwd: workspace, timeoutMs: 20_000, signal });
  };
  /** In another process. */
  const runElsewhere = (command: string) => {
    const program = `
      import { openChosen, placeIn } from ${JSON.stringify(new URL("../opened.ts", import.meta.url).href)};
      const cwd = ${JSON.stringify(workspace)};
      const environment = await openChosen({ kind: "bubblewrap" }, placeIn(cwd));
      const { signal } = new AbortController();
      void environment.execute(${JSON.stringify(command)}, { cwd, timeoutMs: 60_000, signal });`;
    const node = ["--import", "tsx", "--input-type=module", "-e", program];
    return spawn(process.execPath, node, { stdio: "ignore" });
  };
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(join(workspace, path, ".."), { recursive: true });
    await writeFile(join(workspace, path), text);
  };

  it("adds and commits with git, also all that is there, under the agent's name where nobody says another", async () => {
    spawnSync("git", ["init", "-q", workspace], { env: { PATH: process.env["PATH"], HOME: workspace } });
    await write(".env", "SECRET=1");
    await write("key.pem", "secret");
    await write("a.txt", "a");
    const { output, exitCode } = await run(
      "git add -A && git commit -qm one && git log --format=%an --name-only",
    );
    expect({ output, exitCode }).toEqual({ output: "Agent 1\n\na.txt\n", exitCode: 0 });
  });

  it("commits all there is and leaves what is hidden as git has it, changed or not (M1)", async () => {
    const git = (...args: string[]): string =>
      spawnSync("git", ["-c", "user.name=p", "-c", "user.email=p@q.r", ...args], {
        ...{ cwd: workspace, env: { PATH: process.env["PATH"], HOME: workspace }, encoding: "utf8" },
      }).stdout;
    git("init", "-q");
    const tracked = [
      ".env",
      "keys/a 'b'.pem",
      ".aws/credentials",
      ".ai-legion/config.yaml",
      "sub/.ai-legion/x",
    ];
    for (const path of [...tracked, "changed.key", "a.txt"]) await write(path, `canary of ${path}`);
    await chmod(join(workspace, ".env"), 0o755);
    git("add", "-f", "--", ...tracked, "changed.key", "a.txt");
    git("commit", "-qm", "one");
    await write("changed.key", "canary that the person has just written");
    const { output } = await run(
      "git status --porcelain; cat .env keys/* changed.key .aws/* .ai-legion/config.yaml",
    );
    expect(output).not.toMatch(/canary| D |M .*(env|pem|config)/);
    const two =
      "echo b >> a.txt; git add -A && git commit -qm two && echo c >> a.txt && git commit -qam three";
    expect((await run(two)).exitCode).toBe(0);
    expect(git("diff", "--name-only", "HEAD~2", "HEAD")).toBe("a.txt\n");
    expect(git("status", "--porcelain", "-uno")).toBe(" M changed.key\n");
    expect((await run("git ls-files -o --exclude-standard")).output).toBe("");
  });

  it("sets aside what a command planted, and tells so (M2)", async () => {
    const { remarks } = await run("mkdir -p a/b && echo evil > a/b/.env && echo fine > a/b/c");
    expect(remarks).toEqual([expect.stringContaining("`a/b/.env` has a protected name")]);
    expect(await readdir(join(workspace, "a/b"))).toEqual(["c"]);
    const [moved = ""] = await readdir(join(workspace, ".ai-legion/set-aside"));
    const kept = join(workspace, ".ai-legion/set-aside", moved, "a/b/.env");
    expect(await readFile(kept, "utf8")).toBe("evil\n");
  });

  it("leaves what a person put there, before or between commands, also where its folder is moved (M3)", async () => {
    await write("app/.env", "SECRET=1");
    expect((await run("mv app moved; cat moved/.env")).remarks).toBeUndefined();
    await write("later/.npmrc", "mine");
    const { output, remarks } = await run("cat moved/.env later/.npmrc");
    expect(remarks).toBeUndefined();
    expect(output).not.toMatch(/SECRET|mine/);
    expect(await readFile(join(workspace, "moved/.env"), "utf8")).toBe("SECRET=1");
    expect(await readFile(join(workspace, "later/.npmrc"), "utf8")).toBe("mine");
  });

  it("sets aside also what one command planted while another began (M2)", async () => {
    const long = run("echo evil > .env; touch planted; while [ ! -e go ]; do sleep 0.02; done");
    await expect.poll(() => readdir(workspace)).toContain("planted");
    const { output, remarks = [] } = await run("cat .env; touch go");
    expect(output).not.toContain("evil");
    const { remarks: others = [] } = await long;
    expect([...remarks, ...others]).toHaveLength(1);
    expect(await readdir(workspace)).not.toContain(".env");
  });

  it("leaves to another process what happens under its commands, until it is killed (M3, M4)", async () => {
    const left = lasting();
    const runtime = runElsewhere(`echo evil > .npmrc; touch planted; ${left}`);
    await expect.poll(() => readdir(workspace), { timeout: 10_000 }).toContain("planted");
    await write(".env", "mine");
    const told: string[] = [];
    const onSetAside = (paths: readonly string[]): void => void told.push(...paths);
    const place = { ...placeIn(workspace), onSetAside };
    environment = await openChosen({ kind: "bubblewrap" }, place);
    const { output, remarks } = await run("cat .npmrc");
    expect({ output: output.trim(), remarks, told }).toEqual({ output: "", remarks: undefined, told: [] });
    expect(await readdir(workspace)).toContain(".env");
    runtime.kill("SIGKILL");
    await expect.poll(() => isRunningAs(left)).toBe(false);
    await run("true");
    expect(told.sort()).toEqual([".env", ".npmrc"]);
  });

  it("sets aside at the next start what a command made under which the runtime was killed (M4)", async () => {
    await write(".env", "mine");
    const left = lasting();
    const runtime = runElsewhere(`mkdir .husky; echo evil > .npmrc; touch planted; ${left}`);
    await expect.poll(() => readdir(workspace), { timeout: 10_000 }).toContain("planted");
    runtime.kill("SIGKILL");
    await expect.poll(() => isRunningAs(left)).toBe(false);
    const told: string[] = [];
    const onSetAside = (paths: readonly string[]): void => void told.push(...paths);
    environment = await openChosen({ kind: "bubblewrap" }, { ...placeIn(workspace), onSetAside });
    expect((await readdir(workspace)).sort()).toEqual([".ai-legion", ".env", "planted"]);
    expect(told.sort()).toEqual([".husky", ".npmrc"]);
    const { remarks = [] } = await run("true");
    expect(remarks.join("\n")).toMatch(/`\.husky` has .*`\.npmrc` has |`\.npmrc` has .*`\.husky` has /s);
    expect((await run("true")).remarks).toBeUndefined();
  });

  it("takes no record of another folder, or one that is damaged, for its own (M3, M4)", async () => {
    await write(".env", "mine");
    const homes = join(workspace, ".ai-legion/homes");
    let kept = "";
    const running = run("touch begun; while [ ! -e go ]; do sleep 0.02; done");
    await expect.poll(() => readdir(workspace)).toContain("begun");
    for (const name of await readdir(homes)) if (name.endsWith(".json")) kept = name;
    await write("go", "");
    await running;
    expect(await readdir(homes)).not.toContain(kept);
    for (const text of ['{ "folder": "1:2", "known": [] }', "{ torn"]) {
      await writeFile(join(homes, kept.replace(/\d+\.json$/, "0.json")), text);
      expect((await run("true")).remarks).toBeUndefined();
      expect(await readFile(join(workspace, ".env"), "utf8")).toBe("mine");
    }
  });

  it("lets installed packages be what they are", async () => {
    const pem = "node_modules/p/cert.pem";
    expect((await run(`mkdir -p node_modules/p && echo key > ${pem}`)).remarks).toBeUndefined();
    expect((await run(`cat ${pem}`)).output).toBe("key\n");
  });

  it("shows an agent its own long outputs of all that the legion keeps (M1)", async () => {
    await write(".ai-legion/agents/1/blobs/own", "own");
    await write(".ai-legion/agents/2/blobs/other", "other");
    const { output } = await run(
      "find .ai-legion -type f; cat .ai-legion/agents/1/blobs/own; touch .ai-legion/x",
    );
    expect(output).toMatch(/^\.ai-legion\/agents\/1\/blobs\/own\nown.*Read-only/s);
  });

  it("shows the agent of a session those of its session alone, and gives it a home of its own (M1, E7)", async () => {
    await write(".ai-legion/agents/1/blobs/other", "other");
    await write(".ai-legion/runs/garden/agents/1/blobs/own", "own");
    await write(".ai-legion/runs/house/agents/1/blobs/other", "other");
    await run("echo the project\u0027s > ~/file");
    const home = join(workspace, ".ai-legion/runs/garden");
    environment = await openChosen({ kind: "bubblewrap" }, { ...placeIn(workspace), home });
    const { output } = await run(
      "find .ai-legion -type f; cat .ai-legion/runs/garden/agents/1/blobs/own; ls -A ~",
    );
    expect(output).toBe(".ai-legion/runs/garden/agents/1/blobs/own\nown.gitconfig\n");
  });

  it("keeps an agent's home and /tmp from command to command, apart from the person's (E7)", async () => {
    await run("echo kept > ~/file; echo kept > /tmp/file");
    expect((await run("echo $HOME; cat ~/file /tmp/file")).output).toBe("/home/agent\nkept\nkept\n");
    const other = await openChosen({ kind: "bubblewrap" }, { ...placeIn(workspace), agent: "2" });
    const { signal } = new AbortController();
    const options = { cwd: workspace, timeoutMs: 20_000, signal };
    expect((await other.execute("ls ~ /tmp", options)).output).not.toContain("file");
  });

  it("says what bwrap says where a sandbox cannot be made", async () => {
    await rm(join(workspace, ".ai-legion/homes/1/home"), { recursive: true });
    await expect(run("true")).rejects.toThrow(/cannot be made: bwrap: Can't find source path .*home/);
  });

  it("refuses a home that is a link (E7)", async () => {
    await rm(join(workspace, ".ai-legion"), { recursive: true });
    await mkdir(join(workspace, ".ai-legion/homes/1"), { recursive: true });
    spawnSync("ln", ["-s", "/root", join(workspace, ".ai-legion/homes/1/home")]);
    await expect(openChosen({ kind: "bubblewrap" }, placeIn(workspace))).rejects.toThrow(
      "leads elsewhere by a link; delete it",
    );
  });
});
