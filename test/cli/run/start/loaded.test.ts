// What a node loads whom nobody watches: nothing of the page, of metrics and of traces.

import { beforeAll, expect, it } from "vitest";
import { loadedIn } from "../../../loaded.ts";
import { createTempProject } from "../../../temp-project.ts";
import { startCollector } from "../../../legion/tracing/collector.ts";
import { buildProgram, run } from "../../program.ts";

beforeAll(buildProgram, 120_000);

const START = ["start", "1", "--model", "offline", "--tick", "0", "--until-idle", "--task", "goal rest"];

/** The modules that a start loads, and the packages. */
async function loadedBy(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const [cwd, folder] = [await createTempProject(), await createTempProject()];
  const { code } = await run([...START, ...argv], {
    cwd,
    stdin: "",
    env: { NODE_V8_COVERAGE: folder, ...env },
  }).ended;
  expect(code).toBe(0);
  const { modules, packages } = await loadedIn(folder);
  expect(modules).toContain("src/agent/actor.ts");
  return [...modules, ...packages];
}

const WEB = /^src\/control\/(?:web|reading\/(?!watched))/;
const METRICS = /^src\/control\/metrics\//;
/** Which mail was shown when, digests know as well. */
const TRACES =
  /^src\/(?:legion\/tracing|past\/spans)\/(?!shown\.ts)|^src\/legion\/traces\.ts$|^@opentelemetry\//;

it("of page, metrics and traces nothing is loaded where none of them is on, and only that which is", async () => {
  const plain = await loadedBy([]);
  for (const part of [WEB, METRICS, TRACES]) expect(plain.filter((path) => part.test(path))).toEqual([]);
  const shown = await loadedBy(["--dashboard", "0"]);
  expect(shown).toContain("src/control/web/server.ts");
  for (const part of [METRICS, TRACES]) expect(shown.filter((path) => part.test(path))).toEqual([]);
  const traced = await loadedBy([], { OTEL_EXPORTER_OTLP_ENDPOINT: (await startCollector()).url });
  expect(traced).toContain("src/legion/tracing/exporter.ts");
  for (const part of [WEB, METRICS, /^@opentelemetry\//])
    expect(traced.filter((path) => part.test(path))).toEqual([]);
});
