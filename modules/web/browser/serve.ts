// The document that was fetched is what the browser gets for its first request: nobody is asked for it twice. All other
// requests go through the proxy, which asks who they are of.

import type { CDPSession, Protocol } from "puppeteer";
import type { NetworkProxy } from "../../../src/domain/authoring/network.ts";
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

/**
 * From now on `session` answers the page's first request for a document; those that come later go their way. It answers
 * the proxy, and nobody else who asks for a password.
 */
export async function serveFirst(
  document: Fetched,
  { credential, greeting }: Pick<NetworkProxy, "credential" | "greeting">,
  session: CDPSession,
): Promise<void> {
  // The page may be gone, which whoever waits for it hears from the page.
  const answer = (sent: Promise<void>): void => void sent.catch(() => undefined);
  session.on("Fetch.authRequired", ({ requestId, authChallenge: { source } }) => {
    const authChallengeResponse: Protocol.Fetch.AuthChallengeResponse =
      source === "Proxy" ? { response: "ProvideCredentials", ...credential } : { response: "CancelAuth" };
    answer(session.send("Fetch.continueWithAuth", { requestId, authChallengeResponse }));
  });
  let isServed = false;
  session.on("Fetch.requestPaused", ({ requestId, request: { url } }) => {
    if (isServed || url === greeting) return answer(session.send("Fetch.continueRequest", { requestId }));
    isServed = true;
    answer(session.send("Fetch.fulfillRequest", { requestId, ...answerOf(document) }));
  });
  // It stays enabled: a request that begins while it is disabled may hang.
  await session.send("Fetch.enable", {
    patterns: [{ resourceType: "Document", requestStage: "Request" }],
    handleAuthRequests: true,
  });
  // Only requests for documents are told of a proxy that asks; the others, those of workers too, know the answer then.
  await session.send("Page.navigate", { url: greeting });
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
