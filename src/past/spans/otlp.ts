// Spans as OTLP has them in JSON: one encoder, for what is sent to a collector and for files. Ids are hexadecimal, and times texts of
// nanoseconds, which no number of JavaScript can hold. Pure.
// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding

import type { Span, SpanAttributes, SpanPlace, SpanValue } from "./span.ts";

/** Who made the spans. */
export interface TraceResource {
  readonly attributes: SpanAttributes;
  /** Of this program. */
  readonly version: string;
}

const KIND_INTERNAL = 1;
const KIND_CLIENT = 3;
const STATUS_UNSET = 0;
const STATUS_ERROR = 2;
/** Sampled, and it is known whether the parent was elsewhere, which none is: the record is one. */
const FLAGS = 0x101;

type OtlpValue = Readonly<Record<string, unknown>>;

/** The body of one request with these spans. */
export function otlpRequest(spans: readonly Span[], resource: TraceResource): string {
  const [head, foot] = around(resource);
  return `${head}${spans.map(spanJson).join(",")}${foot}`;
}

/** The same piece by piece, for files of any length. */
export async function* otlpPieces(
  spans: AsyncIterable<Span>,
  resource: TraceResource,
): AsyncGenerator<string, undefined> {
  const [head, foot] = around(resource);
  let before = `${head}\n`;
  for await (const span of spans) {
    yield before + spanJson(span);
    before = ",\n";
  }
  yield `${before === ",\n" ? "\n" : before}${foot}\n`;
  return undefined;
}

/** What stands before the spans, and behind them. */
function around({ attributes, version }: TraceResource): readonly [head: string, foot: string] {
  const resource = { attributes: toAttributes(attributes), droppedAttributesCount: 0 };
  const scope = { name: "ai-legion", version };
  const whole = { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: [] }] }] };
  const json = JSON.stringify(whole);
  const end = json.lastIndexOf("]}]}]}");
  return [json.slice(0, end), json.slice(end)];
}

function spanJson(span: Span): string {
  const { operation, error } = span;
  return JSON.stringify({
    traceId: span.trace,
    spanId: span.id,
    parentSpanId: span.parent,
    name: wellFormed(span.name),
    kind: operation === "chat" ? KIND_CLIENT : KIND_INTERNAL,
    startTimeUnixNano: nanoseconds(span.startMs),
    endTimeUnixNano: nanoseconds(span.endMs),
    attributes: toAttributes(span.attributes),
    droppedAttributesCount: 0,
    events: [],
    droppedEventsCount: 0,
    status: error === undefined ? { code: STATUS_UNSET } : { code: STATUS_ERROR, message: error },
    links: span.links.map(toLink),
    droppedLinksCount: 0,
    flags: FLAGS,
  });
}

function toLink({ trace, id }: SpanPlace): OtlpValue {
  return { attributes: [], spanId: id, traceId: trace, droppedAttributesCount: 0, flags: FLAGS };
}

function nanoseconds(ms: number): string {
  return String(BigInt(Math.max(0, Math.round(ms))) * 1_000_000n);
}

function toAttributes(attributes: SpanAttributes): readonly OtlpValue[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toValue(value) }],
  );
}

function toValue(value: SpanValue): OtlpValue {
  if (typeof value === "string") return { stringValue: wellFormed(value) };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value !== "number") return { arrayValue: { values: value.map(toValue) } };
  return Number.isInteger(value) ? { intValue: value } : { doubleValue: value };
}

/** Half a character, as it stands where a text was cut, is refused by collectors. */
function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, "\ufffd");
}
