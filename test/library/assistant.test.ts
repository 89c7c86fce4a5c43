import { expect, it } from "vitest";
import { createScriptedModel } from "../../src/model/scripted/scripted.ts";
import { openInMemory } from "./programs.ts";

it("the assistant is shown a prompt that names only what it can do", async () => {
  const model = createScriptedModel(["Hello."]);
  const legion = await openInMemory([], { model });
  await (await legion.spawn("assistant")).prompt("Hello.");
  const { system, tools } = model.requests[0]!;
  const named = Array.from(system.matchAll(/`(\w+)`/g), ([, name]) => name);
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
  expect(system).toMatchSnapshot();
});
