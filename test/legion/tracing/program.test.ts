import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openLegionIn } from "../../../src/library/open.ts";
import { createTempProject } from "../../temp-project.ts";
import { startCollector } from "./collector.ts";

it("a program's legion sends its traces, and keeps nothing of that where it keeps nothing", async () => {
  const project = await createTempProject();
  const collector = await startCollector();
  const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const legion = await openLegionIn({ env }, { project, store: "memory", model: "offline" });
  const agent = await legion.spawn("assistant");
  await agent.prompt("hello");
  await legion.stop();
  expect(collector.spans.map(({ name }) => name)).toEqual(expect.arrayContaining(["chat offline"]));
  expect(collector.spans.at(-1)?.name).toMatch(/^invoke_agent /);
  expect(existsSync(join(project, ".ai-legion/cache"))).toBe(false);
});
