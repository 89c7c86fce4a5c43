// The real program, with a collector that listens: what it gets is what `legion trace` says.

import { randomUUID } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { legion } from "../../cli/legion.ts";
import { buildProgram, run, type Run } from "../../cli/program.ts";
import { redisIsThere, startRedis } from "../../storage/redis/servers.ts";
import { createTempProject } from "../../temp-project.ts";
import { spansIn, startCollector, type Collector, type TakenSpan } from "./collector.ts";

beforeAll(buildProgram, 120_000);

const MARKS = ".ai-legion/cache/traces.json";
const START = ["start", "2", "--model", "offline", "--tick", "0", "--until-idle", "--task"];

function start(cwd: string, collector: Collector, env: Readonly<Record<string, string>> = {}): Run {
  return run([...START, "tell 2 hello"], {
    cwd,
    stdin: "",
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env },
  });
}

/** What the record says is over. */
async function recorded(cwd: string, place: readonly string[] = []): Promise<readonly TakenSpan[]> {
  const { out } = await legion(["trace", ...place], { cwd });
  return spansIn(out).filter((span) => !JSON.stringify(span).includes("ai_legion.open"));
}

const byId = (spans: readonly TakenSpan[]): readonly TakenSpan[] =>
  [...new Map(spans.map((span) => [span.spanId, span])).values()].sort((a, b) =>
    a.spanId < b.spanId ? -1 : 1,
  );

it("a collector gets what the record says, each span once, over one start after the other", async () => {
  const cwd = await createTempProject();
  const collector = await startCollector();
  for (const _ of [1, 2]) expect(await start(cwd, collector).ended).toMatchObject({ code: 0, err: "" });
  expect(collector.spans.length).toBeGreaterThan(5);
  expect(byId(collector.spans)).toEqual(byId(await recorded(cwd)));
  expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(collector.spans.length);
  expect(collector.requests[0]).toMatchObject({ method: "POST", url: "/v1/traces" });
  expect(collector.requests[0]?.headers).toMatchObject({ "content-type": "application/json" });
});

it("as the variables say: where, with which headers, as whom, how; what is not understood is named", async () => {
  const cwd = await createTempProject();
  const collector = await startCollector();
  const { code, err } = await start(cwd, collector, {
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/here?a=b`,
    OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b,nonsense",
    OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    OTEL_SERVICE_NAME: "garden",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
    OTEL_BSP_SCHEDULE_DELAY: "1",
  }).ended;
  expect(code).toBe(0);
  expect(err).toContain("OTEL_EXPORTER_OTLP_HEADERS: part 2 is no key=value");
  expect(err).toContain("OTEL_BSP_SCHEDULE_DELAY has no effect here");
  expect(collector.requests[0]).toMatchObject({ url: "/here?a=b", headers: { "x-key": "a b" } });
  const body = collector.bodies.join("\n");
  for (const text of ["garden", "deployment.environment.name", "gen_ai.input.messages", "tell 2 hello"])
    expect(body).toContain(text);
});

it.each([
  [{ OTEL_SDK_DISABLED: "true" }, ""],
  [{ OTEL_TRACES_EXPORTER: "none" }, ""],
  [
    { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    "OTEL_EXPORTER_OTLP_PROTOCOL: only http/json is spoken here; no traces are sent",
  ],
  [{ OTEL_TRACES_EXPORTER: "console" }, "OTEL_TRACES_EXPORTER: expected otlp or none; no traces are sent"],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: "collector" },
    "OTEL_EXPORTER_OTLP_ENDPOINT: expected an http or https URL; no traces are sent",
  ],
])("sends nothing with %j", async (env, said) => {
  const cwd = await createTempProject();
  const collector = await startCollector();
  const { code, err } = await start(cwd, collector, env).ended;
  expect([code, collector.requests.length, existsSync(join(cwd, MARKS))]).toEqual([0, 0, false]);
  expect(err).toContain(said);
  if (said === "") expect(err).toBe("");
});

it("one that is away stops nobody, and gets all of it from the record when it is back", async () => {
  const cwd = await createTempProject();
  const away = await startCollector();
  await away.close();
  const { code, err } = await start(cwd, away).ended;
  expect([code, err.includes("are lost")]).toEqual([0, false]);
  const back = await startCollector(away.port);
  back.answer = 503;
  const node = run(["start", "--model", "offline", "--tick", "0"], {
    cwd,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: back.url },
  });
  await back.until(() => back.requests.length === 1);
  back.answer = 200;
  await back.until(() => back.spans.length > 0);
  node.child.kill("SIGTERM");
  expect((await node.ended).code).toBe(0);
  expect(byId(back.spans)).toEqual(byId(await recorded(cwd)));
});

it("kill -9 in the middle of an export loses none, and what comes twice has the same id", async () => {
  const cwd = await createTempProject();
  const collector = await startCollector();
  collector.answer = "hang";
  const killed = run([...START.filter((word) => word !== "--until-idle"), "tell 2 hello"], {
    cwd,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  await collector.until(() => collector.bodies.length > 0);
  killed.child.kill("SIGKILL");
  await killed.ended;
  // It had taken them, and nobody heard of that.
  const taken = spansIn(collector.bodies[0]!);
  collector.answer = 200;
  expect((await start(cwd, collector).ended).code).toBe(0);
  const all = await recorded(cwd);
  expect(byId(collector.spans)).toEqual(byId(all));
  expect(byId([...taken, ...collector.spans])).toEqual(byId(all));
  // Nobody knows how far it was.
  await rm(join(cwd, MARKS));
  expect((await start(cwd, collector).ended).code).toBe(0);
  expect(byId(collector.spans)).toEqual(byId(await recorded(cwd)));
});

it("one that will never take a request is told of once, and gets the next one", async () => {
  const cwd = await createTempProject();
  const collector = await startCollector();
  collector.answer = 400;
  const { code, err } = await start(cwd, collector).ended;
  expect(code).toBe(0);
  expect(err.match(/are lost: it answers with status 400/g)).toHaveLength(1);
  collector.answer = 200;
  expect((await start(cwd, collector).ended).code).toBe(0);
  const all = new Set((await recorded(cwd)).map(({ spanId }) => spanId));
  expect(collector.spans.length).toBeLessThan(all.size);
  expect(collector.spans.every(({ spanId }) => all.has(spanId))).toBe(true);
});

it.each([
  [
    { rejectedSpans: "3", errorMessage: "Too old.\n\u001b[2J" },
    /3 spans of a request refused and lost: `Too old.\\u\{a\}\\u\{1b\}\[2J`/,
  ],
  [{ rejectedSpans: 1 }, /1 span of a request refused and lost\n/],
  [{ errorMessage: "Send less." }, /127.0.0.1:\d+ says: `Send less.`/],
])("what it says of those that it took is told once: %j", async (partialSuccess, told) => {
  const cwd = await createTempProject();
  const collector = await startCollector();
  collector.words = JSON.stringify({ partialSuccess });
  const { code, err } = await start(cwd, collector).ended;
  expect(code).toBe(0);
  expect(err).toMatch(told);
  expect(err.match(/ says: /g)).toHaveLength(1);
  expect(err).not.toContain("\u001b");
  expect(byId(collector.spans)).toEqual(byId(await recorded(cwd)));
});

it("one whose answer is no JSON, or has no end, has taken them all the same", async () => {
  for (const words of ["<html>", "null", '{"partialSuccess":7}', "y".repeat(200_000)]) {
    const cwd = await createTempProject();
    const collector = await startCollector();
    collector.words = words;
    expect(await start(cwd, collector).ended).toMatchObject({ code: 0, err: "" });
    expect(byId(collector.spans)).toEqual(byId(await recorded(cwd)));
  }
});

it.skipIf(!redisIsThere)(
  "gets from each of two nodes what its agents did, in traces that go over both",
  async () => {
    const server = await startRedis({ config: ["appendonly yes", "appendfsync always"] });
    try {
      const [here, there] = [await createTempProject(), await createTempProject()];
      const place = ["--bus", `redis://127.0.0.1:${server.port}`, "--name", `legion-${randomUUID()}`];
      const collectors = [await startCollector(), await startCollector()] as const;
      const node = (cwd: string, agent: string, { url }: Collector): Run =>
        run(["start", "--agents", agent, "--model", "offline", "--tick", "0", ...place], {
          cwd,
          env: { OTEL_EXPORTER_OTLP_ENDPOINT: url },
        });
      const nodes = [node(here, "1", collectors[0]), node(there, "2", collectors[1])];
      for (const one of nodes) await one.until("files ");
      expect((await legion(["send", "1", "tell 2 tell 1 hello", ...place], { cwd: here })).exitCode).toBe(0);
      await collectors[1].until(() =>
        collectors[1].spans.some(({ name }) => name.startsWith("invoke_agent")),
      );
      for (const { child } of nodes) child.kill("SIGTERM");
      for (const { ended } of nodes) expect((await ended).code).toBe(0);
      const all = await recorded(here, place);
      const [ones, twos] = collectors.map(({ spans }) => spans);
      expect(byId([...ones!, ...twos!])).toEqual(byId(all));
      expect(byId(twos!).every((span) => !ones!.some(({ spanId }) => spanId === span.spanId))).toBe(true);
      const theirs = twos!.find(({ name }) => name.startsWith("invoke_agent"))!;
      const parent = ones!.find(({ spanId }) => spanId === theirs.parentSpanId);
      expect(parent).toMatchObject({ traceId: theirs.traceId });
    } finally {
      await server.stop();
    }
  },
);

it.skipIf(!redisIsThere)("in Redis it gets the same", async () => {
  const server = await startRedis({ config: ["appendonly yes", "appendfsync always"] });
  try {
    const [cwd, collector] = [await createTempProject(), await startCollector()];
    const place = ["--bus", `redis://127.0.0.1:${server.port}`, "--name", `legion-${randomUUID()}`];
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    for (const _ of [1, 2])
      expect((await run([...START, "tell 2 hello", ...place], { cwd, stdin: "", env }).ended).code).toBe(0);
    expect(collector.spans.length).toBeGreaterThan(5);
    expect(byId(collector.spans)).toEqual(byId(await recorded(cwd, place)));
    expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(collector.spans.length);
  } finally {
    await server.stop();
  }
});
