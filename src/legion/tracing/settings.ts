// Where traces go, as the standard variables of OpenTelemetry say it. They are the environment's alone, which is the person's: no
// file of a project sends anything anywhere. What is not understood is named, and stops nothing: other programs read them, too.
// https://opentelemetry.io/docs/specs/otel/protocol/exporter/

import type { Variables } from "../../base/process/variables.ts";

export interface TracingSettings {
  /** The URL that spans are posted to. */
  readonly url: string;
  /** Sent with each request; a function, so that no listing of settings shows them. */
  readonly headers: () => Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly compression: "gzip" | "none";
  /** `service.name` and what else the person says of this service. */
  readonly resource: Readonly<Record<string, string>>;
  /** Is what was said told, too? */
  readonly content: "told" | "left out";
}

export interface TracingChoice {
  /** Absent: no traces are sent. */
  readonly settings?: TracingSettings;
  /** What is not understood, one line each; empty where nothing was to be sent in the first place. */
  readonly remarks: readonly string[];
}

const OTLP = "OTEL_EXPORTER_OTLP";
const CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 600_000;

const UNDERSTOOD = [
  ...["OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES", CONTENT],
  ...["ENDPOINT", "HEADERS", "PROTOCOL", "TIMEOUT", "COMPRESSION"].flatMap((name) => [
    `${OTLP}_${name}`,
    `${OTLP}_TRACES_${name}`,
  ]),
];

export function readTracing(env: Variables): TracingChoice {
  const remarks: string[] = [];
  const said = (name: string): string => env[name]?.trim() ?? "";
  /** Of two variables the one about traces. */
  const ofTraces = (name: string): readonly [name: string, text: string] => {
    const own = `${OTLP}_TRACES_${name}`;
    return said(own) === "" ? [`${OTLP}_${name}`, said(`${OTLP}_${name}`)] : [own, said(own)];
  };
  const isTrue = (name: string): boolean => {
    const text = said(name).toLowerCase();
    if (!["", "true", "false"].includes(text)) remarks.push(`${name}: expected true or false`);
    return text === "true";
  };
  const exporter = said("OTEL_TRACES_EXPORTER");
  const isWanted = exporter === "otlp" || (exporter === "" && ofTraces("ENDPOINT")[1] !== "");
  if (exporter === "none" || isTrue("OTEL_SDK_DISABLED") || (exporter === "" && !isWanted))
    return { remarks: [] };
  const why = (text: string): TracingChoice => ({ remarks: [`${text}; no traces are sent`] });
  if (!isWanted) return why("OTEL_TRACES_EXPORTER: expected otlp or none");
  const [protocolName, protocol] = ofTraces("PROTOCOL");
  if (!["", "http/json"].includes(protocol)) return why(`${protocolName}: only http/json is spoken here`);
  const url = endpointOf(said(`${OTLP}_TRACES_ENDPOINT`), said(`${OTLP}_ENDPOINT`));
  if (url === undefined) return why(`${ofTraces("ENDPOINT")[0]}: expected an http or https URL`);
  const headers = headersIn(...ofTraces("HEADERS"), remarks);
  const resource = {
    "service.name": "ai-legion",
    ...pairsIn("OTEL_RESOURCE_ATTRIBUTES", said("OTEL_RESOURCE_ATTRIBUTES"), remarks),
    ...(said("OTEL_SERVICE_NAME") !== "" && { "service.name": said("OTEL_SERVICE_NAME") }),
  };
  const timeoutMs = timeoutIn(...ofTraces("TIMEOUT"), remarks);
  const compression = compressionIn(...ofTraces("COMPRESSION"), remarks);
  const content = isTrue(CONTENT) ? "told" : "left out";
  for (const name of Object.keys(env).toSorted())
    if (name.startsWith("OTEL_") && !UNDERSTOOD.includes(name)) remarks.push(`${name} has no effect here`);
  return { settings: { url, headers: () => headers, timeoutMs, compression, resource, content }, remarks };
}

/** The URL of traces is taken as it is; the other is where paths of all signals begin. */
function endpointOf(own: string, base: string): string | undefined {
  const text = own || `${(base || "http://localhost:4318").replace(/\/+$/, "")}/v1/traces`;
  if (!URL.canParse(text)) return undefined;
  const { protocol, username, password } = new URL(text);
  const isHttp = protocol === "http:" || protocol === "https:";
  // Who is to be believed is said in headers.
  return isHttp && username === "" && password === "" ? text : undefined;
}

/** `key=value,other=value`, percent-encoded. */
function pairsIn(name: string, text: string, remarks: string[]): Readonly<Record<string, string>> {
  const pairs: Record<string, string> = {};
  const parts = text.split(",").filter((part) => part.trim() !== "");
  for (const [index, part] of parts.entries()) {
    const [, key = "", value = ""] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(part) ?? [];
    try {
      if (key === "") throw new URIError("no key");
      pairs[decodeURIComponent(key)] = decodeURIComponent(value.trim());
    } catch {
      // Its text may be a secret.
      remarks.push(`${name}: part ${index + 1} is no key=value, and left out`);
    }
  }
  return pairs;
}

function headersIn(name: string, text: string, remarks: string[]): Readonly<Record<string, string>> {
  const all = Object.entries(pairsIn(name, text, remarks));
  return Object.fromEntries(
    all.filter(([key, value]) => {
      try {
        new Headers({ [key]: value });
        return true;
      } catch {
        remarks.push(`${name}: one of them is no header, and left out`);
        return false;
      }
    }),
  );
}

function timeoutIn(name: string, text: string, remarks: string[]): number {
  if (text === "") return DEFAULT_TIMEOUT_MS;
  if (/^[1-9]\d{0,8}$/.test(text)) return Math.min(Number(text), MAX_TIMEOUT_MS);
  remarks.push(`${name}: expected milliseconds, such as ${DEFAULT_TIMEOUT_MS}, which holds`);
  return DEFAULT_TIMEOUT_MS;
}

function compressionIn(name: string, text: string, remarks: string[]): TracingSettings["compression"] {
  if (text === "gzip") return "gzip";
  if (!["", "none"].includes(text)) remarks.push(`${name}: expected gzip or none, which holds`);
  return "none";
}
