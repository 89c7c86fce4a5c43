import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLocalEnvironment } from "../../src/environment/local.ts";
import { bubblewrapIsThere, open } from "./opened.ts";
import { describePrograms, text } from "./programs-contract.ts";

describePrograms({ name: "local", open: (_, variables) => createLocalEnvironment(variables) });
describePrograms({
  name: "bubblewrap",
  isThere: bubblewrapIsThere,
  open: (workspace, variables) => open("bubblewrap", workspace, variables),
});

describe.runIf(bubblewrapIsThere)("what a program in the sandbox does to the workspace", () => {
  let cwd: string;
  beforeEach(async () => {
    cwd = await realpath(await mkdtemp(join(tmpdir(), "legion-program-")));
    await mkdir(join(cwd, "deep/below"), { recursive: true });
    await writeFile(join(cwd, "deep/.env"), "KEY=1");
  });
  afterEach(() => rm(cwd, { recursive: true, force: true, maxRetries: 10 }));

  async function start(script: string, workspace: "reads" | "writes") {
    const environment = await open("bubblewrap", cwd, process.env);
    const order = { command: "sh", args: ["-c", script], cwd, env: {}, network: "off", workspace } as const;
    return environment.start({ ...order, mark: randomUUID() });
  }

  it.each([
    ["reads", "deep/.env: \n", false],
    ["writes", "deep/.env: \n", true],
  ] as const)("is what is said: it %s", async (workspace, key, writes) => {
    const places = ["made", "deep/made", "deep/below/made"];
    const program = await start(
      `printf "deep/.env: "; grep KEY deep/.env; echo; ${places.map((path) => `echo x > ${path}`).join("; ")}`,
      workspace,
    );
    const [said] = await Promise.all([text(program.stdout), text(program.stderr)]);
    await program.end();
    expect(said).toBe(key);
    expect(places.map((path) => existsSync(join(cwd, path)))).toEqual([writes, writes, writes]);
  });

  it("shows it a key no more where it starts by a link from elsewhere", async () => {
    const elsewhere = await realpath(await mkdtemp(join(tmpdir(), "legion-program-")));
    const link = join(elsewhere, "link");
    await symlink(join(cwd, "deep"), link);
    const environment = await open("bubblewrap", cwd, process.env);
    const order = { command: "cat", args: [".env"], env: {}, network: "off", workspace: "reads" } as const;
    const program = await environment.start({ ...order, cwd: link, mark: randomUUID() });
    const [said] = await Promise.all([text(program.stdout), text(program.stderr)]);
    await program.end();
    await rm(elsewhere, { recursive: true });
    expect(said).toBe("");
  });

  it.each([
    ["reads", true],
    ["writes", false],
  ] as const)(
    "decides whether a key stays that a person saves while it runs: it %s (M2)",
    async (workspace, stays) => {
      const program = await start("cat", workspace);
      await writeFile(join(cwd, ".env"), "KEY=2");
      await program.end();
      expect(existsSync(join(cwd, ".env"))).toBe(stays);
    },
  );
});
