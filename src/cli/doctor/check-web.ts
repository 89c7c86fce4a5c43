// What agents have for the web: which browser would run the scripts of the pages that they read, and what they search with.
// Opens no page, and asks nobody: a search costs quota.

import { execFile } from "node:child_process";
import { platform } from "node:os";
import { promisify } from "node:util";
import { findBrowser } from "../../../modules/web/browser/find.ts";
import type { Config, WebConfig } from "../../config/config.ts";
import { HOW_TO_SEARCH } from "../../config/web-search.ts";
import { finding, type DoctorFinding } from "./finding.ts";

const WITHOUT = "pages are read without running their scripts";
const HOW_TO_BROWSE = "install Chromium or Chrome, or name one as web.browser in .ai-legion/config.yaml";
const VERSION_TIMEOUT_MS = 10_000;
const MAX_VERSION_LENGTH = 100;

type Env = Readonly<Record<string, string | undefined>>;

export async function* checkWeb({ modules: { web } }: Config, env: Env): AsyncGenerator<DoctorFinding> {
  yield await checkBrowser(web, env);
  yield checkSearch(web.search);
}

export async function checkBrowser(
  { browser }: Pick<WebConfig, "browser">,
  env: Env,
): Promise<DoctorFinding> {
  if (browser === "off") return finding("browser", "ok", `off: ${WITHOUT}`);
  const path = findBrowser({ path: browser, env });
  if (path !== undefined) return startBrowser(path, env);
  return browser === undefined
    ? finding("browser", "missing", `none found, so ${WITHOUT}: ${HOW_TO_BROWSE}`)
    : finding("browser", "wrong", `${browser} is no program, so ${WITHOUT}`);
}

async function startBrowser(path: string, env: Env): Promise<DoctorFinding> {
  const sandbox = process.getuid?.() === 0 ? "without its sandbox, as it runs as root" : "in its sandbox";
  // There it would open a window.
  if (platform() === "win32") return finding("browser", "ok", `${path}, ${sandbox}`);
  try {
    const { stdout } = await promisify(execFile)(path, ["--version"], {
      timeout: VERSION_TIMEOUT_MS,
      // It gets no keys.
      env: { PATH: env["PATH"], HOME: env["HOME"] },
    });
    if (!/chrom|edge/i.test(stdout))
      return finding("browser", "wrong", `${path} is no Chrome or Chromium, so ${WITHOUT}`);
    const version = stdout.trim().slice(0, MAX_VERSION_LENGTH) || "of an unknown version";
    return finding("browser", "ok", `${path}, ${version}, ${sandbox}`);
  } catch {
    return finding("browser", "wrong", `${path} does not run, so ${WITHOUT}`);
  }
}

function checkSearch(search: WebConfig["search"]): DoctorFinding {
  if (!search) return finding("web search", "missing", `none, so agents cannot search: ${HOW_TO_SEARCH}`);
  return "problem" in search
    ? finding("web search", "wrong", search.problem)
    : finding("web search", "ok", search.why);
}
