import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createTempProject } from "../../../temp-project.ts";
import { bubblewrapIsThere } from "../../../environment/opened.ts";
import { FAKE_SERVER } from "../../../modules/mcp/kit.ts";
import { temporaryFolder } from "../../../world.ts";
import { buildProgram, runToEnd } from "../../program.ts";

describe.runIf(bubblewrapIsThere)("what a command made under a protected name", () => {
  beforeAll(buildProgram, 120_000);

  it("is set aside, and the person is told: it may have been theirs (M2)", async () => {
    const cwd = await createTempProject({});
    const env = { XDG_CONFIG_HOME: await temporaryFolder() };
    const task = "run touch .npmrc here";
    const { code } = await runToEnd(
      ["start", "--model", "offline", "--tick", "0", "--task", task, "--until-idle"],
      { cwd, env },
    );
    expect(code).toBe(0);
    expect(existsSync(join(cwd, ".npmrc"))).toBe(false);
    const { out } = await runToEnd(["inbox"], { cwd, env });
    expect(out.replace(/\s+/g, " ")).toContain(
      "Moved to .ai-legion/set-aside: `.npmrc`. A command or server of Agent 1 seems to have made this, under a name that " +
        "others run or trust. If it was you, move it back.",
    );
  });

  it("is told of also where a server made it, which ends with the node (M2)", async () => {
    const fake = { command: process.execPath, args: [FAKE_SERVER, "notes its start", "./.npmrc"] };
    const cwd = await createTempProject({ ".mcp.json": JSON.stringify({ mcpServers: { fake } }) });
    const env = { XDG_CONFIG_HOME: await temporaryFolder() };
    const task = ["--agent", "assistant", "--trust", "--task", "list .", "--until-idle"];
    const { code } = await runToEnd(["start", "--model", "offline", "--tick", "0", ...task], { cwd, env });
    expect(code).toBe(0);
    expect(existsSync(join(cwd, ".npmrc"))).toBe(false);
    expect((await runToEnd(["inbox"], { cwd, env })).out).toContain(
      "Moved to .ai-legion/set-aside: `.npmrc`.",
    );
  });
});
