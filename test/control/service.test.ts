import { expect, it } from "vitest";
import { createService } from "../../src/control/service.ts";
import { createWorldInMemory as createWorld, openWorld, temporaryFolder } from "../world.ts";

const onStop = (): void => undefined;

it("does nothing of an order of which a part is about an agent that runs elsewhere, and says so in a way that programs know", async () => {
  const project = await temporaryFolder();
  await (await openWorld(project, { "1": {}, "7": {} })).stop();
  const world = await openWorld(project, { "1": {} });
  const service = createService({ legion: world.legion, onStop });
  await expect(service.order({ order: "pause", targets: ["1", "7"] })).rejects.toMatchObject({
    code: "LOCKED",
    message: "agent 7 does not run on this node; it runs 1",
  });
  expect(world.agent("1").standing.state).toBe("idle");
});

it("answers before it ends the node", async () => {
  const { legion } = await createWorld({ "1": {} });
  let asked = 0;
  const service = createService({ legion, onStop: () => void asked++ });
  const answer = await service.stop({});
  expect({ answer, asked }).toEqual({ answer: { node: expect.stringMatching(/^\d+@/) }, asked: 0 });
  await new Promise(setImmediate);
  expect(asked).toBe(1);
});
