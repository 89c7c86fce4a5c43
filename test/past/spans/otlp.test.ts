// Against OpenTelemetry's own: its encoder has to write the same of the same spans, and its conventions have to know our names.

import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import { expect, it } from "vitest";
import { otlpPieces, otlpRequest, type TraceResource } from "../../../src/past/spans/otlp.ts";
import type { Span, SpanAttributes } from "../../../src/past/spans/span.ts";
import { decision, letter, mail, opened, prompted, result, tell } from "./story.ts";

const RESOURCE: TraceResource = { attributes: { "service.name": "ai-legion" }, version: "1.2.3" };

const ask = {
  sends: [letter("1>2#1", { root: "0>1#1" })],
  usage: { input: 3, output: 4, cacheRead: 1, cacheWrite: 1, cost: 0.25 },
};
const { 1: first, 2: second } = tell(
  {
    1: [
      ...[opened(), mail("0>1#1"), prompted(), { kind: "refused", prompted: 3 } as const, prompted()],
      ...[decision(["a", "b"]), prompted(9, "a"), result("a", "ok", ask), result("b", "error"), prompted()],
    ],
    2: [
      opened("log of 2"),
      mail("0>2#1"),
      mail("1>2#1", { root: "0>1#1" }),
      mail("0>2#2", { root: "0>2#1" }),
      prompted(),
      decision([]),
    ],
  },
  "told",
);
const SPANS = [first, second].flatMap(({ spans, open }) => [...spans, ...open]);

type ReadableSpan = NonNullable<Parameters<typeof JsonTraceSerializer.serializeRequest>[0]>[number];

/** As the SDK has them, for its own encoder. */
function readable(spans: readonly Span[]): readonly ReadableSpan[] {
  const resource = { attributes: RESOURCE.attributes } as ReadableSpan["resource"];
  const placed = (trace: string, id: string) => ({ traceId: trace, spanId: id, traceFlags: 1 });
  return spans.map((span): ReadableSpan => {
    const { trace, id, parent, startMs, endMs, error } = span;
    const time = (ms: number): [number, number] => [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000];
    return {
      name: span.name,
      kind: span.operation === "chat" ? 2 : 0,
      spanContext: () => placed(trace, id),
      parentSpanContext: parent === undefined ? undefined : placed(trace, parent),
      startTime: time(startMs),
      endTime: time(endMs),
      duration: time(endMs - startMs),
      ended: true,
      status: error === undefined ? { code: 0 } : { code: 2, message: error },
      attributes: given(span.attributes) as ReadableSpan["attributes"],
      links: span.links.map((link) => ({ context: placed(link.trace, link.id) })),
      events: [],
      resource,
      instrumentationScope: { name: "ai-legion", version: "1.2.3" },
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    };
  });
}

function given(attributes: SpanAttributes): SpanAttributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

async function* each(spans: readonly Span[]): AsyncGenerator<Span> {
  yield* spans;
}

async function whole(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}

it("writes what OpenTelemetry's own encoder writes of the same spans", () => {
  expect(SPANS.some(({ links }) => links.length > 0)).toBe(true);
  expect(SPANS.some(({ parent }) => parent === undefined)).toBe(true);
  const theirs = new TextDecoder().decode(JsonTraceSerializer.serializeRequest([...readable(SPANS)]));
  expect(JSON.parse(otlpRequest(SPANS, RESOURCE))).toEqual(JSON.parse(theirs));
});

it("writes a file piece by piece that says the same, also of no span at all", async () => {
  for (const spans of [SPANS, SPANS.slice(0, 1), []])
    expect(JSON.parse(await whole(otlpPieces(each(spans), RESOURCE)))).toEqual(
      JSON.parse(otlpRequest(spans, RESOURCE)),
    );
});

it("names every attribute as the conventions do, or by a name of our own", () => {
  const known = new Set<unknown>(Object.values(conventions));
  const names = new Set(SPANS.flatMap(({ attributes }) => Object.keys(attributes)));
  expect(names.size).toBeGreaterThan(20);
  const others = [...names].filter((name) => !known.has(name) && !name.startsWith("ai_legion."));
  expect(others).toEqual([]);
  const { GEN_AI_OPERATION_NAME_VALUE_CHAT: chat, GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL: tool } =
    conventions;
  const operations = [chat, tool, conventions.GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT].sort();
  expect([...new Set(SPANS.map(({ operation }) => operation))].sort()).toEqual(operations);
});

it("holds no half characters, which collectors refuse", () => {
  const half = `${"x".repeat(199)}\u{1f600}`;
  const [span] = tell({ 1: [opened(), mail("0>1#1"), decision([half]), result(half)] })[1].spans;
  expect(otlpRequest([span!], RESOURCE)).not.toMatch(/\\ud8/);
});
