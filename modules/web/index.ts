import { defineModule, type Module } from "../../src/domain/authoring/module.ts";
import type { ReaderOptions } from "./extract/readers.ts";
import { INSTRUCTIONS } from "./prompts.ts";
import { readPageAction } from "./read-page.ts";
import { searchWeb } from "./search/action.ts";
import { readSettings, type WebSettings } from "./settings.ts";
import { createVisits, type Visits } from "./visits.ts";
import { defineShared } from "../../src/domain/authoring/module-state.ts";
import type { NodeHost } from "../../src/domain/authoring/host.ts";

/** Of one document. */
const MAX_BYTES = 10 * 1024 * 1024;

/** Finding pages and reading them. `startThread` starts the thread that reads documents; the compiled one if absent. */
export function createWeb(startThread?: ReaderOptions["start"]): Module {
  /** One browser, one extractor and one cache for all agents of the process. */
  const visits = defineShared((node, settings) => openVisits(node, readSettings(settings), startThread));
  return defineModule({
    name: "web",
    instructions: () => INSTRUCTIONS,
    actions: { searchWeb, readPage: readPageAction(visits) },
  });
}

export const web = createWeb();

async function openVisits(
  node: NodeHost,
  { browser: chosen }: WebSettings,
  start: ReaderOptions["start"] | undefined,
): Promise<Visits> {
  const { network, clock } = node;
  const { createExtractor } = await import("./extract/extractor.ts");
  const { findBrowser } = await import("./browser/find.ts");
  const extractor = createExtractor({ ...(start && { start }) });
  node.onClose(extractor.close);
  const executable = chosen === "off" ? undefined : findBrowser({ path: chosen, env: node.environment });
  const { extract, source } = extractor;
  return createVisits({
    fetch: (url, signal, permits) => network.fetch(url, { signal, permits, maxBytes: MAX_BYTES }),
    ...(executable !== undefined && { render: await openBrowser(node, executable) }),
    extract,
    source,
    now: clock.now,
  });
}

async function openBrowser(node: NodeHost, executable: string) {
  const { createBrowser } = await import("./browser/browser.ts");
  const browser = createBrowser(node, { executable });
  node.onClose(browser.close);
  return browser.render;
}
