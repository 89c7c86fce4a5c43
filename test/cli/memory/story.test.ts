import { expect, it } from "vitest";
import { memory as memoryModule } from "../../../modules/memory/index.ts";
import { core } from "../../../modules/core.ts";
import { createWorld } from "../../world.ts";
import { legion } from "../legion.ts";
import { memory } from "./kit.ts";

const remember = (text: string) => ({ calls: [{ action: "remember", parameters: { text } }] });

it("finds what an agent kept, forgets it, and says that the agent's own log still has it", async () => {
  const reach = { modules: [core, memoryModule], memories: ["main/legion"] };
  const world = await createWorld({
    "2": { ...reach, script: [remember("The falcon flies on Friday."), remember("Tea is at four.")] },
    "3": { ...reach, script: [{ calls: [{ action: "searchMemory", parameters: { query: "falcon" } }] }] },
  });
  const cwd = world.project;
  await world.say("2", "Keep this.");
  await world.say("2", "And that.");
  await world.idle();
  // The agents still run.
  const { json } = await memory(cwd, ["search", "falcon", "--speaker", "2", "--json"]);
  expect(json).toMatchObject([{ raw: "The falcon flies on Friday.", by: "2", role: "assistant" }]);
  const { out, exitCode } = await memory(cwd, ["forget", "--query", "falcon", "--yes"]);
  expect(exitCode).toBe(0);
  expect(out).toMatch(
    /It also stands elsewhere, where it stays:\n {2}Agent 2: \d files? in .ai-legion\/agents\/2/,
  );
  await world.say("3", "What flies?");
  await world.idle();
  expect((await world.kinds("3", "result"))[0]?.content).toContain("Nothing in memory is like");
  await world.stop();
  expect((await legion(["log", "2"], { cwd })).out).toContain("falcon");
  expect((await memory(cwd, ["list"])).out).toContain("Tea is at four.");
  expect((await memory(cwd, ["list"])).out).not.toContain("falcon");
});
