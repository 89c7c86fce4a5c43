import { expect, it } from "vitest";
import { createDesk } from "../../src/control/service.ts";
import { createWorld, openWorld, temporaryFolder } from "../world.ts";

const onStop = (): void => undefined;

it("does nothing of an order of which a part is about an agent that runs elsewhere, and says so in a way that programs know", async () => {
  const project = await temporaryFolder();
  await (await openWorld(project, { "1": {}, "7": {} })).stop();
  const world = await openWorld(project, { "1": {} });
  const desk = createDesk({ legion: world.legion, onStop });
  await expect(desk.answer("/order", { order: "pause", targets: ["1", "7"] })).rejects.toMatchObject({
    code: "LOCKED",
    message: "agent 7 does not run on this node; it runs 1",
  });
  expect(world.agent("1").standing.state).toBe("idle");
});

it("knows no word but its own", async () => {
  const { legion } = await createWorld({ "1": {} });
  const desk = createDesk({ legion, onStop });
  for (const path of ["", "/", "/Say", "say", "/say/", "__proto__", "toString"]) {
    await expect(desk.answer(path, {})).rejects.toMatchObject({ code: "USAGE" });
  }
  expect(desk.paths).toEqual(["/status", "/say", "/order", "/resend", "/fork", "/stop"]);
});

it("answers before it ends the node", async () => {
  const { legion } = await createWorld({ "1": {} });
  let asked = 0;
  const desk = createDesk({ legion, onStop: () => void asked++ });
  const answer = await desk.answer("/stop", undefined);
  expect({ answer, asked }).toEqual({ answer: { node: expect.stringMatching(/^\d+@/) }, asked: 0 });
  await new Promise(setImmediate);
  expect(asked).toBe(1);
});
