// One page, from its address to its text: fetched, rendered where a browser is there, extracted. What was read is kept for
// a while, for all agents of the process.

import { createSlots } from "./browser/slots.ts";
import { createCache } from "./cache.ts";
import type { Extracted, Fetched, Permits, Rendered } from "./document.ts";
import type { ExtractOptions } from "./extract/extractor.ts";
import { kindOf } from "./extract/kind.ts";

export interface Page extends Extracted {
  /** After all redirects. */
  readonly url: string;
  readonly status: number;
}

/** The stages; each rejects with one sentence for the agent. */
export interface Stages {
  fetch(url: string, signal: AbortSignal, permits: Permits): Promise<Fetched>;
  /** Absent: no browser is used. */
  readonly render?: (document: Fetched, signal: AbortSignal, permits: Permits) => Promise<Rendered>;
  extract(document: Fetched, options: ExtractOptions): Promise<Extracted>;
  /** The text of the document itself. */
  source(document: Fetched): Promise<string>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface Visits {
  /** What a reader gets of the page; of what that loads, as far as somebody who waits for it may go there. */
  read(url: string, signal: AbortSignal, permits?: Permits): Promise<Page>;
  /** The page as its server sent it. */
  source(url: string, signal: AbortSignal, permits?: Permits): Promise<Page>;
}

/** What was fetched, and every address that the way to it led through; the first one is not among them. */
interface Led extends Fetched {
  readonly way: readonly string[];
}

const ALL: Permits = () => true;

/** Each may hold a document of the greatest length, and what was made of it. */
const MAX_AT_ONCE = 32;
const MAX_KEPT_BYTES = 32 * 1024 * 1024;
/** Of an address that is told of, in characters. */
const MAX_SHOWN = 500;
const NO_BROWSER =
  "Its scripts did not run, as no browser is used here: what they would have shown is missing.";

export function createVisits(stages: Stages): Visits {
  const { now } = stages;
  // A server that was busy may have time for the next one.
  const isGiven = ({ status }: Pick<Fetched, "status">): boolean => status < 400;
  const documents = createCache<Led>({
    now,
    maxSize: MAX_KEPT_BYTES,
    sizeOf: ({ url, body }) => 2 * url.length + body.length,
    isLasting: isGiven,
  });
  const pages = createCache<Visited>({
    now,
    maxSize: MAX_KEPT_BYTES,
    sizeOf: ({ page: { url, title, text } }) => 2 * (url.length + title.length + text.length),
    isLasting: ({ page, isPartial }) => isGiven(page) && !isPartial,
  });
  const readers = createReaders();
  const load = async ({ document, route }: Address, signal: AbortSignal): Promise<Led> => {
    const fetched = await documents.get(document, signal, async (stop) => {
      const way: string[] = [];
      const mayGo = (at: string): boolean => {
        way.push(at);
        return readers.anyMay(document, at);
      };
      return { ...(await stages.fetch(document, stop, mayGo)), way };
    });
    return route === "" || fetched.url.includes("#") ? fetched : { ...fetched, url: fetched.url + route };
  };
  const places = createSlots(MAX_AT_ONCE);
  const inPlace = async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    const leave = await places.take(signal);
    return work().finally(leave);
  };
  return {
    async read(url, signal, permits = ALL) {
      const address = addressOf(url);
      const { document, route } = address;
      const mayLoad = (at: string): boolean => readers.anyMay(document, at);
      const visited = await readers.wait(document, permits, () =>
        pages.get(document + route, signal, (stop) =>
          inPlace(stop, async () => visit(stages, await load(address, stop), { signal: stop, mayLoad })),
        ),
      );
      return visited.page;
    },
    source: (url, signal, permits = ALL) =>
      inPlace(signal, async () => {
        const address = addressOf(url);
        const document = await readers.wait(address.document, permits, () => load(address, signal));
        const { url: at, status } = document;
        return { url: at, status, title: "", text: await stages.source(document), remarks: [] };
      }),
  };
}

/** Who waits for which document. */
function createReaders() {
  const waiting = new Set<{ readonly document: string; readonly permits: Permits }>();
  return {
    /** A redirect is followed as long as one of those may go there who wait. */
    anyMay: (document: string, url: string): boolean =>
      [...waiting].some((who) => who.document === document && who.permits(url)),
    /** What `load` gives. Rejects where it led through what this one may not be led to. */
    async wait<T extends { readonly way: readonly string[] }>(
      document: string,
      permits: Permits,
      load: () => Promise<T>,
    ): Promise<T> {
      const who = { document, permits };
      waiting.add(who);
      const led = await load().finally(() => waiting.delete(who));
      const barred = led.way.find((url) => !permits(url));
      if (barred === undefined) return led;
      throw new Error(`It leads to ${barred.slice(0, MAX_SHOWN)}, which may not be asked for.`);
    },
  };
}

interface Address {
  /** What a server is asked for. */
  readonly document: string;
  /** What its scripts are told besides; may be empty. */
  readonly route: string;
}

/** A fragment names a place in a page, and only written as a path another page. */
function addressOf(url: string): Address {
  if (!URL.canParse(url)) return { document: url, route: "" };
  const address = new URL(url);
  const route = /^#[/!]/.test(address.hash) ? address.hash : "";
  address.hash = "";
  return { document: address.href, route };
}

interface Visited {
  readonly page: Page;
  /** Where it led, the page itself the last. */
  readonly way: readonly string[];
  /** Somebody else, or a later try, may get more: the browser failed, or no reader may go where a part comes from. */
  readonly isPartial: boolean;
}

interface Visiting {
  readonly signal: AbortSignal;
  readonly mayLoad: Permits;
}

async function visit(stages: Stages, document: Led, { signal, mayLoad }: Visiting): Promise<Visited> {
  const { url, status, headers, body, way } = document;
  if (kindOf(headers["content-type"], body) !== "html")
    return { page: { url, status, ...(await stages.extract(document, { signal })) }, way, isPartial: false };
  let isHeldBack = false;
  const watched: Permits = (part) => {
    const may = mayLoad(part);
    isHeldBack ||= !may;
    return may;
  };
  const { failed, ...rendered } = await render(stages, document, { signal, mayLoad: watched });
  const extracted = await stages.extract(document, { ...rendered, signal });
  const remarks = [...rendered.remarks, ...extracted.remarks];
  const at = rendered.url ?? url;
  return {
    page: { status, ...extracted, url: at, remarks },
    way: [...way, at],
    isPartial: failed || isHeldBack,
  };
}

interface MaybeRendered {
  /** Absent, as the page is, if its scripts did not run. */
  readonly url?: string;
  readonly html?: string;
  readonly frames?: Rendered["frames"];
  readonly remarks: readonly string[];
  readonly failed: boolean;
}

/** The page after its scripts have run; nothing but a remark if they cannot run. */
async function render(
  { render: run }: Stages,
  document: Fetched,
  { signal, mayLoad }: Visiting,
): Promise<MaybeRendered> {
  if (!run) return { remarks: hasScripts(document) ? [NO_BROWSER] : [], failed: false };
  try {
    return { ...(await run(document, signal, mayLoad)), failed: false };
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    const remark = `Its scripts did not run, so what they would have shown is missing: ${why}`;
    return { remarks: [remark], failed: true };
  }
}

function hasScripts({ body }: Fetched): boolean {
  return /<script\b/i.test(Buffer.from(body).toString("latin1"));
}
