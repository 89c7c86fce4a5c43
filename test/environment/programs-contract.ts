import { randomUUID } from "node:crypto";
import { mkdtemp, open, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ProgramOrder } from "../../src/domain/authoring/program.ts";
import type { Environment } from "../../src/environment/environment.ts";
import { isRunningAs, lasting, type EnvironmentUnderTest } from "./environment-contract.ts";

/** What every environment promises of programs that run until they are ended. */
export function describePrograms({ name, open: openIn, isThere = true }: EnvironmentUnderTest): void {
  describe.runIf(isThere)(`programs in an environment: ${name}`, () => {
    let cwd: string;
    let environment: Environment;
    beforeEach(async () => {
      cwd = await realpath(await mkdtemp(join(tmpdir(), "legion-program-")));
      environment = await openIn(cwd, { ...process.env, ANTHROPIC_API_KEY: "sk-canary", LANG: "C" });
    });
    afterEach(async () => {
      await environment.close();
      await rm(cwd, { recursive: true, force: true, maxRetries: 10 });
    });

    const start = (command: string, args: readonly string[], more: Partial<ProgramOrder> = {}) =>
      environment.start({
        command,
        args,
        cwd,
        env: {},
        network: "off",
        workspace: "writes",
        mark: randomUUID(),
        ...more,
      });
    const sh = (script: string, more?: Partial<ProgramOrder>) => start("sh", ["-c", script], more);

    it("have pipes for what they are told, what they answer, and what they complain of", async () => {
      const program = await sh('while read -r line; do echo "< $line"; echo "! $line" >&2; done; pwd');
      program.stdin.write("one\ntwo\n");
      await expect.poll(() => program.stdout.readableLength).toBeGreaterThan(10);
      const told = Promise.all([text(program.stdout), text(program.stderr)]);
      await program.end();
      expect(await told).toEqual([`< one\n< two\n${cwd}\n`, "! one\n! two\n"]);
      expect(await program.gone).toBe("It exited with code 0.");
    });

    it("see what every program needs and what is named for them, and nothing else of the runtime (E1)", async () => {
      const program = await sh("env", { env: { TOKEN: "of mine", LEGION_RUN: "none" } });
      const lines = (await text(program.stdout)).trim().split("\n");
      expect(lines).toContain("TOKEN=of mine");
      expect(lines.join("\n")).not.toContain("sk-canary");
      const names = lines.map((line) => line.split("=")[0]!).filter((line) => !isOfShells(line));
      const known = ["HOME", "LANG", "LEGION_RUN", "PATH", "TERM", "TMPDIR", "TOKEN"];
      expect(names.filter((each) => !known.includes(each))).toEqual([]);
      expect(lines).not.toContain("LEGION_RUN=none");
      await program.end();
    });

    it("are ended with all that they started, whatever that ignores (E5)", async () => {
      const [plain, stray, deaf] = [lasting(), lasting(), lasting()];
      const program = await sh(`setsid ${stray} & (trap '' TERM HUP; exec ${deaf}) & echo up; ${plain}`);
      await expect.poll(() => program.stdout.readableLength).toBeGreaterThan(0);
      for (const each of [plain, stray, deaf])
        await expect.poll(() => isRunningAs(each), { timeout: 5_000 }).toBe(true);
      await program.end();
      for (const each of [plain, stray, deaf]) expect(await isRunningAs(each)).toBe(false);
    });

    it("that go by themselves leave nothing of what they started", async () => {
      const left = lasting();
      const program = await sh(`${left} & exit 3`);
      program.stdout.resume();
      program.stderr.resume();
      expect(await program.gone).toBe("It exited with code 3.");
      await program.end();
      expect(await isRunningAs(left)).toBe(false);
    });

    it("are over when they go, whoever got away and holds their pipes", async () => {
      const stray = "echo up; cat until";
      const program = await sh(
        `mkfifo until; env -i $(command -v setsid) sh -c '${stray}' & read go; exit 3`,
      );
      try {
        await expect.poll(() => program.stdout.readableLength).toBeGreaterThan(0);
        program.stdin.write("go\n");
        program.stdout.resume();
        program.stderr.resume();
        expect(await program.gone).toBe("It exited with code 3.");
        await program.end();
      } finally {
        // That ends it.
        await (await open(join(cwd, "until"), "r+")).close();
      }
    });

    it("that are not there say so", async () => {
      const outcome = await start("no-such-program", []).then(
        async (program) => {
          const said = text(program.stderr);
          program.stdout.resume();
          const gone = await program.gone;
          return `${gone} ${await said}`;
        },
        (error: Error) => error.message,
      );
      expect(outcome).toMatch(/^There is no program "no-such-program"|exited with code 127.*not found/s);
    });

    it("are not begun where a variable has a NUL in it, behind which they could say more than that", async () => {
      const env = { A: "x\0--bind\0/\0/tmp/all" };
      await expect(sh("ls /tmp/all", { env })).rejects.toThrow(/NUL|null bytes/);
    });

    it("are begun as they are written, without a shell between", async () => {
      await writeFile(join(cwd, "args.sh"), 'printf "%s|" "$@"');
      const program = await start("sh", ["args.sh", "a b", "$HOME", "'", "", "-n"]);
      expect(await text(program.stdout)).toBe("a b|$HOME|'||-n|");
      await program.end();
    });
  });
}

/** What a shell adds of its own, and what containers of commands have. */
function isOfShells(name: string): boolean {
  return ["PWD", "OLDPWD", "SHLVL", "_", "PAGER", "LEGION_COMMAND"].includes(name);
}

export async function text(stream: Readable): Promise<string> {
  let all = "";
  for await (const chunk of stream) all += String(chunk);
  return all;
}
