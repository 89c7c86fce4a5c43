// One request to a collector, and what its answer means.
// https://opentelemetry.io/docs/specs/otlp/#otlphttp-response

import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { codeOf, messageOf } from "../../base/errors.ts";
import type { TracingSettings } from "./settings.ts";

/** `lost`: it will never be taken, so that trying again is of no use; `later`: it may be. */
export type DeliveryOutcome =
  | { readonly kind: "taken" }
  | { readonly kind: "lost"; readonly why: string }
  | { readonly kind: "later"; readonly why: string; readonly afterMs?: number };

const compress = promisify(gzip);
/** What it is that is wrong with the content itself. Everything else a person can put right, or time. */
const NEVER = [400, 413, 422];
const MAX_WAIT_MS = 300_000;

/** Never rejects. Ends with `later` where `signal` aborts. */
export async function deliver(
  body: string,
  { url, headers, timeoutMs, compression }: TracingSettings,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const isSmall = compression === "gzip";
  try {
    const response = await fetch(url, {
      method: "POST",
      body: isSmall ? await compress(body) : body,
      headers: {
        ...headers(),
        "content-type": "application/json",
        ...(isSmall && { "content-encoding": "gzip" }),
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      redirect: "manual",
    });
    // Nobody reads what it says: it may say anything, for as long as it likes.
    await response.body?.cancel();
    const { ok, status } = response;
    if (ok) return { kind: "taken" };
    const why = `it answers with status ${status}`;
    if (NEVER.includes(status)) return { kind: "lost", why };
    return { kind: "later", why, afterMs: waitIn(response.headers.get("retry-after")) };
  } catch (error) {
    return { kind: "later", why: reasonOf(error) };
  }
}

/** Of seconds; a date is too rare to be read. */
function waitIn(text: string | null): number | undefined {
  return text !== null && /^\d{1,6}$/.test(text) ? Math.min(Number(text) * 1_000, MAX_WAIT_MS) : undefined;
}

/** `fetch` says only of its cause what went wrong. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return codeOf(cause) ?? messageOf(cause);
}
