// One question to the legion and its answer. The routes are the program's own table: only their types are here.

import type { LookedUp, ReadingAnswer } from "../../src/control/api/readings.ts";
import type { AnswerOf, QuestionOf, RouteName } from "../../src/control/api/routes.ts";
import { asOf } from "../place.ts";
import { isFile, recall } from "./record.ts";
import { authorization, refuseToken } from "./token.ts";

/** `refused`: it said no. `unheard`: nobody knows whether it was heard. */
export type Heard<T> =
  | { readonly outcome: "done"; readonly answer: T }
  | { readonly outcome: "refused" | "unheard"; readonly why: string };

const PATIENCE_MS = 30_000;

/** `path` stands under `/v1`, with its query. What is read is of the time that the page shows. */
export function read<K extends LookedUp>(path: string): Promise<Heard<ReadingAnswer<K>>> {
  const at = asOf.peek();
  const moment = at === undefined ? "" : `${path.includes("?") ? "&" : "?"}moment=${at}`;
  return request<ReadingAnswer<K>>(path + moment, {});
}

/** The same of what is there now. */
export function readNow<K extends LookedUp>(path: string): Promise<Heard<ReadingAnswer<K>>> {
  return request<ReadingAnswer<K>>(path, {});
}

export function act<K extends RouteName>(route: K, question: QuestionOf<K>): Promise<Heard<AnswerOf<K>>> {
  return request<AnswerOf<K>>(`/${route}`, { body: JSON.stringify(question) });
}

async function request<T>(path: string, { body }: { readonly body?: string }): Promise<Heard<T>> {
  if (isFile) return fromFile<T>(path, body);
  try {
    const said = { ...authorization(), "Content-Type": "application/json" };
    const init = body === undefined ? { headers: authorization() } : { method: "POST", body, headers: said };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(`/v1${path}`, { ...init, signal, cache: "no-store" });
    if (response.ok) return { outcome: "done", answer: (await response.json()) as T };
    return { outcome: "refused", why: await refusalIn(response) };
  } catch (error) {
    return { outcome: "unheard", why: wordsOf(error) };
  }
}

async function fromFile<T>(path: string, body: string | undefined): Promise<Heard<T>> {
  if (body !== undefined) return { outcome: "refused", why: "this is a file: from it nothing can be done" };
  const found = await recall(path);
  if ("why" in found) return { outcome: "refused", why: found.why };
  return { outcome: "done", answer: found.answer as T };
}

/** What an answer that is no success says; a token that does not count is told to the whole page. */
export async function refusalIn(response: Response): Promise<string> {
  if (response.status === 401) refuseToken();
  const status = `${response.status} ${response.statusText}`.trim();
  const body = (await response.json().catch(() => undefined)) as
    { error?: { message?: unknown } } | undefined;
  const message = body?.error?.message;
  return typeof message === "string" ? message : status;
}

/** Why a request came to nothing. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no answer in ${PATIENCE_MS / 1_000} s`;
  return error instanceof TypeError ? "the program cannot be reached" : error.message;
}

/** A part of a path. */
export function part(text: string): string {
  return encodeURIComponent(text);
}
