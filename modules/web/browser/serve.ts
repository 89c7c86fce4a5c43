// The document that was fetched is what the browser gets for its first request: nobody is asked for it twice.

import type { CDPSession, Protocol } from "puppeteer";
import type { Fetched } from "../document.ts";

/** Others speak of how it was sent, or would make of it a file, a question for a password, another page. */
const PASSED_ON = [
  "content-language",
  "content-security-policy",
  "content-type",
  "last-modified",
  "link",
  "permissions-policy",
  "referrer-policy",
  "refresh",
  "set-cookie",
];

/** From now on `session` answers the page's first request for a document; those that come later go their way. */
export async function serveFirst(document: Fetched, session: CDPSession): Promise<void> {
  let isServed = false;
  session.on("Fetch.requestPaused", ({ requestId }) => {
    const answered = isServed
      ? session.send("Fetch.continueRequest", { requestId })
      : session.send("Fetch.fulfillRequest", { requestId, ...answerOf(document) });
    isServed = true;
    // The page is gone, which whoever waits for it hears from the page.
    answered.catch(() => undefined);
  });
  // It stays enabled: a request that begins while it is disabled may hang.
  await session.send("Fetch.enable", { patterns: [{ resourceType: "Document", requestStage: "Request" }] });
}

function answerOf({ headers, body }: Fetched): Omit<Protocol.Fetch.FulfillRequestRequest, "requestId"> {
  return {
    // Of another one the browser might show a page of its own, or none.
    responseCode: 200,
    responseHeaders: PASSED_ON.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [{ name, value }];
    }),
    body: Buffer.from(body).toString("base64"),
  };
}
