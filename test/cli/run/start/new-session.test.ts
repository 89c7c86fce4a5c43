import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createTempProject } from "../../../temp-project.ts";
import { temporaryFolder } from "../../../world.ts";
import { hasScript, sitDown } from "../../console/session.ts";
import { legion } from "../../legion.ts";
import { buildProgram } from "../../program.ts";

describe("/new", () => {
  beforeAll(buildProgram, 120_000);

  it.skipIf(!hasScript)("begins a session without the past, and leaves the one before as it is", async () => {
    const cwd = await createTempProject({ "script.yaml": "- Heard.\n- Heard again.\n" });
    const env = { XDG_CONFIG_HOME: await temporaryFolder() };
    const at = sitDown("start 1 --model scripted:script.yaml --tick 0", { cwd, env, columns: 100 });
    const sayFirst = async (text: string, times: number): Promise<void> => {
      await at.sees(/^Agent 1 {2}idle .* 0$/);
      at.type(`${text}\r`);
      const rests = () => at.rows().filter((row) => row.includes("· waits for mail (1 step,")).length;
      await expect.poll(rests, { timeout: 10_000 }).toBe(times);
    };
    await sayFirst("one", 1);
    at.type("/new\r");
    await at.sees(/^ +in a new session, .*; `legion start` goes on with the one before\.$/);
    await sayFirst("two", 2);
    at.type("/new\r");
    await at.sees(/; `legion start --run$/);
    await sayFirst("three", 3);
    at.type("/exit\r");
    expect(await at.ended).toBe(0);
    const heard = async (...run: string[]): Promise<unknown[]> => {
      const { json } = await legion(["log", "1", "--json", ...run], { cwd, env });
      return json.flatMap((event) => {
        const { kind, message } = event as { kind: string; message?: { content: string } };
        return kind === "message" ? [message!.content] : [];
      });
    };
    expect(await heard()).toEqual(["one"]);
    const runs = (await readdir(join(cwd, ".ai-legion/runs"))).map((name) => heard("--run", name));
    expect(new Set(await Promise.all(runs))).toEqual(new Set([["two"], ["three"]]));
  });

  it("is refused where nobody types", async () => {
    const cwd = await createTempProject({ "script.yaml": "- Heard.\n" });
    await mkdir(join(cwd, ".ai-legion"));
    const argv = ["start", "1", "--model", "scripted:script.yaml", "--until-idle"];
    const { out } = await legion(argv, { cwd, stdin: "/new\n" });
    expect(out).toContain("no new session can be begun here");
    expect(await readdir(join(cwd, ".ai-legion"))).not.toContain("runs");
  });
});
