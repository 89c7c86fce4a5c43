// What a node loads whom nobody watches: nothing of the page, of metrics and of traces.

import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { createTempProject } from "../../../temp-project.ts";
import { startCollector } from "../../../legion/tracing/collector.ts";
import { buildProgram, run } from "../../program.ts";

beforeAll(buildProgram, 120_000);

const START = ["start", "1", "--model", "offline", "--tick", "0", "--until-idle", "--task", "goal rest"];

/** The files of src that a start loads, and the packages. */
async function loadedBy(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const [cwd, folder] = [await createTempProject(), await createTempProject()];
  const { code } = await run([...START, ...argv], {
    cwd,
    stdin: "",
    env: { NODE_V8_COVERAGE: folder, ...env },
  }).ended;
  expect(code).toBe(0);
  const loaded = new Set<string>();
  for (const file of await readdir(folder)) {
    const { result } = JSON.parse(await readFile(join(folder, file), "utf8")) as {
      result: { url: string }[];
    };
    for (const { url } of result) {
      const [, path] = /\/(?:dist\/src|node_modules)\/(.*)$/.exec(url) ?? [];
      if (path !== undefined) loaded.add(path);
    }
  }
  expect(loaded).toContain("agent/actor.js");
  return [...loaded];
}

const WEB = /^control\/(?:web|reading\/(?!watched))/;
const METRICS = /^control\/metrics\//;
/** Which mail was shown when, digests know as well. */
const TRACES = /^(?:legion\/tracing|past\/spans)\/(?!shown\.js)|^legion\/traces\.js$|^@opentelemetry\//;

it("of page, metrics and traces nothing is loaded where none of them is on, and only that which is", async () => {
  const plain = await loadedBy([]);
  for (const part of [WEB, METRICS, TRACES]) expect(plain.filter((path) => part.test(path))).toEqual([]);
  const shown = await loadedBy(["--dashboard", "0"]);
  expect(shown).toContain("control/web/server.js");
  for (const part of [METRICS, TRACES]) expect(shown.filter((path) => part.test(path))).toEqual([]);
  const traced = await loadedBy([], { OTEL_EXPORTER_OTLP_ENDPOINT: (await startCollector()).url });
  expect(traced).toContain("legion/tracing/exporter.js");
  for (const part of [WEB, METRICS, /^@opentelemetry\//])
    expect(traced.filter((path) => part.test(path))).toEqual([]);
});
