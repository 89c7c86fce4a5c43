// Where a redirect leads, and what goes along.

import { quote } from "../../base/text/wording.ts";
import { refusal } from "./destination.ts";

/** One request of a fetch, which is as many as there are redirects, and one. */
export interface Step {
  /** Whatever a server said: `checkUrl` it. */
  readonly url: URL;
  readonly method: "GET" | "POST" | "DELETE";
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** All others may be secrets of the one who asked, and stay with the host that they were meant for. */
const HARMLESS = new Set(["accept", "accept-encoding", "accept-language", "content-type", "user-agent"]);

/**
 * The request that an answer asks for in place of `step`; `undefined` if it asks for none. Throws REFUSED where that must
 * not be made.
 *
 * @see https://fetch.spec.whatwg.org/#http-redirect-fetch
 */
export function follow(step: Step, status: number, location: string | undefined): Step | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined;
  // Headers come as Latin-1, and addresses that are not encoded are sent as UTF-8.
  const text = Buffer.from(location, "latin1").toString("utf8");
  if (!URL.canParse(text, step.url.href)) {
    throw refusal(`${quote(step.url.href)} redirects to ${quote(text)}, which is no URL.`);
  }
  const url = new URL(text, step.url);
  const isSameOrigin = url.origin === step.url.origin;
  const entries = Object.entries(step.headers).filter(([name]) => isSameOrigin || HARMLESS.has(name));
  if (status !== 307 && status !== 308) {
    return {
      url,
      method: "GET",
      headers: Object.fromEntries(entries.filter(([name]) => name !== "content-type")),
    };
  }
  if (!isSameOrigin && step.body !== undefined) {
    throw refusal(
      `${quote(step.url.href)} wants what was sent to it to be sent to ${quote(url.origin)} as well.`,
    );
  }
  return { ...step, url, headers: Object.fromEntries(entries) };
}
