// What a document is: by its content type, corrected by its first bytes where servers are known to be wrong.
//
//   declared                              read as        unless it begins like
//   text/html, application/xhtml+xml      html           PDF; XML of a feed; JSON; no tag at all: text
//   application/json, …+json, ndjson      json           an HTML page
//   application/xml, text/xml, …+xml      xml            an HTML page
//   application/pdf                       pdf            an HTML page
//   text/*, source code, YAML, …          text           PDF, something binary
//   none, application/octet-stream        what it begins like: html, xml, json, pdf, text
//   anything else                         refused by its name

import { UnreadableError } from "./unreadable.ts";

export type Kind = "html" | "json" | "xml" | "pdf" | "text" | "markdown";

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ["text/html", "html"],
  ["application/xhtml+xml", "html"],
  ["text/markdown", "markdown"],
  ["text/x-markdown", "markdown"],
  ["application/json", "json"],
  ["text/json", "json"],
  ["application/x-ndjson", "json"],
  ["application/ndjson", "json"],
  ["application/jsonl", "json"],
  ["application/json-lines", "json"],
  ["application/xml", "xml"],
  ["text/xml", "xml"],
  ["application/rss", "xml"],
  ["application/pdf", "pdf"],
  ["application/x-pdf", "pdf"],
  ...(
    "javascript x-javascript ecmascript typescript yaml x-yaml toml sql graphql x-sh x-shellscript x-httpd-php x-tex x-latex " +
    "x-perl x-python x-ruby csv x-subrip mbox"
  )
    .split(" ")
    .map((name) => [`application/${name}`, "text"] as const),
]);
const UNKNOWN: ReadonlySet<string> = new Set([
  "",
  "application/octet-stream",
  "binary/octet-stream",
  "application/unknown",
  "unknown/unknown",
  "*/*",
]);
/** Text by name that nobody can read as it is. */
const UNREADABLE: ReadonlySet<string> = new Set(["text/rtf", "text/richtext"]);

const SIGNATURES: readonly (readonly [string, string])[] = [
  ["\x89PNG", "image/png"],
  ["GIF8", "image/gif"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["PK\x03\x04", "application/zip"],
  ["\x1f\x8b", "application/gzip"],
  ["wOF", "font/woff"],
  ["\x1aE\xdf\xa3", "video/webm"],
  ["OggS", "audio/ogg"],
  ["ID3", "audio/mpeg"],
];
const LOOKED_AT = 1024;

/** Throws a sentence that names the type if it is none that can be read. */
export function kindOf(contentType: string | undefined, body: Uint8Array): Kind {
  const type = (contentType ?? "").split(";", 1)[0]!.trim().toLowerCase();
  const declared = kindByName(type);
  if (declared === undefined && !UNKNOWN.has(type)) throw refusal(type);
  const begins = kindByContent(body);
  switch (declared) {
    case "html":
      return begins === "binary" || begins === "markup" ? "html" : begins;
    case "json":
    case "xml":
    case "pdf":
      return begins === "html" || begins === "pdf" ? begins : declared;
    case "text":
    case "markdown":
      if (begins === "pdf") return "pdf";
      if (begins === "binary") throw refusal(signatureOf(body) ?? "binary content");
      return declared;
    default:
      if (begins === "binary") throw refusal(signatureOf(body) ?? (type || "binary content"));
      return begins === "markup" ? "text" : begins;
  }
}

function kindByName(type: string): Kind | undefined {
  const known = KINDS.get(type);
  if (known || UNREADABLE.has(type)) return known;
  if (type.startsWith("text/")) return "text";
  if (type.endsWith("+json")) return "json";
  return type.endsWith("+xml") && type.startsWith("application/") ? "xml" : undefined;
}

/** `markup` has tags or character references, and says no more about itself. */
function kindByContent(body: Uint8Array): Exclude<Kind, "markdown"> | "markup" | "binary" {
  const bytes = body.subarray(0, LOOKED_AT);
  if (signatureOf(body)) return "binary";
  const isWide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const begin = Buffer.from(bytes)
    .toString("latin1")
    .replace(/^\u00ef\u00bb\u00bf/, "")
    .replaceAll("\0", isWide ? "" : "\0");
  if (begin.startsWith("%PDF-")) return "pdf";
  if (begin.includes("\0")) return "binary";
  const text = begin.replace(/^(?:\u00ff\u00fe|\u00fe\u00ff)/, "").replace(/^(?:\s|<!--[^]*?-->)+/, "");
  if (/^(?:<\?xml[^>]*>\s*)?(?:<!doctype html|<html[\s>])/i.test(text)) return "html";
  if (/^<(?:head|body|title|script|meta|div|p|table|h1)[\s>]/i.test(text)) return "html";
  if (/^<(?:\?xml\s|rss[\s>]|feed\s|rdf:RDF\s)/.test(text)) return "xml";
  if (/^(?:\{\s*["}]|\[\s*(?:[[{"\]\d]|true|false|null))/.test(text)) return "json";
  return /<[a-z!/]|&#?\w+;/i.test(Buffer.from(body).toString("latin1")) ? "markup" : "text";
}

function signatureOf(body: Uint8Array): string | undefined {
  const begin = Buffer.from(body.subarray(0, 8)).toString("latin1");
  return SIGNATURES.find(([signature]) => begin.startsWith(signature))?.[1];
}

function refusal(type: string): UnreadableError {
  return new UnreadableError(`This is ${type}, which cannot be read as text.`);
}
