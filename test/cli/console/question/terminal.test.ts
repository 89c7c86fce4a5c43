// Questions as a person meets them: the real program at a real terminal, behind a pipe, and with nobody there.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createTempProject } from "../../../temp-project.ts";
import { temporaryFolder } from "../../../world.ts";
import { buildProgram, run, runToEnd } from "../../program.ts";
import { hasScript, sitDown, type Place, type Session } from "../session.ts";

const START = "start 2 --model scripted:script.yaml --tick 0";
const ASK = "ask write docs/**";

/** A project whose agents, all together, write these files, one after the other. */
async function place(columns: number, ...contents: readonly string[]): Promise<Place> {
  const calls = contents.map((content, index) => {
    const parameters = { path: `docs/${index}.md`, content };
    return `- calls: [${JSON.stringify({ action: "writeFile", parameters })}]\n`;
  });
  const cwd = await createTempProject({ "script.yaml": `${calls.join("")}- All is done.\n` });
  return { cwd, columns, env: { XDG_CONFIG_HOME: await temporaryFolder() } };
}

const CHOICES = /^y: once · a: always this exact call · n \[why\]: no$/;

/** Resolves with the id of the question on the screen once it can be answered. */
async function asks(session: Session, choices = CHOICES): Promise<string> {
  await session.sees(choices);
  const head = session.rows().findLast((row) => / asks \d+\.\d+:/.test(row));
  return /asks (\d+\.\d+):/.exec(head ?? "")![1]!;
}

function overIn(id: string): RegExp {
  return new RegExp(`writeFile \\(${id.replace(".", "\\.")}\\) was (not )?allowed`);
}

describe.skipIf(!hasScript)("a question at a terminal", () => {
  beforeAll(buildProgram, 120_000);

  it("stands above the prompt until it is answered there, with yes or with no and why", async () => {
    const at = await place(60, "one", "two");
    const session = sitDown(`${START} --policy '${ASK}'`, at);
    await session.sees(/^>$/);
    session.type("1: go\r");
    const first = await asks(session);
    const rows = session.rows();
    for (const row of rows) expect(row.length, row).toBeLessThanOrEqual(60);
    expect(rows).toContain(`Agent 1 (legionnaire) asks ${first}: may I call writeFile?`);
    expect(rows).toContain("    content: one");
    expect(rows).toContain("Asked because of: write docs/** (--policy).");
    expect(rows.find((row) => row.startsWith("Agent 1  asking"))).toContain(
      `waits for your answer (${first})`,
    );
    session.type("y\r");
    await session.sees(overIn(first));
    await session.sees(/^ {4}content: two$/);
    expect(await readFile(join(at.cwd, "docs/0.md"), "utf8")).toBe("one");
    const second = await asks(session);
    session.type("n not so\r");
    await session.sees(new RegExp(`${overIn(second).source}: not so`));
    await session.sees(/^Agent 1 {2}→ Control: All is done\.$/);
    expect(session.rows().join("\n")).not.toContain("─ question");
    session.type("/exit\r");
    expect(await session.ended).toBe(0);
  });

  it("goes with a line when it was answered elsewhere, and the next one comes", async () => {
    const at = await place(100, "one", "two");
    const session = sitDown(`${START} --policy '${ASK}'`, at);
    await session.sees(/^>$/);
    session.type("all: go\r");
    await session.sees(/^─ question 1 of 2 /);
    const first = await asks(session);
    const { code, out } = await runToEnd(["deny", first, "not", "now"], at);
    expect([code, out]).toEqual([0, `${first}: Agent ${first[0]} may not do it, and reads why.\n`]);
    await session.sees(new RegExp(`${overIn(first).source}: not now`));
    await session.sees(/^─ question ─/);
    const second = await asks(session);
    expect(second).not.toBe(first);
    session.type("a\r");
    await session.sees(overIn(second));
    await session.sees(/and this exact call is not asked again in this project\.$/);
    session.type("/exit\r");
    expect(await session.ended).toBe(0);
  });

  it("too long for the screen is not allowed by a key, stays open at the end, and is there at the next start", async () => {
    const at = await place(60, Array.from({ length: 60 }, (_, index) => `line ${index}`).join("\n"));
    const session = sitDown(`${START} --policy '${ASK}' --task go`, at);
    const CUT = /^\/approvals 1\.\d+ shows it whole · \/approve 1\.\d+ allows it once/;
    const id = await asks(session, CUT);
    session.type("y\r");
    await session.sees(/^legion: "y" went to nobody: 1\.\d+ is not shown whole here/);
    session.type("\u0003");
    expect(await session.ended).toBe(0);
    const end = session.rows().join(" ");
    expect(end).toContain(`The question ${id} stays open, also while nothing runs: legion approvals,`);
    expect(end).toContain(`legion deny ${id}`);
    expect(end).not.toContain("Agent 1: Agent 1 asks");

    const again = sitDown(`start --tick 0 --policy '${ASK}'`, at);
    expect(await asks(again, CUT)).toBe(id);
    again.type(`/approvals ${id}\r`);
    await again.sees(/^ {6}line 59$/);
    again.type(`/approve ${id}\r`);
    await again.sees(overIn(id));
    again.type("/exit\r");
    expect(await again.ended).toBe(0);
    expect(await readFile(join(at.cwd, "docs/0.md"), "utf8")).toContain("line 59");
  });
});

describe("a question behind a pipe", () => {
  beforeAll(buildProgram, 120_000);

  it("is printed when it comes, with the commands that answer it, and what became of it", async () => {
    const at = await place(80, "one");
    const started = run([...START.split(" "), "--policy", ASK, "--task", "go"], at);
    await started.until("and why\n");
    const [, id] = /Agent 1 {2}\? Agent 1 asks (1\.\d+): may I call writeFile\?\n/.exec(started.out())!;
    expect(started.out()).toMatch(
      new RegExp(`\n {15}content: one\n {11}Asked because of: .*\n {11}legion approve ${id}, or legion deny`),
    );
    started.child.stdin.write(`/approve ${id}\n`);
    await started.until(`✓ writeFile (${id}) was`);
    started.child.kill("SIGTERM");
    const { out } = await started.ended;
    expect(out).not.toContain("\u001b");
  });
});

describe("a question where nobody is", () => {
  beforeAll(buildProgram, 120_000);

  it("is a no that says why in one line, and what would allow it", async () => {
    const call = {
      action: "executeCommand",
      parameters: { command: "npm test", network: "example.com:8443" },
    };
    const cwd = await createTempProject({
      "script.yaml": `- calls: [${JSON.stringify(call)}]\n- calls: [${JSON.stringify(call)}]\n- Done.\n`,
    });
    const config = await temporaryFolder();
    const env = { XDG_CONFIG_HOME: config };
    const args = ["start", "--model", "scripted:script.yaml", "--tick", "0", "--task", "go", "--until-idle"];
    const { code, out } = await runToEnd([...args, "--policy", "allow run npm test"], { cwd, env });
    expect(code).toBe(0);
    const lines = out.split("\n").filter((line) => line.includes("nobody is here to answer"));
    expect(lines).toEqual([
      "Agent 1 may not call executeCommand: that has to be asked (profile workspace), and nobody is here to answer. " +
        'To allow it next time: policy: { allow: ["net example.com:8443"] } in ' +
        `${config}/ai-legion/config.yaml, or --approvals wait, and an answer then.`,
    ]);
    const ruled = await runToEnd([...args, "--policy", "ask run npm *"], { cwd, env });
    expect(ruled.out).toContain(
      "that has to be asked (run npm * (--policy)), and nobody is here to answer. " +
        "To allow it next time: --approvals wait, and an answer then.",
    );
  });
});
