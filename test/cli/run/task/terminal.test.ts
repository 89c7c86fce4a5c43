import { beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../world.ts";
import { hasScript, sitDown } from "../../console/session.ts";
import { buildProgram } from "../../program.ts";
import { HELP, projectWith } from "./project.ts";

const SCRIPT = `- calls: [{ action: writeFile, parameters: { path: a.txt, content: a } }]
- Written.
`;

describe.skipIf(!hasScript)("legion run at a terminal", () => {
  beforeAll(buildProgram, 120_000);

  it("asks in one place, takes the answer there, and says below what it is at", async () => {
    const cwd = await projectWith(SCRIPT);
    const env = { XDG_CONFIG_HOME: await temporaryFolder() };
    const at = sitDown(`run ${HELP.join(" ")} --policy "ask write **" "write it"`, { cwd, env, columns: 60 });
    await at.sees(/^y: once · a: /);
    const asking = at.rows().filter((row) => /asks 1\.\d+: may I call writeFile/.test(row));
    expect(asking).toHaveLength(1);
    await at.sees(/^Agent 1 {2}asking /);
    at.type("y\r");
    expect(await at.ended).toBe(0);
    expect(at.rows().at(-1)).toBe("Written.");
  });
});
