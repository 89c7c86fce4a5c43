// A scribe that also hears what was said before it came.

import type { Readable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { command } from "../../../../src/cli/run/start/start.ts";
import type { Io } from "../../../../src/cli/kit/command.ts";
import { createFileBackend } from "../../../../src/storage/files/backend.ts";
import { entriesFrom } from "../../../../src/past/memory/recall.ts";
import { createTempProject } from "../../../temp-project.ts";
import { createTerminal } from "../../screen.ts";
import { legion } from "../../legion.ts";

const END = ["--until-idle", "--tick", "0"];
const FROM_START = ["--scribe", "--from", "start", ...END];
const KEY = { ANTHROPIC_API_KEY: "none" };

const PAID = `---
director: scribe
observe: all
memories: [main/legion]
model: anthropic/claude-haiku-4-5
---
`;

/** Of two starts without a scribe. */
async function talkingProject(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const cwd = await createTempProject(files);
  await legion(["start", "1", "--task", "note boat: Ada is blue", ...END], { cwd });
  await legion(["start", "1", "--task", "whoami", ...END], { cwd });
  return cwd;
}

const saidIn = async (project: string): Promise<readonly string[]> => {
  const { memories } = createFileBackend(project);
  if ((await memories.known()).length === 0) return [];
  return (await entriesFrom(memories.read("main/legion"), 1)).map(({ raw }) => raw);
};

const wordsFrom = async (project: string): Promise<readonly string[]> =>
  (await saidIn(project)).filter((raw) => raw === "note boat: Ada is blue" || raw === "whoami");

describe("legion start --scribe --from start", () => {
  it("says first how much it is, and hears all of it, once; a model that is none costs nothing", async () => {
    const cwd = await talkingProject();
    const { err, exitCode } = await legion(["start", ...FROM_START], { cwd });
    const entries = await saidIn(cwd);
    expect(err).toBe(
      `legion: scribe has ${entries.length} messages of 1 conversation to take in from the start: that costs nothing with offline\n`,
    );
    expect(exitCode).toBe(0);
    expect(await wordsFrom(cwd)).toEqual(["note boat: Ada is blue", "whoami"]);
    const again = await legion(["start", ...FROM_START], { cwd });
    expect(again.err).toBe("legion: nothing was said that scribe has not heard\n");
    expect(await saidIn(cwd)).toEqual(entries);
  });

  it("goes back, too, behind the moment from which on a scribe had heard", async () => {
    const cwd = await talkingProject();
    await legion(["start", "1", "--scribe", "--task", "noop", ...END], { cwd });
    expect(await wordsFrom(cwd)).toEqual([]);
    const heard = await saidIn(cwd);
    const { err } = await legion(["start", ...FROM_START], { cwd });
    const entries = await saidIn(cwd);
    expect(err).toContain(`scribe has ${entries.length - heard.length} messages of 1 conversation`);
    expect(await wordsFrom(cwd)).toEqual(["note boat: Ada is blue", "whoami"]);
    expect(entries.filter((raw) => raw === "noop")).toEqual(["noop"]);
    await legion(["start", "--task", "noop", ...END], { cwd });
    expect((await saidIn(cwd)).slice(0, entries.length)).toEqual(entries);
    expect((await legion(["memory", "--json"], { cwd })).json).toMatchObject([{ behind: 0 }]);
  });

  it("asks before a model is paid; where nobody can be asked nothing is started, and told is how", async () => {
    const cwd = await talkingProject({ "agents/scribe.md": PAID });
    const { exitCode, err, out } = await legion(["start", ...FROM_START, "--trust"], { cwd, env: KEY });
    expect(exitCode).toBe(2);
    expect(out).toBe("");
    const [said, refused, ...more] = err.trim().split("\n");
    expect(said).toMatch(
      /^legion: scribe has (\d+) messages of 1 conversation to take in from the start: about \d+ calls of anthropic\/claude-haiku-4-5, 0\.\d\d million tokens, 0\.\d\d USD \(its limits: /,
    );
    expect(refused).toMatch(
      /nobody can be asked here.* or say --yes, which lets agents run commands unasked, too/,
    );
    expect(more).toEqual([]);
    expect(await createFileBackend(cwd).reader.known()).toEqual(["1"]);
  });

  it.each([["n"], [""]])("starts nothing where a person answers %j", async (answer) => {
    const cwd = await talkingProject({ "agents/scribe.md": PAID });
    const terminal = createTerminal(100);
    const stdin: Readable = Object.assign(terminal.stdin, { isTTY: true });
    const stdout = Object.defineProperty(terminal.stdout, "isTTY", { value: true });
    onTestFinished(() => void stdin.pause());
    const write = stdout.write.bind(stdout) as (text: string) => boolean;
    let told = "";
    const asked = new Promise<void>((resolve) => {
      stdout.write = (text: string | Uint8Array) => {
        const isTaken = write(String(text));
        if (terminal.rows().some((row) => row.includes("Shall it hear all of that? [y/N]"))) resolve();
        return isTaken;
      };
    });
    const tell = (text: string): boolean => ((told += text), true);
    const stderr = Object.create(process.stderr, { write: { value: tell } }) as Io["stderr"];
    const person = { stdin: stdin as Io["stdin"], stdout: stdout as Io["stdout"], stderr };
    const env = { XDG_CONFIG_HOME: process.env["XDG_CONFIG_HOME"] ?? "", ...KEY };
    const io: Io = { env, cwd, ...person, commands: [], signal: new AbortController().signal };
    const options = { scribe: "true", from: "start", untilIdle: "true", tick: "0", trust: "true" };
    const ended = command.run({ args: [], options }, io);
    await asked;
    expect(told).toContain("about ");
    await terminal.type(`${answer}\r`);
    expect(await ended).toBe(0);
    expect(await createFileBackend(cwd).reader.known()).toEqual(["1"]);
  });

  it.each([
    [["--from", "start"], "--from start: nobody here hears what others say; add --scribe"],
    [["--scribe", "--from", "start", "--from", ".claude", "--from", "x"], "--from: one folder, not 2"],
  ])("refuses %j", async (argv, reason) => {
    const cwd = await createTempProject();
    const { exitCode, err } = await legion(["start", ...argv, ...END], { cwd });
    expect(exitCode).toBe(2);
    expect(err).toContain(reason);
    expect(err.trim().split("\n")).toHaveLength(1);
  });
});
