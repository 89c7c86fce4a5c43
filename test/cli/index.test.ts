import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { Command } from "commander";
import { beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { explainFailure } from "../../src/cli/kit/failure.ts";
import { LegionError } from "../../src/base/errors.ts";
import { loadedIn } from "../loaded.ts";
import { createTempProject } from "../temp-project.ts";
import { legion } from "./legion.ts";
import { PROGRAM, buildProgram, run, runToEnd } from "./program.ts";

beforeAll(buildProgram, 120_000);

describe("the program", () => {
  it("says what it can do, in every way that one may ask, on 78 columns", async () => {
    const cwd = await createTempProject({});
    const answers = await Promise.all(
      [[], ["help"], ["--help"], ["-h"]].map((args) => runToEnd(args, { cwd })),
    );
    for (const { code, out, err } of answers) {
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out).toBe(answers[0]!.out);
    }
    const lines = answers[0]!.out.split("\n");
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(78);
    for (const { usage, summary } of COMMANDS)
      expect(lines.some((line) => line.startsWith(`  ${usage}`) && line.endsWith(summary))).toBe(true);
    expect(await readdir(cwd)).toEqual([]);
  });

  it("tells its version", async () => {
    const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
    expect(await runToEnd(["--version"], { cwd: "." })).toEqual({ code: 0, out: `${version}\n`, err: "" });
  });

  it("loads no library, and next to nothing else, to say so", async () => {
    const cwd = await createTempProject({});
    for (const args of [["--help"], ["--version"], []]) {
      const folder = await createTempProject({});
      await runToEnd(args, { cwd, env: { NODE_V8_COVERAGE: folder } });
      const { files, modules, packages } = await loadedIn(folder);
      expect(files.length).toBeLessThanOrEqual(3);
      expect(modules.length).toBeLessThanOrEqual(7);
      expect(packages).toEqual([]);
    }
  });

  it("refuses what it does not know in one line with the nearest that it does, and exits with 2", async () => {
    expect(await runToEnd(["strat"], { cwd: "." })).toEqual({
      code: 2,
      out: "",
      err: 'legion: there is no command "strat"; did you mean "legion start"?\n',
    });
    expect((await legion(["\u001b[2Jfoo"], { cwd: "." })).err).toBe(
      'legion: there is no command "\\u001b[2Jfoo"; legion --help lists them\n',
    );
  });

  it("ends quietly when nobody reads what it says", async () => {
    const node = run(["--help"], { cwd: "." });
    node.child.stdout.destroy();
    expect(await node.ended).toMatchObject({ code: 0, err: "" });
  });

  it.skipIf(!existsSync("/dev/full"))("does not end as if all were well when what it says is lost", () => {
    const toFullDisk = ["-c", '"$0" "$1" help > /dev/full', process.execPath, PROGRAM];
    const { status, stderr } = spawnSync("sh", toFullDisk, { encoding: "utf8" });
    expect(stderr).toMatch(/^legion: standard output could not be written: ENOSPC.*\n$/);
    expect(status).toBe(1);
  });

  it("shows the stack of an error only when asked to", () => {
    const error = new LegionError("STORAGE", "disk full\nand more");
    expect(explainFailure(error, {})).toEqual({ text: "legion: disk full and more\n", exitCode: 1 });
    expect(explainFailure(error, { LEGION_DEBUG: "1" }).text).toMatch(
      /^legion: disk full and more\nLegionError: [^]*index\.test/,
    );
    expect(explainFailure("odd", { LEGION_DEBUG: "0" })).toEqual({ text: "legion: odd\n", exitCode: 1 });
    expect(explainFailure(new LegionError("CONFIG", "x".repeat(5_000)), {}).text.length).toBeLessThan(1_100);
  });
});

describe("every command in the overview", () => {
  it.each(COMMANDS.map(({ name }) => name))("%s exists, and explains its options", async (name) => {
    const { exitCode, out, err } = await legion([name, "--help"], { cwd: "." });
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(out).toMatch(new RegExp(`^Usage: legion ${name}\\b`));
  });

  it.each(COMMANDS)("$name takes what the overview says", async ({ usage, load }) => {
    const parser = new Command();
    (await load()).command.define(parser);
    const declared = parser.registeredArguments.map((argument) =>
      argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
    );
    const [, ...said] = usage.split(" ");
    expect(said).toHaveLength(declared.length);
    said.forEach((word, index) => expect(word[0]).toBe(declared[index]![0]));
  });

  it("refuses options that it does not have, with the nearest one", async () => {
    expect(await legion(["start", "--modle", "x"], { cwd: "." })).toMatchObject({
      exitCode: 2,
      err: "legion: unknown option '--modle'; did you mean --model?\n",
    });
    expect(await legion(["ps", "--zzz"], { cwd: "." })).toMatchObject({
      exitCode: 2,
      err: "legion: unknown option '--zzz'; legion ps --help lists them\n",
    });
    expect(await legion(["goals"], { cwd: "." })).toMatchObject({
      exitCode: 2,
      err: "legion: missing required argument 'id'; usage: legion goals <id>\n",
    });
  });

  it("says all that has to be typed where something of it is missing", async () => {
    for (const [typed, missing] of [
      [[], "required option '--output <folder>' not specified"],
      [["--output", "out"], "missing required argument 'file'"],
    ] as const)
      expect(await legion(["batch", ...typed], { cwd: "." })).toMatchObject({
        exitCode: 2,
        err: `legion: ${missing}; usage: legion batch <file> --output <folder>\n`,
      });
  });
});
