import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../cli/program.ts";
import { loadedIn } from "../loaded.ts";
import { createTempProject } from "../temp-project.ts";

beforeAll(buildProgram, 120_000);

describe("importing the library", () => {
  it.each(["index", "testing"])(
    "loads zod alone with %s: no provider, Redis, browser, server or MCP package",
    async (entry) => {
      const folder = await createTempProject();
      const url = new URL(`../../dist/src/${entry}.js`, import.meta.url).href;
      const env = { PATH: process.env["PATH"], NODE_V8_COVERAGE: folder };
      const code = `const { ${entry === "index" ? "Legion" : "openTestLegion"}: it } = await import("${url}"); if (!it) process.exit(1);`;
      const { status } = spawnSync(process.execPath, ["--input-type=module", "--eval", code], {
        env,
        cwd: folder,
      });
      expect(status).toBe(0);
      const { modules, packages } = await loadedIn(folder);
      expect(modules).toContain("src/library/open.ts");
      expect(packages).toEqual(["zod"]);
    },
  );
});
