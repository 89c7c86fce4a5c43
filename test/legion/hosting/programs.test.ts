import { randomUUID } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { createLocalEnvironment } from "../../../src/environment/local.ts";
import { environmentFor, findEnvironment } from "../../../src/environment/open.ts";
import { createPrograms } from "../../../src/legion/hosting/programs.ts";
import { bubblewrapIsThere, placeIn } from "../../environment/opened.ts";
import { text } from "../../environment/programs-contract.ts";
import { temporaryFolder } from "../../world.ts";

it.runIf(bubblewrapIsThere)(
  "a program that is started for another purpose ends none that is confined alike, and takes none of its files",
  async () => {
    const workspace = await temporaryFolder();
    const place = placeIn(workspace);
    const variables = process.env;
    const open = environmentFor({ choice: {}, finding: await findEnvironment(variables), variables });
    const used = await open(place);
    const start = (script: string) => {
      const closing = { add: (close: () => void | Promise<void>) => onTestFinished(close) };
      const outside = createLocalEnvironment(variables);
      const programs = createPrograms({ mark: randomUUID(), outside, closing })({ used, open, place });
      const confined = { network: "off", workspace: "reads", home: "same" } as const;
      return programs.start({ command: "sh", args: ["-c", script], cwd: workspace, env: {}, ...confined });
    };
    const first = await start("touch /tmp/here; echo up; read go; ls /tmp/here");
    let said = "";
    first.stdout.on("data", (chunk) => (said += String(chunk)));
    await expect.poll(() => said).toBe("up\n");
    await (await start("true")).end();
    first.stdin.write("go\n");
    await expect.poll(() => said).toBe("up\n/tmp/here\n");
    await first.end();
  },
);

it("a program of an agent that works in a copy of the project runs in that copy, without a sandbox as well", async () => {
  const [project, copy] = [await temporaryFolder(), await temporaryFolder()];
  const local = createLocalEnvironment(process.env);
  const programsIn = (workspace: string) => {
    const closing = { add: (close: () => void | Promise<void>) => onTestFinished(close) };
    const place = { ...placeIn(project), workspace };
    return createPrograms({ mark: randomUUID(), outside: local, closing })({
      ...{ used: local, open: undefined, place },
    });
  };
  const order = { command: "pwd", args: [], cwd: project, env: {}, home: "same" } as const;
  for (const workspace of [project, copy]) {
    const { start, startOutside } = programsIn(workspace);
    for (const begin of [start, startOutside]) {
      const program = await begin({ ...order, network: "off", workspace: "writes" });
      expect(await text(program.stdout)).toBe(`${workspace}\n`);
      await program.end();
    }
  }
  expect(programsIn(project).confinement).toBe(programsIn(project).confinement);
  expect(programsIn(project).confinement).not.toBe(programsIn(copy).confinement);
  expect([programsIn(project).workspace, programsIn(copy).workspace]).toEqual([undefined, copy]);
});
