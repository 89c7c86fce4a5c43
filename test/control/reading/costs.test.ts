import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readCosts } from "../../../src/control/reading/costs.ts";
import { storedStatus } from "../../../src/legion/status.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { NOOP } from "../../workshop.ts";
import { createWorld } from "../../world.ts";

it("what a legion came to is what its agents came to, each time it is split up, also without what was kept", async () => {
  const tell = { calls: [{ action: "sendMessage", parameters: { targetAgentId: "2", message: "Yours" } }] };
  const world = await createWorld({ "1": { script: [tell, NOOP, NOOP] }, "2": { script: () => NOOP } });
  const [first] = await world.say("1", "Share it");
  const [second] = await world.say("2", "And this");
  await world.idle();
  await world.stop();
  const reader = createFileReader(world.project);
  const costs = await readCosts(reader);
  const statuses = [await storedStatus("1", reader), await storedStatus("2", reader)];
  const steps = statuses.reduce((sum, status) => sum + status.steps, 0);
  const tokens = statuses.reduce((sum, status) => sum + status.tokens, 0);
  for (const part of [costs.agents, costs.causes, costs.models, costs.spans]) {
    expect(part.reduce((sum, row) => sum + row.steps, 0)).toBe(steps);
    expect(part.reduce((sum, row) => sum + row.input + row.output, 0)).toBe(tokens);
  }
  expect(costs.agents.map(({ id, name }) => [id, name])).toEqual([
    ["1", "Agent 1"],
    ["2", "Agent 2"],
  ]);
  const byRoot = new Map(costs.causes.map((cause) => [cause.root, cause]));
  expect(byRoot.get(first!)).toMatchObject({
    opening: "Share it",
    agents: expect.arrayContaining(["1"]) as unknown,
  });
  expect(byRoot.get(second!)).toMatchObject({ opening: "And this", agents: ["2"] });
  expect(costs.unread).toEqual([]);
  await rm(join(world.project, ".ai-legion/cache"), { recursive: true, force: true });
  expect(await readCosts(createFileReader(world.project))).toEqual(costs);
});
