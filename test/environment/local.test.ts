import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createLocalEnvironment } from "../../src/environment/local.ts";
import { describeChoices } from "./choices-contract.ts";
import {
  describeEnvironment,
  isRunningAs,
  lasting,
  type EnvironmentUnderTest,
} from "./environment-contract.ts";

const local: EnvironmentUnderTest = {
  name: "local",
  open: (_, variables, more) => createLocalEnvironment(variables, more),
};
describeEnvironment(local);
describeChoices(local);

const LAST_NUMBER = "/proc/sys/kernel/ns_last_pid";

/** May this process say which number the next one has? */
function maySayNumbers(): boolean {
  try {
    accessSync(LAST_NUMBER, constants.W_OK);
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
}

describe("the local environment", () => {
  it.runIf(maySayNumbers())(
    "ends what a command leaves where the numbers of processes begin anew while it runs (E6)",
    async () => {
      const { signal } = new AbortController();
      const local = createLocalEnvironment(process.env);
      const left = lasting();
      const most = Number(readFileSync("/proc/sys/kernel/pid_max", "utf8"));
      // Whoever else starts something just then has the number that the command had here: then it is no use, and done again.
      for (let first = 0, second = 0; second >= first;) {
        writeFileSync(LAST_NUMBER, String(most - 3));
        const command = `true & true & true & true & setsid ${left} & echo $$ $!`;
        const { output } = await local.execute(command, { cwd: "/", timeoutMs: 30_000, signal });
        [first = 0, second = 0] = output.trim().split(" ").map(Number);
        expect(await isRunningAs(left)).toBe(false);
      }
    },
  );

  it.runIf(existsSync("/proc/self/environ"))(
    "ends with a process that it finds by its mark the group that it leads, whatever became of the marks there (E6)",
    async () => {
      const local = createLocalEnvironment(process.env);
      const mark = randomUUID();
      const led = lasting();
      const leader = spawn("sh", ["-c", `env -i ${led} & echo $!; exec sleep 1000`], {
        env: local.variables(mark),
        detached: true,
        stdio: ["ignore", "pipe", "ignore"],
      });
      const [pid] = (await once(leader.stdout, "data")) as [Buffer];
      let isLeft = true;
      onTestFinished(() => void (isLeft && process.kill(Number(pid), "SIGKILL")));
      expect(await local.endLeft(mark)).toBe(true);
      isLeft = await isRunningAs(led);
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
