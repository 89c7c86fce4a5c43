// What agents have for the web. Asks nobody: a search costs quota.

import type { Config } from "../../config/config.ts";
import { HOW_TO_SEARCH } from "../../config/web-search.ts";
import { checkBrowser, type BrowserChoice } from "./check-browser.ts";
import type { DoctorFinding } from "./finding.ts";

export async function* checkWeb(
  { modules: { web } }: Config,
  env: BrowserChoice["env"],
): AsyncGenerator<DoctorFinding> {
  yield await checkBrowser({ browser: web.browser, by: web.browserBy, env });
  yield checkSearch(web.search);
}

function checkSearch(search: Config["modules"]["web"]["search"]): DoctorFinding {
  const check = "web search";
  if (!search) return { check, status: "missing", detail: `none, so agents cannot search: ${HOW_TO_SEARCH}` };
  if ("problem" in search) return { check, status: "wrong", detail: search.problem };
  return { check, status: "ok", detail: search.why };
}
