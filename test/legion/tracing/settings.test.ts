import { expect, it } from "vitest";
import { readTracing } from "../../../src/legion/tracing/settings.ts";

const ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";

it("is off where nobody says where traces go, whatever else is said", () => {
  for (const env of [
    {},
    { OTEL_SERVICE_NAME: "x", OTEL_NONSENSE: "1" },
    { [ENDPOINT]: " " },
    { [ENDPOINT]: "http://a", OTEL_SDK_DISABLED: "TRUE" },
  ])
    expect(readTracing(env)).toEqual({ remarks: [] });
});

it("goes to the path for traces below an endpoint, or to exactly the one for traces", () => {
  const urlOf = (env: Record<string, string>) => readTracing(env).settings?.url;
  expect(urlOf({ OTEL_TRACES_EXPORTER: "otlp" })).toBe("http://localhost:4318/v1/traces");
  expect(urlOf({ [ENDPOINT]: "https://a.example/otlp/" })).toBe("https://a.example/otlp/v1/traces");
  expect(urlOf({ [ENDPOINT]: "https://a.example", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://b/" })).toBe(
    "http://b/",
  );
});

it("names what it does not understand, without a text that may be a secret, and goes on where that can be", () => {
  const odd = {
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20s3cret,s3cret,b%E4d=%,bad key=s3cret",
    OTEL_EXPORTER_OTLP_TIMEOUT: "soon",
    OTEL_EXPORTER_OTLP_COMPRESSION: "brotli",
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "span_only",
    OTEL_METRICS_EXPORTER: "otlp",
  };
  const { settings, remarks } = readTracing({ [ENDPOINT]: "http://a", ...odd });
  expect(settings).toMatchObject({ timeoutMs: 10_000, compression: "none", content: "left out" });
  expect(settings?.headers()).toEqual({ authorization: "Bearer s3cret" });
  expect(remarks.join("\n")).not.toContain("s3cret");
  expect(JSON.stringify(settings)).not.toContain("s3cret");
  for (const name of Object.keys(odd)) expect(remarks.some((remark) => remark.startsWith(name))).toBe(true);
  const traces = readTracing({ [ENDPOINT]: "http://a", ...odd, OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "5" });
  expect(traces.settings?.timeoutMs).toBe(5);
});

it("sends nothing where it cannot be said how or where to", () => {
  for (const [name, text] of [
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"],
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "ftp://a"],
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://me:s3cret@a"],
    ["OTEL_TRACES_EXPORTER", "zipkin"],
  ] as const) {
    const { settings, remarks } = readTracing({ [ENDPOINT]: "http://a", [name]: text });
    expect([settings, remarks.length]).toEqual([undefined, 1]);
    expect(remarks[0]).toMatch(new RegExp(`^${name}: .*; no traces are sent$`));
    expect(remarks[0]).not.toContain("s3cret");
  }
});
