// Where templates are rendered: one thread for all agents of a process.

import type { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { openTemplates } from "../../../src/base/template/templates.ts";
import { startTemplateWorker } from "../../base/template/start-worker.ts";
import { createWorld, toPlan } from "../../world.ts";
import { command, SETTINGS } from "./in-bash.ts";

it("is there with the first task, and is the only one, also for who comes when the others have gone", async () => {
  const started: Worker[] = [];
  const engine = openTemplates({
    start(options) {
      const worker = startTemplateWorker(options);
      started.push(worker);
      return worker;
    },
  });
  const script = () => command("text", "echo MINI_SWE_AGENT_FINAL_OUTPUT; echo done");
  const agent = { script, profile: { tools: false }, bash: SETTINGS, engine };
  const world = await createWorld({ 1: agent, 2: agent, 3: agent });
  expect(started).toEqual([]);
  await world.say("all", "greet");
  await world.idle();
  for (const id of ["1", "2", "3"]) await world.legion.retire(id);
  await world.legion.host(toPlan("4", agent));
  await world.say("4", "greet");
  await world.idle();
  for (const id of ["1", "2", "3", "4"])
    expect(await world.kinds(id, "result")).toMatchObject([{ submission: "done\n" }]);
  expect(started).toHaveLength(1);
  await world.stop();
  await engine.close();
});
