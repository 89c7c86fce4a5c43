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
  /** What a reader gets of the page; of what it loads, as far as whoever reads it first may go there. */
  read(url: string, signal: AbortSignal, permits?: Permits): Promise<Page>;
  /** The page as its server sent it. */
  source(url: string, signal: AbortSignal, permits?: Permits): Promise<Page>;
}

const ALL: Permits = () => true;

/** Each may hold a document of the greatest length, and what was made of it. */
const MAX_AT_ONCE = 32;
const MAX_KEPT_BYTES = 32 * 1024 * 1024;
const NO_BROWSER =
  "Its scripts did not run, as no browser is used here: what they would have shown is missing.";

export function createVisits(stages: Stages): Visits {
  const { now } = stages;
  // A server that was busy may have time for the next one.
  const isGiven = ({ status }: Pick<Fetched, "status">): boolean => status < 400;
  const documents = createCache<Fetched>({
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
  const load = async (
    { document, route }: Address,
    signal: AbortSignal,
    permits: Permits,
  ): Promise<Fetched> => {
    const fetched = await documents.get(document, signal, (stop) => stages.fetch(document, stop, permits));
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
      const visited = await pages.get(document + route, signal, (stop) =>
        inPlace(stop, async () =>
          visit(stages, await load(address, stop, permits), { signal: stop, permits }),
        ),
      );
      return visited.page;
    },
    source: (url, signal, permits = ALL) =>
      inPlace(signal, async () => {
        const document = await load(addressOf(url), signal, permits);
        const { url: at, status } = document;
        return { url: at, status, title: "", text: await stages.source(document), remarks: [] };
      }),
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
  /** Somebody else, or a later try, may get more: the browser failed, or the policy of this reader stood against a part. */
  readonly isPartial: boolean;
}

interface Reader {
  readonly signal: AbortSignal;
  readonly permits: Permits;
}

async function visit(stages: Stages, document: Fetched, { signal, permits }: Reader): Promise<Visited> {
  const { url, status, headers, body } = document;
  if (kindOf(headers["content-type"], body) !== "html")
    return { page: { url, status, ...(await stages.extract(document, { signal })) }, isPartial: false };
  let isHeldBack = false;
  const watched: Permits = (to) => {
    const may = permits(to);
    isHeldBack ||= !may;
    return may;
  };
  const { failed, ...rendered } = await render(stages, document, { signal, permits: watched });
  const extracted = await stages.extract(document, { ...rendered, signal });
  const remarks = [...rendered.remarks, ...extracted.remarks];
  return {
    page: { status, ...extracted, url: rendered.url ?? url, remarks },
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
  { signal, permits }: Reader,
): Promise<MaybeRendered> {
  if (!run) return { remarks: hasScripts(document) ? [NO_BROWSER] : [], failed: false };
  try {
    return { ...(await run(document, signal, permits)), failed: false };
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
