import { expect, it } from "vitest";
import { messageOf } from "../../src/base/errors.ts";
import { findDefinition } from "../../src/config/definition.ts";
import { createTempProject } from "../temp-project.ts";

async function define(front: string) {
  const projectDir = await createTempProject({ "agents/it.md": `---\n${front}\n---\n` });
  return findDefinition("it", { projectDir, packageDir: await createTempProject() });
}

it.each([
  ["tick: 1s", undefined],
  ["receipts: off", undefined],
  ["receipts: on", "on"],
  ["receipts: required", "required"],
])("a definition says whether its agent is told of receipts, or has to have them: %s", async (front, use) => {
  expect((await define(front)).receipts).toBe(use);
});

it.each([
  ["receipts: maybe", "expected off, on, required"],
  ["receipts: true", "expected off, on, required"],
  ["protocol: bash\nreceipts: on", "not for `protocol: bash`"],
])("a definition is refused with what would be right: %j", async (front, advice) => {
  expect(messageOf(await define(front).catch((error: unknown) => error))).toContain(advice);
});
