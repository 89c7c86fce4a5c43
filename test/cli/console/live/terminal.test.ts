// One agent at a real terminal: what it does as it comes, and what stops it.

import { beforeAll, describe, expect, it } from "vitest";
import { createTempProject } from "../../../temp-project.ts";
import { temporaryFolder } from "../../../world.ts";
import { buildProgram } from "../../program.ts";
import { hasScript, sitDown } from "../session.ts";

const SCRIPT = `
- thoughts: First I run it.
  text: On it.
  calls: [{ action: executeCommand, parameters: { command: "echo begun; sleep 60" } }]
- Stopped, as you said.
- You are welcome.
`;

describe.skipIf(!hasScript)("one agent at a terminal", () => {
  beforeAll(buildProgram, 120_000);

  it("is shown as it works, Escape stops what runs, and slashes tell what happened and was spent", async () => {
    const cwd = await createTempProject({ "script.yaml": SCRIPT });
    const env = { XDG_CONFIG_HOME: await temporaryFolder() };
    const at = sitDown("start 1 --model scripted:script.yaml --tick 0 --yes", { cwd, env, columns: 60 });
    await at.sees(/^Agent 1 {2}idle/);
    // Nothing runs: it is no key that means anything.
    at.type("\u001b");
    at.type("\u001b[A\u001b[B");
    at.type("run it\r");
    await at.sees(/^ {11}│ begun$/);
    await at.sees(/^Agent 1 {2}acting {4}│ begun/);
    expect(at.rows()).toEqual(
      expect.arrayContaining([
        "> run it",
        "Agent 1  ~ First I run it.",
        "Agent 1  “ On it.",
        "Agent 1  ▸ executeCommand echo begun; sleep 60",
      ]),
    );
    at.type("\u001b");
    await at.sees(/^Agent 1: told to stop at once\.$/);
    await at.sees(/^Agent 1 {2}· waits for mail/);
    at.type("/stats\r");
    await at.sees(/^1 .*idle/);
    at.type("/history\r");
    await at.sees(/ result +idle: /);
    at.type("/exit\r");
    expect(await at.ended).toBe(0);
    expect(at.rows().join("\n")).not.toContain("← Control: run it");
  });
});
