// The real program at a real terminal.

import { spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createTempProject } from "../../temp-project.ts";
import { temporaryFolder } from "../../world.ts";
import { buildProgram, runToEnd } from "../program.ts";
import { hasScript, sitDown, type Place } from "./session.ts";

describe.skipIf(!hasScript)("legion start at a terminal", () => {
  beforeAll(buildProgram, 120_000);

  const ANSWER =
    "\u001b[2J\u001b]0;owned\u0007All of it is done, and there is nothing more to say about that.";
  async function place(columns: number): Promise<Place> {
    const cwd = await createTempProject({ "script.yaml": `- ${JSON.stringify(ANSWER)}\n- later\n` });
    return { cwd, columns, env: { XDG_CONFIG_HOME: await temporaryFolder() } };
  }
  const START = "start 2 --model scripted:script.yaml --tick 0";

  it("keeps a row for each agent, refuses what is for nobody, takes what is pasted as one message, and remembers", async () => {
    const at = await place(60);
    const first = sitDown(START, at);
    await first.sees(/^Agent 2 {2}idle {6}waits for mail +0$/);
    first.type("quit\r9: hi\r");
    await first.sees(/there is no agent "9"; known: 1, 2/);
    first.type("2: \u001b[200~one\rtwo\rthree\u001b[201~\r");
    await first.sees(/^Agent 2 {2}→ Control: All of it is done/);
    await first.sees(/^Agent 1 {2}idle {6}waits for mail +0$/);
    expect(first.rows()).toEqual(
      expect.arrayContaining([
        "> quit",
        'legion: "quit" went to nobody: /exit ends the node, "all:',
        'quit" says it',
        "> 2: [pasted #1: 3 lines]",
        "Agent 2  → Control: All of it is done, and there is nothing",
        "           more to say about that.",
        ">",
      ]),
    );
    expect(first.written()).not.toContain("owned");
    first.type("/exit\r");
    expect(await first.ended).toBe(0);
    expect(first.rows().join("\n")).toMatch(
      /> \/exit\nEnding: [^]*\n\nAgent 2: All of it [^]*legion log 2\nEnded\. 2 agents [^]*free\.$/,
    );
    const [marks, leaves] = ["\u001b[?2004h", "\u001b[?2004l"].map((mode) =>
      first.written().lastIndexOf(mode),
    );
    expect(leaves).toBeGreaterThan(marks!);
    const log = await readFile(join(at.cwd, ".ai-legion/agents/2/log/00000001-000.jsonl"), "utf8");
    expect(log.match(/"content":"one\\ntwo\\nthree"/g)).toHaveLength(1);

    const again = sitDown(START, at);
    await again.sees(/^>$/);
    again.type("\u001b[A\u001b[A");
    await again.sees(/^> 2: one\[pasted #1: 2 lines\]$/);
    again.type("\u0003");
    expect(await again.ended).toBe(0);
  });

  it("follows a log until Enter or Ctrl-C, which do not end the node, in a terminal of 40 columns", async () => {
    const session = sitDown(START, await place(40));
    await session.sees(/^2 waits for mail +0$/);
    session.type("1: go\r/log 1 -f\r");
    await session.sees(/^1 → Control: All of it is done/);
    await session.sees(/ decision /);
    session.type("1: once more\r");
    await session.sees(/^1 → Control: later$/);
    session.type("/log 1 -f --from 2\r");
    await session.sees(/^> \/log 1 -f --from 2$/);
    session.type("\u0003/pause 2\r");
    await session.sees(/^Agent 2: paused/);
    await session.sees(/^2 by Control/);
    for (const row of session.rows()) expect(row.length, row).toBeLessThanOrEqual(40);
    session.type("/exit\r");
    expect(await session.ended).toBe(0);
  });

  it("shows every event with -v, and plain lines where the terminal is dumb", async () => {
    const at = await place(80);
    const verbose = sitDown(`${START} -v --task go --until-idle`, at);
    expect(await verbose.ended).toBe(0);
    expect(verbose.rows()).toEqual(
      expect.arrayContaining(["Agent 1  ← Control: go", "Agent 1  → sent to Control"]),
    );
    expect(verbose.rows().join("\n")).not.toContain("───");
    const dumb = sitDown(`${START} --task again --until-idle`, { ...at, env: { ...at.env, TERM: "dumb" } });
    expect(await dumb.ended).toBe(0);
    expect(dumb.rows()).toEqual(expect.arrayContaining(["Agent 1  ← Control: again"]));
    expect(dumb.written()).not.toContain("\u001b");
  });

  it("says that it keeps no history where others could write it, and works", async () => {
    const at = await place(80);
    await mkdir(join(at.env["XDG_CONFIG_HOME"]!, "ai-legion"));
    await writeFile(join(at.env["XDG_CONFIG_HOME"]!, "ai-legion/history"), "", { mode: 0o666 });
    spawnSync("chmod", ["666", join(at.env["XDG_CONFIG_HOME"]!, "ai-legion/history")]);
    const session = sitDown(START, at);
    await session.sees(/^What is entered here is not kept: /);
    session.type("/exit\r");
    expect(await session.ended).toBe(0);
  });
});

describe.skipIf(!hasScript)("an error at a terminal", () => {
  beforeAll(buildProgram, 120_000);

  it("breaks at spaces, inside no word", async () => {
    const cwd = await createTempProject();
    const session = sitDown("help nothing", {
      cwd,
      columns: 40,
      env: { XDG_CONFIG_HOME: await temporaryFolder() },
    });
    expect(await session.ended).toBe(2);
    expect(session.rows().length).toBeGreaterThan(1);
    for (const row of session.rows()) expect(row.length).toBeLessThanOrEqual(40);
    const words = await runToEnd(["help", "nothing"], { cwd });
    expect(session.rows().join(" ")).toBe(words.err.trim());
  });
});
