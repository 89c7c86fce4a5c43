// What a page may not do beside loading: ask, and keep. Windows that nobody clicked for are not opened anyway.

import type { BrowserContext, CDPSession, Page } from "puppeteer";

/** Pages do without, as in a browser that has none. It runs in each frame before anything of the page. */
const NO_SERVICE_WORKERS = "delete Navigator.prototype.serviceWorker";

export async function guard(page: Page, session: CDPSession, context: BrowserContext): Promise<void> {
  // It may be closed before the answer comes.
  page.on("dialog", (dialog) => void dialog.dismiss().catch(() => undefined));
  // Those that are named are granted, and all others denied.
  await session.send("Browser.grantPermissions", { permissions: [], browserContextId: context.id });
  await page.evaluateOnNewDocument(NO_SERVICE_WORKERS);
}
