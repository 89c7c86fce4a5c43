import { Worker } from "node:worker_threads";
import type { Extracted, Fetched } from "../../../../modules/web/document.ts";
import { read } from "../../../../modules/web/extract/read.ts";

/** A thread that runs the sources. */
export const startSource = (): Worker => new Worker(new URL("./extract-worker.mjs", import.meta.url));

export const PAGE_URL = "https://example.org/dir/page?x=1";

/** `body` as a server would have sent it. */
export function fetched(body: string | Uint8Array, type?: string): Fetched {
  const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
  return { url: PAGE_URL, status: 200, headers, body: Buffer.from(body) };
}

/** What becomes of `body`, in this thread. */
export function extracted(body: string | Uint8Array, type?: string): Promise<Extracted> {
  return read({ url: PAGE_URL, content: { type, body: new Uint8Array(Buffer.from(body)) } });
}

/** The Markdown of a page whose scripts did not run. */
export async function markdown(html: string): Promise<string> {
  return (await extracted(html, "text/html; charset=utf-8")).text;
}

/** What a server answers, as the stages that read it are given it. */
export async function visit(url: string): Promise<Fetched> {
  const response = await fetch(url);
  const body = new Uint8Array(await response.arrayBuffer());
  return { url: response.url, status: response.status, headers: Object.fromEntries(response.headers), body };
}
