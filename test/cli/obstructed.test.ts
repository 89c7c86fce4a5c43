import { mkdir, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { legionPaths } from "../../src/storage/folder/paths.ts";
import { serve } from "../control/serve.ts";
import { openWorld, temporaryFolder } from "../world.ts";
import { legion } from "./legion.ts";

/** A node that runs agents 1 and 3; a file stands where the folder of 3 should be. */
async function obstructed() {
  const project = await temporaryFolder();
  await mkdir(legionPaths(project).agents, { recursive: true });
  await writeFile(legionPaths(project).agent("3"), "x");
  const world = await openWorld(project, { "1": {}, "3": {} });
  const { close } = await serve(world);
  await world.until((seen) => seen.kind === "live:state" && seen.agent === "3" && seen.state === "halted");
  const stop = async () => {
    await close();
    await world.stop();
  };
  return { stop, typed: (...argv: readonly string[]) => legion(argv, { cwd: project }) };
}

it("an agent with a file in place of its folder is halted for every command", async () => {
  const { stop, typed } = await obstructed();
  const { json } = await typed("ps", "--json");
  expect(json).toMatchObject([
    { id: "1", state: "idle" },
    { id: "3", state: "halted", reason: expect.stringContaining("ENOTDIR"), node: expect.any(String) },
  ]);
  const one = await typed("send", "3", "Hello");
  const all = await typed("send", "all", "Hello");
  expect(one.out + one.err).toBe("0>3#1\n");
  expect(all.out + all.err).toBe("0>1#1\n0>3#2\n");
  const nobody = await typed("send", "9", "Hello");
  expect(nobody.err).toBe('legion: there is no agent "9"; known: 1, 3\n');
  await stop();
  const after = await typed("send", "3", "Hello");
  expect(after.err).toBe('legion: there is no agent "3"; known: 1\n');
  expect((await typed("ps", "--json")).json).toHaveLength(1);
});
