import { expect, it, onTestFinished } from "vitest";
import { fieldsOf } from "../../src/base/text/json.ts";
import { openTestLegion } from "../../src/testing.ts";

it("the assistant is shown a prompt that names only what it can do", async () => {
  const legion = await openTestLegion(["Hello."]);
  onTestFinished(() => legion.stop());
  await (await legion.spawn("assistant")).prompt("Hello.");
  const { system, tools } = legion.model.requests[0]!;
  const named = Array.from(system.matchAll(/`(\w+)`/g), ([, name]) => name);
  const known = tools.flatMap(({ name, parameters }) => [
    name,
    ...Object.keys(fieldsOf(parameters["properties"])),
  ]);
  expect(known).toEqual(expect.arrayContaining(["sendMessage", "answers"]));
  expect(known).toEqual(expect.arrayContaining(named));
  expect(system).toMatchSnapshot();
});
