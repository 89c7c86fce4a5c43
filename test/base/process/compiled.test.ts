import module from "node:module";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { buildProgram, runToEnd } from "../../cli/program.ts";
import { createTempProject } from "../../temp-project.ts";

beforeAll(buildProgram, 120_000);

it("keeps what Node compiles in the person's own folder, where Node can, and nothing where it must not", async () => {
  const [cwd, caches] = [await createTempProject(), await createTempProject()];
  const kept = () => existsSync(join(caches, "ai-legion"));
  const answer = { code: 0, err: "" };
  const off = { XDG_CACHE_HOME: caches, NODE_DISABLE_COMPILE_CACHE: "1" };
  expect(await runToEnd(["ps"], { cwd, env: off })).toMatchObject(answer);
  expect(kept()).toBe(false);
  expect(await runToEnd(["ps"], { cwd, env: { XDG_CACHE_HOME: caches } })).toMatchObject(answer);
  expect(kept()).toBe("enableCompileCache" in module);
});
