// A stream of the legion that goes on for as long as somebody looks: after a break it is opened again from where it was, and a
// tab that nobody sees holds none (a browser has six connections to one host, for all of its tabs).

import { refusalIn, wordsOf } from "./api.ts";
import { createEventParser } from "./events.ts";
import { isFile, recall } from "./record.ts";
import { access, authorization } from "./token.ts";

export interface Listener {
  readonly path: string;
  onItem(item: object): void;
  /** Why nothing arrives at the moment; `null`: it does. */
  onBreak(why: string | null): void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
/** The program says something at least every 15 s. */
const SILENCE_MS = 45_000;

/** Returns how to hang up. */
export function listen(listener: Listener): () => void {
  const over = new AbortController();
  void (isFile ? tellOnce(listener, over.signal) : goOn(listener, over.signal));
  return () => over.abort();
}

/** What a file has of it; a log is read, and nothing is added to it. */
async function tellOnce({ path, onItem, onBreak }: Listener, over: AbortSignal): Promise<void> {
  if (path !== "/overview") return;
  const found = await recall(path);
  if (over.aborted) return;
  if ("why" in found) onBreak(found.why);
  else onItem(found.answer);
}

async function goOn(listener: Listener, over: AbortSignal): Promise<void> {
  let waitMs = FIRST_WAIT_MS;
  const place = { id: "" };
  while (!over.aborted && access.value === "granted") {
    await untilSeen(over);
    if (over.aborted) return;
    const why = await readOnce({ ...listener, place }, over, () => (waitMs = FIRST_WAIT_MS));
    if (over.aborted) return;
    if (document.hidden) continue;
    listener.onBreak(why);
    await pause(waitMs * (0.75 + Math.random() / 2), over);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
}

/** Resolves with why it is over. */
async function readOnce(
  { path, onItem, onBreak, place }: Listener & { readonly place: { id: string } },
  over: AbortSignal,
  onBegin: () => void,
): Promise<string> {
  const end = new AbortController();
  const hangUp = (): void => end.abort(new Error("nothing was heard for a while"));
  const leave = (): void => void (document.hidden && end.abort(new Error("the tab is hidden")));
  over.addEventListener("abort", hangUp);
  document.addEventListener("visibilitychange", leave);
  let silence = setTimeout(hangUp, SILENCE_MS);
  try {
    const resumed: Record<string, string> = place.id === "" ? {} : { "Last-Event-ID": place.id };
    const headers = { ...authorization(), Accept: "text/event-stream", ...resumed };
    const response = await fetch(`/v1${path}`, { headers, signal: end.signal, cache: "no-store" });
    if (!response.ok || !response.body) return await refusalIn(response);
    onBreak(null);
    onBegin();
    const parse = createEventParser();
    const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await pieces.read();
      if (done) return "the program has ended the stream";
      clearTimeout(silence);
      silence = setTimeout(hangUp, SILENCE_MS);
      for (const { id, data } of parse(value)) {
        if (id) place.id = id;
        onItem(JSON.parse(data) as object);
      }
    }
  } catch (error) {
    return wordsOf(error);
  } finally {
    end.abort();
    clearTimeout(silence);
    over.removeEventListener("abort", hangUp);
    document.removeEventListener("visibilitychange", leave);
  }
}

function untilSeen(over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (document.hidden && !over.aborted) return;
      document.removeEventListener("visibilitychange", look);
      over.removeEventListener("abort", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    over.addEventListener("abort", look);
    look();
  });
}

function pause(ms: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      over.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    over.addEventListener("abort", end);
  });
}
