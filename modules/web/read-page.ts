// The action `readPage`: whole if it fits, else the part that was asked for, else a summary of each part.

import { z } from "zod";
import {
  defineAction,
  fail,
  fromOutside,
  ok,
  type Action,
  type ActionResult,
} from "../../src/domain/authoring/module.ts";
import { wrapOutside } from "../../src/domain/authoring/outside.ts";
import { divide } from "./parts.ts";
import { shortenPrompt } from "./prompts.ts";
import type { Page, Visits } from "./visits.ts";
import type { Host } from "../../src/domain/authoring/host.ts";

/** At least the rest of what a result may hold is for the words around the text. */
const TEXT_SHARE = 0.9;
/** No words, however many, take more than the rest. */
const LEAST_TEXT_SHARE = 0.5;
/** In tokens: what is said of one part, what of a summary, and the heading of one summarised part. */
const PART_REMARK_TOKENS = 18;
const SUMMARY_REMARK_TOKENS = 50;
const HEADING_TOKENS = 14;
const CHARACTERS_PER_TOKEN = 4;
/** A page of more parts would cost more than anybody expects. */
const MAX_SUMMARISED = 32;
/** Characters. */
const MAX_URL = 2_000;
const MAX_TITLE = 100;
/** So much of an error page is shown, in tokens: it may say what to do. */
const ERROR_TOKENS = 500;

const parameters = {
  url: z.string().describe("The address, with http:// or https://."),
  question: z
    .string()
    .optional()
    .describe(
      "What you want to know; only for a page that is too long to be shown whole: its summary keeps to it.",
    ),
  page: z
    .int()
    .min(1)
    .optional()
    .describe("Show this part of a long page as it is, instead of a summary of all parts; the first is 1."),
  raw: z.boolean().optional().describe("true: show the source of the page as the server sent it."),
};

interface Reading {
  readonly page: Page;
  readonly parts: readonly string[];
  readonly question: string | undefined;
  /** Is it the source that is read? */
  readonly raw: boolean;
}

export function readPageAction(visitsOf: (host: Host) => Promise<Visits>): Action {
  return defineAction({
    description: "Read a web page as text; a very long one is summarised.",
    parameters,
    effects: "reads",
    touches: ({ url }) => [{ kind: "net", url }],
    async execute({ url, question, page: number, raw = false }, host) {
      const visits = await visitsOf(host);
      const permits = (address: string): boolean => host.permits({ kind: "net", url: address });
      let page: Page;
      try {
        page = briefly(url, await (raw ? visits.source : visits.read)(url, host.signal, permits));
      } catch (error) {
        host.signal.throwIfAborted();
        // It may quote a stranger: where a redirect leads, how a server calls what it sent.
        return fromOutside(fail(wordsOf(error)), url);
      }
      if (page.status >= 400) return refused(page, host);
      const parts = divide(page.text, roomIn(page, PART_REMARK_TOKENS, host), host.tokens);
      const reading = { page, parts, question, raw };
      if (number === undefined && parts.length > 1 && !raw) return summarised(reading, host);
      return onePart(reading, number ?? 1);
    },
  });
}

/** Address and title are a stranger's words as well: on one line, and not for ever. */
function briefly(asked: string, { url, title, remarks, ...page }: Page): Page {
  const address = url.length > MAX_URL ? `${url.slice(0, MAX_URL)}…` : url;
  const isElsewhere = URL.canParse(asked) && withoutFragment(asked) !== withoutFragment(url);
  const way = isElsewhere ? [`You were redirected there from ${asked.slice(0, MAX_URL)}`] : [];
  return {
    ...page,
    url: address,
    title: title.replace(/\s+/g, " ").slice(0, MAX_TITLE),
    remarks: [...way, ...remarks],
  };
}

function withoutFragment(url: string): string {
  return new URL(url).href.split("#", 1)[0]!;
}

/** How long the text may be of a result about this page of which `remark` tokens are said, in tokens. */
function roomIn(page: Page, remark: number, { maxTokens, tokens }: Host): number {
  const left = maxTokens - tokens(shown(page, [], "").content) - remark;
  return Math.floor(Math.max(LEAST_TEXT_SHARE * maxTokens, Math.min(TEXT_SHARE * maxTokens, left)));
}

function onePart({ page, parts, raw }: Reading, number: number): ActionResult {
  const text = parts[number - 1];
  const { length } = parts;
  if (text === undefined)
    return fail(`There is no part ${number} of this page: it has ${length === 1 ? "only one" : length}.`);
  const next = `page: ${number + 1}${raw ? ", raw: true" : ""}`;
  const more = number < length ? ` Write \`${next}\` for the next.` : "";
  const remarks = length > 1 ? [`This is part ${number} of ${length}.${more}`] : [];
  return shown(page, remarks, text);
}

async function summarised(reading: Reading, host: Host): Promise<ActionResult> {
  const { page, parts, question } = reading;
  const { length } = parts;
  const heading = page.title === "" ? [] : [`# ${page.title}`];
  const room = roomIn(page, SUMMARY_REMARK_TOKENS, host) - host.tokens(heading.join(""));
  const share = Math.floor(room / Math.min(length, MAX_SUMMARISED)) - HEADING_TOKENS;
  const maxTokens = Math.max(1, share);
  const shorten = async (text: string, index: number): Promise<string> => {
    const { url, title } = page;
    const maxCharacters = maxTokens * CHARACTERS_PER_TOKEN;
    const part = { text, number: index + 1, of: length, url, title, maxCharacters, question };
    const summary = (await host.complete(shortenPrompt(part), { maxOutput: maxTokens })).trim();
    if (summary === "") throw new Error("the model gave no text");
    return summary;
  };
  const calls = await Promise.allSettled(parts.slice(0, MAX_SUMMARISED).map(shorten));
  host.signal.throwIfAborted();
  const failed = calls.find((call) => call.status === "rejected");
  if (failed && calls.every((call) => call.status === "rejected")) {
    const why = `The page was read, but not summarised: ${wordsOf(failed.reason)}`;
    return fail(`${why} It has ${length} parts; \`page: 1\` shows the first without a model call.`);
  }
  // What was paid for is shown, whatever became of the rest.
  const chunks = calls.flatMap((call, index) => {
    if (call.status === "rejected") return [];
    return `=== SUMMARIZED CHUNK === (part ${index + 1}, ${host.tokens(call.value)} tokens)\n${call.value}`;
  });
  const missing = calls.flatMap((call, index) => (call.status === "rejected" ? [index + 1] : []));
  const remarks = [aboutSummary(reading, host)];
  if (failed) remarks.push(`Not summarised: part ${missing.join(", ")}. ${wordsOf(failed.reason)}`);
  return shown(page, remarks, [...heading, ...chunks].join("\n\n"));
}

function aboutSummary({ page, parts: { length } }: Reading, host: Host): string {
  const extent = `about ${host.tokens(page.text)} tokens`;
  const left = length > MAX_SUMMARISED ? `; only the first ${MAX_SUMMARISED} are in this summary` : "";
  return `The page is too long to be shown whole (${extent}), so each of its ${length} parts was summarised by a model call${left}. \`page: 1\` shows the first as it is.`;
}

/** The server says no, mostly with a page that says why. */
function refused(page: Page, host: Host): ActionResult {
  const [text = ""] = divide(page.text, ERROR_TOKENS, host.tokens);
  const meaning =
    MEANINGS.get(page.status) ?? (page.status >= 500 ? "the server has a problem" : "the server refuses");
  const headline = `There is no page to read at ${page.url}: status ${page.status}, ${meaning}.`;
  if (text.trim() === "") return fail(headline);
  return fromOutside(fail(`${headline} What the server says:\n\n${wrapOutside(page.url, text)}`), page.url);
}

const MEANINGS: ReadonlyMap<number, string> = new Map([
  [401, "it wants a login"],
  [403, "it does not let us in"],
  [404, "there is nothing at this address"],
  [410, "it is gone for good"],
  [429, "it was asked too often; try later"],
  [451, "it may not be shown for legal reasons"],
  [503, "the server is busy or out of order; try later"],
]);

function shown({ url, remarks }: Page, more: readonly string[], text: string): ActionResult {
  const about = [url, ...remarks, ...more].join("\n");
  const words = text.trim() === "" ? "(The page has no text.)" : text;
  return fromOutside(ok(`${about}\n\n${wrapOutside(url, words)}`), url);
}

function wordsOf(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  return /[.!?]$/.test(words) ? words : `${words}.`;
}
