// What all search services have in common: how they are asked, and what is made of their answers.

import type { WebRequest, WebResponse } from "../../../src/domain/authoring/network.ts";
import { at } from "./json.ts";
import { plainText } from "./plain-text.ts";
import { SearchError, type SearchHit, type SearchOptions, type SearchProvider } from "./provider.ts";

/** How one service is asked, and how to read what it answers. */
export interface SearchService {
  readonly name: string;
  /** Where it is, and where a person wants it to be asked instead: that may be an address of a private network. */
  readonly home: string;
  readonly baseUrl: string | undefined;
  /** Below either of them. */
  readonly path: string;
  /** Never in an error, whoever quotes them. */
  readonly secrets: readonly string[];
  readonly request: (query: string) => ServiceRequest;
  /** The results in a good answer as they came, best first; `undefined`: this is no answer of the service. */
  readonly results: (answer: unknown) => readonly unknown[] | undefined;
  /** How a result calls what is needed of it, beside its `title`. */
  readonly fields: { readonly url: string; readonly snippet: string };
  /** The rest of a sentence that begins with the name; `undefined`: the status alone says what is wrong, if anything. */
  readonly complaint: (status: number, answer: unknown) => string | undefined;
}

export interface ServiceRequest extends Pick<WebRequest, "method" | "headers" | "body"> {
  /** Added to the URL. */
  readonly parameters?: Readonly<Record<string, string>>;
}

export const MAX_HITS = 10;
const TIMEOUT_MS = 15_000;
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_SAID = 500;
const MAX_TITLE = 150;
const MAX_SNIPPET = 300;
const MAX_URL = 2_000;

/** Ways in which all services fail; each goes on from the service's name. */
export const COMPLAINTS = {
  key: (variable: string) => `does not accept ${variable}: tell Control to check it`,
  used: "has no searches left for now: go on without them, and tell Control that its plan is used up",
  rate: "wants fewer requests: wait a little, then search again",
  query: "does not accept the query: write it shorter and simpler",
  down: "is out of order: try again later",
} as const;

export function createSearchProvider(service: SearchService): SearchProvider {
  return {
    name: service.name,
    address: service.baseUrl ?? service.home,
    async search(query, options) {
      const response = await ask(service, query, options);
      const text = new TextDecoder().decode(response.body);
      const answer = parse(text);
      const refusal = refusalOf(service, response, answer);
      const results = refusal === undefined ? service.results(answer) : undefined;
      if (results) return toHits(results, service.fields);
      const what = `${service.name} ${refusal ?? noResults(service, text)}`;
      const { status } = response;
      throw new SearchError(isGood(status) ? `${what}.` : `${what} (HTTP ${status}).`, {
        status,
        said: withoutSecrets(service, text).slice(0, MAX_SAID),
      });
    },
  };
}

async function ask(
  service: SearchService,
  query: string,
  { network, signal }: SearchOptions,
): Promise<WebResponse> {
  const { parameters = {}, headers, ...request } = service.request(query);
  const url = addressOf(service);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  try {
    return await network.fetch(url.href, {
      ...request,
      headers: { accept: "application/json", ...headers },
      signal,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      trusted: service.baseUrl === undefined ? undefined : url.host,
      keys: service.secrets,
    });
  } catch (error) {
    signal.throwIfAborted();
    const reason = withoutSecrets(service, error instanceof Error ? error.message : String(error));
    // It may quote a part of the URL, and with it a part of the key.
    const words = reason.replace(/\?[^\s`"']*/g, "").replace(/\.?$/, ".");
    throw new SearchError(`${service.name} cannot be asked: ${words}`);
  }
}

/** A base URL may name the whole address already. */
function addressOf({ home, baseUrl = home, path }: SearchService): URL {
  const url = new URL(baseUrl);
  const base = url.pathname.replace(/\/$/, "");
  url.pathname = base.endsWith(path) ? base : base + path;
  url.search = "";
  url.hash = "";
  return url;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

function refusalOf(service: SearchService, { status }: WebResponse, answer: unknown): string | undefined {
  const complaint = service.complaint(status, answer);
  if (complaint !== undefined || isGood(status)) return complaint;
  if (status === 402) return COMPLAINTS.used;
  if (status === 429) return COMPLAINTS.rate;
  if (status === 400 || status === 422) return COMPLAINTS.query;
  if (status >= 500) return COMPLAINTS.down;
  return `does not answer at ${addressOf(service).host}: tell Control to check the address`;
}

function noResults(service: SearchService, text: string): string {
  const sent = /^\s*</.test(text) ? "a web page" : "something else";
  const advice = service.baseUrl === undefined ? "try again later" : "tell Control to check the address";
  return `sent ${sent} instead of results from ${addressOf(service).host}: ${advice}`;
}

function toHits(results: readonly unknown[], fields: SearchService["fields"]): readonly SearchHit[] {
  const hits = new Map<string, SearchHit>();
  for (const result of results) {
    const url = readAddress(at(result, fields.url));
    if (url === undefined || hits.has(url)) continue;
    const title = plainText(at(result, "title"), MAX_TITLE);
    hits.set(url, { title, url, snippet: plainText(at(result, fields.snippet), MAX_SNIPPET) });
    if (hits.size === MAX_HITS) break;
  }
  return [...hits.values()];
}

/** Parsed and written anew, so that it has no blank and no control character. */
function readAddress(text: unknown): string | undefined {
  if (typeof text !== "string" || text.length > MAX_URL || !URL.canParse(text)) return undefined;
  const { protocol, username, password, href } = new URL(text);
  const isWeb = protocol === "http:" || protocol === "https:";
  return isWeb && !username && !password && href.length <= MAX_URL ? href : undefined;
}

/** Both as they are and as they stand in a URL. */
function withoutSecrets({ secrets }: SearchService, text: string): string {
  const forms = secrets.flatMap((secret) => [secret, String(new URLSearchParams({ k: secret })).slice(2)]);
  return forms
    .filter((form) => form !== "")
    .reduce((clean, form) => clean.replaceAll(form, "[redacted]"), text);
}
