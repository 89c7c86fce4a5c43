import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { createLocalEnvironment } from "../../src/environment/local.ts";
import { describeEnvironment, isRunning } from "./environment-contract.ts";

describeEnvironment("local", createLocalEnvironment);

describe("the local environment", () => {
  it("ends its commands when the runtime exits (E5)", async () => {
    const local = new URL("../../src/environment/local.ts", import.meta.url).href;
    const program = `
      import { existsSync, readFileSync, rmSync } from "node:fs";
      import { createLocalEnvironment } from ${JSON.stringify(local)};
      const cwd = process.env.TEST_FOLDER;
      const { signal } = new AbortController();
      const command = "echo $$ > part; mv part pid; sleep 1000; true";
      void createLocalEnvironment(process.env).execute(command, { cwd, timeoutMs: 60_000, signal });
      setInterval(() => {
        if (!existsSync(cwd + "/pid")) return;
        console.log(readFileSync(cwd + "/pid", "utf8"));
        process.exit(0);
      }, 5);
    `;
    const folder = await mkdtemp(join(tmpdir(), "legion-exit-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--import", "tsx", "--input-type=module", "-e", program],
      { env: { ...process.env, TEST_FOLDER: folder } },
    );
    await expect.poll(() => isRunning(Number(stdout))).toBe(false);
  });

  it.runIf(existsSync("/proc/self/environ"))(
    "ends with a process that it finds by its mark the group that it leads, whatever became of the marks there (E6)",
    async () => {
      const local = createLocalEnvironment(process.env);
      const mark = randomUUID();
      const leader = spawn("sh", ["-c", "env -i sleep 1000 & echo $!; exec sleep 1000"], {
        env: local.variables(mark),
        detached: true,
        stdio: ["ignore", "pipe", "ignore"],
      });
      const [pid] = (await once(leader.stdout, "data")) as [Buffer];
      let isLeft = true;
      onTestFinished(() => void (isLeft && process.kill(Number(pid), "SIGKILL")));
      expect(await local.endLeft(mark)).toBe(true);
      isLeft = await isRunning(Number(pid));
      expect(isLeft).toBe(false);
    },
  );

  it.runIf(existsSync("/proc/self/environ"))(
    "ends a process that is becoming another program just when it is looked for (E6)",
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "legion-again-"));
      onTestFinished(() => rm(folder, { recursive: true }));
      const again = join(folder, "again");
      await writeFile(again, '#!/bin/sh\nexec "$0"\n', { mode: 0o755 });
      const local = createLocalEnvironment(process.env);
      for (let each = 0; each < 8; each++) {
        const mark = randomUUID();
        const restless = spawn(again, { env: local.variables(mark), detached: true, stdio: "ignore" });
        onTestFinished(() => void restless.kill("SIGKILL"));
        await once(restless, "spawn");
        expect(await local.endLeft(mark)).toBe(true);
      }
    },
  );

  it("leaves no listener behind on the process", async () => {
    const before = process.listenerCount("exit");
    const { signal } = new AbortController();
    await createLocalEnvironment(process.env).execute("true", { cwd: "/", timeoutMs: 1_000, signal });
    expect(process.listenerCount("exit")).toBe(before);
  });
});
