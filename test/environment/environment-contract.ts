import { execFile } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Environment } from "../../src/environment/environment.ts";
import type { EnvironmentChoice } from "../../src/environment/settings.ts";

const MINUTE_MS = 60_000;
const EIGHT_MIB = 8 * 1024 * 1024;

export interface EnvironmentUnderTest {
  readonly name: string;
  /** For commands that work in the folder `workspace`; gets the variables of the runtime, and what is chosen besides. */
  readonly open: (
    workspace: string,
    variables: NodeJS.ProcessEnv,
    more?: CommandChoice,
  ) => Environment | Promise<Environment>;
  /** Of a runtime in a process of its own; absent: as here. */
  readonly path?: () => string;
  /** False: what it needs is not here. */
  readonly isThere?: boolean;
}

export type CommandChoice = Pick<EnvironmentChoice, "set" | "interpreter">;

/** What every environment promises. */
export function describeEnvironment({ name, open, path, isThere = true }: EnvironmentUnderTest): void {
  describe.runIf(isThere)(`an environment: ${name}`, () => {
    let cwd: string;
    let environment: Environment;
    beforeEach(async () => {
      cwd = await realpath(await mkdtemp(join(tmpdir(), "legion-environment-")));
      environment = await open(cwd, process.env);
    });
    afterEach(async () => {
      await environment.close();
      await rm(cwd, { recursive: true, force: true, maxRetries: 10 });
    });

    function run(command: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}) {
      const signal = options.signal ?? new AbortController().signal;
      return environment.execute(command, { cwd, timeoutMs: options.timeoutMs ?? MINUTE_MS, signal });
    }

    it("runs a command in the folder it is given", async () => {
      expect(await run("pwd; echo made > here")).toEqual({ output: `${cwd}\n`, exitCode: 0 });
      expect(await readFile(join(cwd, "here"), "utf8")).toBe("made\n");
    });

    it("merges standard output and error in the order they were printed", async () => {
      const numbers = Array.from({ length: 200 }, (_, n) => n);
      const command = numbers.map((n) => `echo ${n}${n % 2 ? " >&2" : ""}`).join("\n");
      expect((await run(command)).output.trim().split("\n").map(Number)).toEqual(numbers);
    });

    it("reports the exit code, and a shell that a signal ended as shells do", async () => {
      expect(await run("echo no; exit 3")).toEqual({ output: "no\n", exitCode: 3 });
      expect(await run("kill -KILL $$")).toEqual({ output: "", exitCode: 137 });
    });

    it("gives a command an empty standard input", async () => {
      expect(await run("cat; echo done")).toEqual({ output: "done\n", exitCode: 0 });
    });

    it("hands the command to the shell as it is written", async () => {
      expect((await run(`printf '%s|' "a b" 'c"d' "$((1 + 1))" '$1' "$#"`)).output).toBe('a b|c"d|2|$1|0|');
    });

    it("keeps characters whole that arrive in pieces", async () => {
      expect((await run("yes ä€🐙 | head -n 50000")).output).toBe("ä€🐙\n".repeat(50_000));
    });

    it("passes on only what programs need, never a secret of the runtime (E1)", async () => {
      const variables = {
        ...process.env,
        ANTHROPIC_API_KEY: "sk-canary",
        NODE_OPTIONS: "--no-warnings",
        LANG: "C",
      };
      environment = await open(cwd, variables);
      const { output } = await run("env");
      const names = output
        .trim()
        .split("\n")
        .map((line) => line.split("=")[0]!);
      const shells = ["PWD", "OLDPWD", "SHLVL", "_", "HOSTNAME", "container"];
      const known = ["PATH", "LANG", "TERM", "HOME", "TMPDIR", "PAGER", "LEGION_COMMAND", "LEGION_RUN"];
      expect(names.filter((name) => ![...known, ...shells].includes(name))).toEqual([]);
      expect(output).toContain("PAGER=cat\n");
      expect(output).toContain("LEGION_COMMAND=1\n");
      expect(output).not.toContain("canary");
    });

    it("ends a command at its time limit and keeps what it had printed (E3)", async () => {
      expect(await run("echo begun; sleep 1000", { timeoutMs: 1_000 })).toEqual({
        output: "begun\n",
        exitCode: null,
        ended: "timeout",
      });
    });

    /** Runs `command` and aborts as soon as it has made the file `ready`. */
    async function runUntilReady(command: string) {
      const controller = new AbortController();
      const running = run(command, { signal: controller.signal });
      await whenThere(join(cwd, "ready"));
      controller.abort();
      return running;
    }

    it("ends a command when its signal aborts (E3)", async () => {
      expect(await runUntilReady("echo begun; touch ready; sleep 1000")).toEqual({
        output: "begun\n",
        exitCode: null,
        ended: "aborted",
      });
    });

    it("lets a command clean up before it ends, whatever code it ends with (E3)", async () => {
      const { output, ...rest } = await runUntilReady(
        // What it waits for is deaf: bash may tell of a child that a signal ended.
        "trap 'echo cleaned; exit 0' TERM; (trap '' TERM; touch ready; exec sleep 1000) & wait",
      );
      expect(output).toBe("cleaned\n");
      expect(rest).toEqual({ exitCode: null, ended: "aborted" });
    });

    it("ends a command that ignores the request to end (E2, E3)", async () => {
      const deaf = lasting();
      const { ended } = await runUntilReady(`trap '' TERM; touch ready; while :; do ${deaf}; done`);
      expect(ended).toBe("aborted");
      expect(await isRunningAs(deaf)).toBe(false);
    });

    it("ends a command also when the abort comes while it starts (E3)", async () => {
      const controller = new AbortController();
      const running = run("sleep 1000", { signal: controller.signal });
      controller.abort();
      expect((await running).ended).toBe("aborted");
    });

    it("starts nothing when the signal has aborted already", async () => {
      expect(await run("touch started", { signal: AbortSignal.abort() })).toEqual({
        output: "",
        exitCode: null,
        ended: "aborted",
      });
      expect(await readdir(cwd)).not.toContain("started");
    });

    it("settles when the shell ends, although a process in the background holds the output, and ends that one (E2, E3)", async () => {
      const left = lasting();
      expect(await run(`${left} & echo printed`)).toEqual({ output: "printed\n", exitCode: 0 });
      expect(await isRunningAs(left)).toBe(false);
    });

    it("ends processes in the background that dropped their environment (E2)", async () => {
      const left = lasting();
      await run(`env -i ${left} & echo`);
      expect(await isRunningAs(left)).toBe(false);
    });

    it.runIf(existsSync("/proc/self/environ"))(
      "ends processes that left the process group (E2)",
      async () => {
        const left = lasting();
        const stray = `setsid sh -c 'echo >> strays; exec ${left}' &`;
        const { exitCode } = await run(
          `${stray} ${stray} ${stray} while [ "$(cat strays 2>/dev/null | wc -l)" -lt 3 ]; do sleep 0.02; done`,
        );
        expect(exitCode).toBe(0);
        expect(await isRunningAs(left)).toBe(false);
      },
    );

    it.runIf(existsSync("/proc/self/environ"))(
      "finds by its mark what was left running, ends it, and nothing else (E6)",
      async () => {
        const printed: Uint8Array[] = [];
        let heard = (): void => undefined;
        const hasPrinted = new Promise<void>((resolve) => (heard = resolve));
        const start = (mark: string) => {
          const print = (chunk: Uint8Array): void => {
            printed.push(chunk);
            if (Buffer.concat(printed).toString() === "begunbegun") heard();
          };
          const { signal } = new AbortController();
          const options = { cwd, timeoutMs: MINUTE_MS, signal, trace: { mark, print } };
          return environment.execute("printf begun; sleep 1000", options);
        };
        const [one, two] = [randomUUID(), randomUUID()];
        const left = start(`${one}.1`);
        const other = start(`${two}.1`);
        await hasPrinted;
        expect(await environment.endLeft(one)).toBe(true);
        expect((await left).exitCode).toBe(137);
        expect(await environment.endLeft(one)).toBe(false);
        expect(await environment.endLeft(two)).toBe(true);
        await other;
      },
    );

    it("ends a command that prints without end and keeps the first 8 MiB (E4)", async () => {
      const { output, exitCode, ended } = await run("printf x; yes 0123456");
      expect({ exitCode, ended }).toEqual({ exitCode: null, ended: "too much output" });
      expect(output.length).toBe(EIGHT_MIB);
      expect(output.startsWith("x0123456\n0123456\n")).toBe(true);
    });

    it("says that there was too much output also when the command ended by itself (E4)", async () => {
      expect((await run(`head -c ${EIGHT_MIB} /dev/zero`)).exitCode).toBe(0);
      expect((await run(`head -c ${EIGHT_MIB + 1} /dev/zero`)).ended).toBe("too much output");
    });

    it("lets a command print without end that is only traced, and keeps the end of it (E2, E4)", async () => {
      const stopping = new AbortController();
      let bytes = 0;
      const print = (chunk: Uint8Array): void => {
        bytes += chunk.length;
        if (bytes > EIGHT_MIB) stopping.abort();
      };
      const deaf = lasting();
      const result = await environment.execute(`trap '' TERM; ${deaf} & yes 0123456`, {
        ...{ cwd, timeoutMs: Infinity, signal: stopping.signal, output: "traced" },
        trace: { mark: randomUUID(), print },
      });
      expect(result).toMatchObject({ exitCode: null, ended: "aborted" });
      expect(result.output).toMatch(/0123456\n0123456\n/);
      expect(result.output.length).toBeLessThanOrEqual(8_192);
      // It is not taken as fast as it comes: of what was printed meanwhile little is here.
      expect(bytes).toBeLessThan(3 * EIGHT_MIB);
      expect(await isRunningAs(deaf)).toBe(false);
    });

    it("runs many commands at once, each with its own output", async () => {
      const runs = Array.from({ length: 12 }, (_, n) => run(`echo ${n}`));
      expect((await Promise.all(runs)).map(({ output, exitCode }) => ({ output, exitCode }))).toEqual(
        runs.map((_, n) => ({ output: `${n}\n`, exitCode: 0 })),
      );
    });

    it.runIf(existsSync("/proc/self/environ"))("ends its commands when the runtime exits (E5)", async () => {
      const left = lasting();
      const program = `
        import { existsSync } from "node:fs";
        import { open } from ${JSON.stringify(new URL("./opened.ts", import.meta.url).href)};
        const cwd = ${JSON.stringify(cwd)};
        const environment = await open(${JSON.stringify(environment.kind)}, cwd, process.env);
        const { signal } = new AbortController();
        void environment.execute("touch ready; ${left}; true", { cwd, timeoutMs: 60_000, signal });
        setInterval(() => existsSync(cwd + "/ready") && process.exit(0), 5);`;
      const node = ["--import", "tsx", "--input-type=module", "-e", program];
      const env = { ...process.env, PATH: path?.() ?? process.env["PATH"] };
      await promisify(execFile)(process.execPath, node, { env });
      await expect.poll(() => isRunningAs(left), { timeout: 5_000 }).toBe(false);
    });

    it("rejects when no shell starts", async () => {
      const { signal } = new AbortController();
      const options = { cwd: join(cwd, "missing"), timeoutMs: MINUTE_MS, signal };
      await expect(environment.execute("true", options)).rejects.toThrow("ENOENT");
    });
  });
}

/** A command that lasts, and that no other is like. */
export function lasting(): string {
  return `sleep 1000.${randomInt(2 ** 40)}`;
}

/** Is there a process whose command line holds this? Not one that has ended and only waits to be collected. */
export async function isRunningAs(command: string): Promise<boolean> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const lines = pids.map(async (pid) => {
    const words = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    return words.replaceAll("\0", " ").trim();
  });
  return (await Promise.all(lines)).includes(command);
}

/** False also for a process that has ended and only waits to be collected by its parent. */
export async function isRunning(pid: number): Promise<boolean> {
  expect(pid).toBeGreaterThan(1);
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "State:\tZ");
  return !/^State:\tZ/m.test(status);
}

async function whenThere(path: string): Promise<void> {
  while (!existsSync(path)) await new Promise((resolve) => setImmediate(resolve));
}
