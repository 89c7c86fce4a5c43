import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createTempProject } from "../../../temp-project.ts";
import { bubblewrapIsThere } from "../../../environment/opened.ts";
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
      "Moved to .ai-legion/set-aside: `.npmrc`. A command of Agent 1 seems to have made this, under a name that " +
        "others run or trust. If it was you, move it back.",
    );
  });
});
