import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createTempProject } from "../../../temp-project.ts";
import { buildProgram, runToEnd } from "../../program.ts";

beforeAll(buildProgram, 120_000);

describe("a legion whose agents may not run commands", () => {
  it("lets no agent write what the next start would run", async () => {
    const weather = "export default { name: 'weather', actions: {} };";
    const cwd = await createTempProject({
      "agents/legionnaire.md": "---\nmodules: [core, system, ./weather.mjs]\n---\n",
      "weather.mjs": weather,
      "script.yaml": `
- calls:
    - { action: writeFile, parameters: { path: weather.mjs, content: harm } }
    - { action: writeFile, parameters: { path: agents/evil.md, content: harm } }
- Neither worked.`,
    });
    const { code, out } = await runToEnd(
      [
        "start",
        "--trust",
        "--model",
        "scripted:script.yaml",
        "--tick",
        "0",
        "--task",
        "do harm",
        "--until-idle",
      ],
      {
        cwd,
      },
    );
    expect(code).toBe(0);
    expect(out.match(/That path can only be read/g)).toHaveLength(2);
    expect(await readFile(join(cwd, "weather.mjs"), "utf8")).toBe(weather);
    expect(await readdir(join(cwd, "agents"))).toEqual(["legionnaire.md"]);
  });
});
