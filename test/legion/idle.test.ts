import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { IdleCost } from "./idle-process.ts";
import { createTempProject } from "../temp-project.ts";

it.runIf(process.platform === "linux")(
  "two hundred agents with nothing to do read nothing, need one timer at most and no open file each (C10)",
  async () => {
    const project = await createTempProject();
    const child = fork(join(import.meta.dirname, "idle-process.ts"), {
      execArgv: ["--import", "tsx", "--expose-gc"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const measured = once(child, "message") as Promise<[readonly [IdleCost, IdleCost]]>;
    child.send(project);
    const [[untouched, asked]] = await measured;
    for (const cost of [untouched, asked]) {
      // The lock is touched every few seconds, which may wake the event loop once.
      expect(cost.reads).toBeLessThanOrEqual(1);
      expect(cost.timers).toBeLessThanOrEqual(1);
    }
    expect(untouched.files).toBe(0);
    // What was used last stays open, whoever it belongs to, of the two files that each agent has by now.
    expect(asked.files).toBeLessThanOrEqual(128);
    expect((await once(child, "exit"))[0]).toBe(0);
  },
);
