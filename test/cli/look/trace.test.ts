import { randomUUID } from "node:crypto";
import { appendFile, cp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { copyToRedis } from "../../storage/redis/copied-world.ts";
import { redisIsThere, startRedis } from "../../storage/redis/servers.ts";
import { createWorld, temporaryFolder, type World } from "../../world.ts";
import { legion, type Seen } from "../legion.ts";

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

function spansIn(json: string): readonly OtlpSpan[] {
  const { resourceSpans } = JSON.parse(json) as {
    readonly resourceSpans: readonly [
      { readonly scopeSpans: readonly [{ readonly spans: readonly OtlpSpan[] }] },
    ];
  };
  return resourceSpans[0].scopeSpans[0].spans;
}

function valueOf({ attributes }: OtlpSpan, key: string): unknown {
  return Object.values(attributes.find((one) => one.key === key)?.value ?? {})[0];
}

const send = (to: string) => ({ action: "sendMessage", parameters: { targetAgentId: to, message: "Look." } });
const noop = { calls: [{ action: "noop" }] };
const CHAIN = {
  1: { script: [{ calls: [send("2")] }, noop, noop, noop] },
  2: { script: [{ calls: [send("3"), send("0")] }, noop, noop] },
  3: { script: [{ calls: [send("1")] }, noop] },
};

/** A task that goes from 1 to 2 to 3 and back to 1, and one that 2 has for itself. */
async function passedOn(): Promise<World> {
  const world = await createWorld(CHAIN);
  await world.say("1", "Find the key.");
  await world.idle();
  await world.say("2", "And the \u202edoor.");
  await world.idle();
  return world;
}

const trace = async (cwd: string, ...options: readonly string[]): Promise<Seen> =>
  legion(["trace", ...options], { cwd });
const spans = async (cwd: string, ...options: readonly string[]): Promise<readonly OtlpSpan[]> => {
  const { exitCode, out, err } = await trace(cwd, ...options);
  expect([exitCode, err]).toEqual([0, ""]);
  return spansIn(out);
};

it("a trace is a message and all that it reached, each below what sent it", async () => {
  const world = await passedOn();
  const all = await spans(world.project, "--root", "0>1#1");
  expect(new Set(all.map(({ traceId }) => traceId)).size).toBe(1);
  const byId = new Map(all.map((span) => [span.spanId, span]));
  const upwards = (span: OtlpSpan | undefined): readonly string[] => {
    if (!span) return [];
    return [span.name, ...upwards(byId.get(span.parentSpanId ?? ""))];
  };
  const back = all.find((span) => valueOf(span, "ai_legion.message") === "3>1#1");
  expect(upwards(back)).toEqual([
    ...["invoke_agent Agent 1", "execute_tool sendMessage", "invoke_agent Agent 3"],
    ...[
      "execute_tool sendMessage",
      "invoke_agent Agent 2",
      "execute_tool sendMessage",
      "invoke_agent Agent 1",
    ],
  ]);
  expect(all.filter(({ parentSpanId }) => parentSpanId === undefined)).toHaveLength(1);
  expect(all.every(({ parentSpanId = "" }) => parentSpanId === "" || byId.has(parentSpanId))).toBe(true);
});

it("says what the logs say: ids, times, tokens; the same whenever it is asked", async () => {
  const world = await passedOn();
  const all = await spans(world.project);
  expect(await spans(world.project)).toEqual(all);
  expect(new Set(all.map(({ spanId }) => spanId)).size).toBe(all.length);
  for (const agent of ["1", "2", "3"]) {
    const mine = all.filter((span) => valueOf(span, "gen_ai.agent.id") === agent);
    const chats = mine.filter(({ name }) => name.startsWith("chat"));
    const nano = ({ at }: { readonly at: string }): string => `${Date.parse(at)}000000`;
    const [asked, decided] = [await world.kinds(agent, "prompted"), await world.kinds(agent, "decision")];
    expect(chats.map((span) => span.startTimeUnixNano)).toEqual(asked.map(nano));
    expect(chats.map((span) => span.endTimeUnixNano)).toEqual(decided.map(nano));
    expect(chats.map((span) => valueOf(span, "gen_ai.usage.input_tokens"))).toEqual(
      decided.map(({ usage }) => usage.input),
    );
    const results = await world.kinds(agent, "result");
    expect(mine.filter(({ name }) => name.startsWith("execute_tool"))).toHaveLength(results.length);
  }
});

it("is of those who are meant, since when that is", async () => {
  const { project } = await passedOn();
  const all = await spans(project);
  const agents = async (...options: readonly string[]): Promise<readonly unknown[]> => {
    return [...new Set((await spans(project, ...options)).map((span) => valueOf(span, "gen_ai.agent.id")))];
  };
  expect(await agents("--agent", "2")).toEqual(["2"]);
  expect(await agents("--agent", "2,3")).toEqual(["2", "3"]);
  expect(await agents("--root", "0>2#1")).toEqual(["2"]);
  expect(await spans(project, "--since", "8h")).toEqual(all);
  expect(await spans(project, "--since", "2999-01-01")).toEqual([]);
});

it("holds what was said only where that is asked for, and nothing that a terminal could act on", async () => {
  const { project } = await passedOn();
  expect((await trace(project)).out).not.toMatch(/Find|door|Look/);
  const env = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" };
  const { out } = await legion(["trace"], { cwd: project, env });
  expect(out).toContain("Find the key.");
  expect(out).toContain("\\\\u202edoor".slice(1));
  expect(out).not.toContain("\u202e");
  const unclear = await legion(["trace"], { cwd: project, env: { ...env, [Object.keys(env)[0]!]: "span" } });
  expect([unclear.exitCode, unclear.err]).toEqual([
    2,
    expect.stringMatching(/^legion: OTEL_\w+: expected true or false.*\n$/),
  ]);
});

it("is written to a file that was not there, or for Chrome with a track for each agent", async () => {
  const { project } = await passedOn();
  const cwd = await temporaryFolder();
  const order = ["--dir", project, "--format", "chrome", "--output", "all.json"];
  expect((await trace(cwd, ...order)).out).toBe("wrote all.json\n");
  const { traceEvents } = JSON.parse(await readFile(join(cwd, "all.json"), "utf8")) as {
    readonly traceEvents: readonly object[];
  };
  expect(traceEvents.filter((event) => "args" in event && "ph" in event && event.ph === "M")).toHaveLength(3);
  expect(await trace(cwd, ...order)).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining("all.json is there already"),
  });
  expect(await readdir(cwd)).toEqual(["all.json"]);
});

it.each(["otlp", "chrome", "html"])(
  "no file is replaced, which is said before a log is read: %s",
  async (format) => {
    const { project } = await passedOn();
    await writeFile(join(project, "all"), "mine");
    const order = ["--format", format, "--output", "all", "--root", "0>9#9"];
    expect(await trace(project, ...order)).toMatchObject({
      exitCode: 2,
      err: "legion: all is there already; name another file, or move it away\n",
    });
    expect(await readFile(join(project, "all"), "utf8")).toBe("mine");
  },
);

describe("bad input is one line", () => {
  it.each([
    [["--format", "svg"], /there is no format "svg"; known: otlp, chrome, html/],
    [["--root", "2"], /"2" is no message; its id is such as 0>2#1/],
    [["--root", "0>9#9"], /no agent was sent it/],
    [["--root", "1>2#1"], /it belongs to what 0>1#1 set off: --root '0>1#1'/],
    [["--agent", "9"], /9/],
    [["--since", "yesterday"], /`yesterday` is no time/],
    [["--output", ""], /name a file/],
    [["--output", "no/such.json"], /there is no folder/],
  ])("%j", async (options, said) => {
    const { project } = await passedOn();
    const { exitCode, out, err } = await trace(project, ...options);
    expect([exitCode, out, err.split("\n").length]).toEqual([2, "", 2]);
    expect(err).toMatch(said);
  });
});

it("of a legion that did nothing is a file with no span", async () => {
  expect(await spans(await temporaryFolder())).toEqual([]);
});

it("tells of the others where one log cannot be read, and of what stands behind a damaged line", async () => {
  const world = await passedOn();
  await world.stop();
  const { project } = world;
  const agents = join(project, ".ai-legion/agents");
  const before = await spans(project);
  const [segment] = await readdir(join(agents, "2/log"));
  await appendFile(join(agents, "2/log", segment!), '{"seq":');
  expect(await spans(project)).toEqual(before);
  await cp(join(agents, "3"), join(agents, "4"), { recursive: true });
  await rm(join(agents, "4/log"), { recursive: true });
  await writeFile(join(agents, "4/log"), "");
  const { exitCode, out, err } = await trace(project);
  expect([exitCode, spansIn(out)]).toEqual([0, before]);
  expect(err).toMatch(/^legion: what Agent 4 did is left out: .*\n$/);
});

it.skipIf(!redisIsThere)("is the same from Redis", async () => {
  const world = await passedOn();
  await world.stop();
  const server = await startRedis();
  try {
    const [url, name] = [`redis://127.0.0.1:${server.port}`, `legion-${randomUUID()}`];
    await copyToRedis(createFileReader(world.project), url, name);
    const there = await spans(await temporaryFolder(), "--bus", url, "--name", name);
    const names = (all: readonly OtlpSpan[]): readonly string[] => all.map((span) => span.name);
    expect(names(there)).toEqual(names(await spans(world.project)));
    const known = new Set(there.map(({ spanId }) => spanId));
    expect(known.size).toBe(there.length);
  } finally {
    await server.stop();
  }
});
