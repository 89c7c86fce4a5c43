import { expect, it, onTestFinished } from "vitest";
import { openTestLegion } from "../../src/testing.ts";

it("the assistant is shown a prompt that names only what it can do", async () => {
  const legion = await openTestLegion(["Hello."]);
  onTestFinished(() => legion.stop());
  await (await legion.spawn("assistant")).prompt("Hello.");
  const { system, tools } = legion.model.requests[0]!;
  const named = Array.from(system.matchAll(/`(\w+)`/g), ([, name]) => name);
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
  expect(system).toMatchSnapshot();
});
