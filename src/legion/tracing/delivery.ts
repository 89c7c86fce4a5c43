// One request to a collector, and what its answer means.
// https://opentelemetry.io/docs/specs/otlp/#otlphttp-response

import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { codeOf, messageOf } from "../../base/errors.ts";
import { fieldsOf, readJson } from "../../base/text/json.ts";
import { showUnseen } from "../../base/text/unseen.ts";
import { count, quote } from "../../base/text/wording.ts";
import type { TracingSettings } from "./settings.ts";

/**
 * `taken`: with what the collector says of it, if it says anything, as where it refuses some of the spans. `lost`: it will never be taken, so that trying again is of no use; `later`: it may be.
 */
export type DeliveryOutcome =
  | { readonly kind: "taken"; readonly remark?: string }
  | { readonly kind: "lost"; readonly why: string }
  | { readonly kind: "later"; readonly why: string; readonly afterMs?: number };

const compress = promisify(gzip);
/** What it is that is wrong with the content itself. Everything else a person can put right, or time. */
const NEVER = [400, 413, 422];
const MAX_WAIT_MS = 300_000;
/** Whoever says more, or says it for longer, is not listened to: the spans are taken. */
const MAX_ANSWER_BYTES = 65_536;
const MAX_REMARK = 400;

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
    const { ok, status } = response;
    if (ok) return { kind: "taken", remark: remarkIn(await beginningOf(response)) };
    await response.body?.cancel();
    const why = `it answers with status ${status}`;
    if (NEVER.includes(status)) return { kind: "lost", why };
    return { kind: "later", why, afterMs: waitIn(response.headers.get("retry-after")) };
  } catch (error) {
    return { kind: "later", why: reasonOf(error) };
  }
}

/** Its text, as far as it is short; empty where it breaks off. */
async function beginningOf({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of body ?? []) {
      bytes += piece.length;
      if (bytes > MAX_ANSWER_BYTES) return "";
      pieces.push(piece);
    }
  } catch {
    return "";
  }
  return Buffer.concat(pieces).toString();
}

/** What a partial success says; `undefined` if all is well. A count of 64 bits is a text in JSON, but not everywhere. */
function remarkIn(text: string): string | undefined {
  const { rejectedSpans = 0, errorMessage } = fieldsOf(fieldsOf(readJson(text))["partialSuccess"]);
  const said =
    typeof errorMessage === "string" && errorMessage !== ""
      ? quote(showUnseen(errorMessage.slice(0, MAX_REMARK)))
      : "";
  const rejected = Number(rejectedSpans);
  const lost = rejected > 0 ? `${count(rejected, "span")} of a request refused and lost` : "";
  return [lost, said].filter((part) => part !== "").join(": ") || undefined;
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
