import { execFile } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { isRunningAs, lasting } from "../environment-contract.ts";
import { bubblewrapIsThere } from "../opened.ts";

describe.runIf(bubblewrapIsThere)("a runtime that is killed", () => {
  it("leaves nothing behind of what a command in the sandbox began, in whatever session that is (E5)", async () => {
    const cwd = await realpath(await mkdtemp(join(tmpdir(), "legion-killed-")));
    onTestFinished(() => rm(cwd, { recursive: true, force: true }));
    const begun = [lasting(), lasting(), lasting()];
    const [plain = "", stray = "", deaf = ""] = begun;
    const command = `setsid env -i ${stray} & (trap '' TERM HUP; exec ${deaf}) & touch ready; ${plain}`;
    const program = `
      import { existsSync } from "node:fs";
      import { open } from ${JSON.stringify(new URL("../opened.ts", import.meta.url).href)};
      const cwd = ${JSON.stringify(cwd)};
      const environment = await open("bubblewrap", cwd, process.env);
      const { signal } = new AbortController();
      void environment.execute(${JSON.stringify(command)}, { cwd, timeoutMs: 60_000, signal });
      process.stdin.once("data", () => process.kill(process.pid, "SIGKILL"));
      setInterval(() => existsSync(cwd + "/ready") && console.log("ready"), 20);`;
    const node = ["--import", "tsx", "--input-type=module", "-e", program];
    const running = promisify(execFile)(process.execPath, node);
    await new Promise((resolve) => running.child.stdout?.once("data", resolve));
    for (const process of begun) await expect.poll(() => isRunningAs(process), { timeout: 5_000 }).toBe(true);
    running.child.stdin?.write("now\n");
    await expect(running).rejects.toMatchObject({ signal: "SIGKILL" });
    for (const process of begun)
      await expect.poll(() => isRunningAs(process), { timeout: 5_000 }).toBe(false);
  });
});
