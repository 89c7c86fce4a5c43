// Which browser would run the scripts of the pages that agents read. Opens no page.

import { execFile } from "node:child_process";
import { platform } from "node:os";
import { promisify } from "node:util";
import { findBrowser } from "../../../modules/web/browser/find.ts";
import type { DoctorFinding } from "./finding.ts";

const WITHOUT = "pages are read without running their scripts";
const VERSION_TIMEOUT_MS = 10_000;
const MAX_VERSION_LENGTH = 100;

export interface BrowserChoice {
  /** `off`, or the path of the program; absent: the one that is found. */
  readonly browser?: string;
  /** Who chose it: what a project names is not started. */
  readonly by?: "project" | "person";
  readonly env: Readonly<Record<string, string | undefined>>;
}

export async function checkBrowser({ browser, by, env }: BrowserChoice): Promise<DoctorFinding> {
  const check = "browser";
  if (browser === "off") return { check, status: "ok", detail: `off: ${WITHOUT}` };
  const path = findBrowser({ path: browser, env });
  if (path !== undefined && by === "project")
    return { check, status: "ok", detail: `${path}, named by the project, so it was not started here` };
  if (path !== undefined) return { check, ...(await describe(path, env)) };
  if (browser !== undefined) {
    return { check, status: "wrong", detail: `${browser} is no program, so ${WITHOUT}` };
  }
  const way = "install Chromium or Chrome, or name one as web.browser in .ai-legion/config.yaml";
  return { check, status: "missing", detail: `none found, so ${WITHOUT}: ${way}` };
}

async function describe(
  path: string,
  env: BrowserChoice["env"],
): Promise<Pick<DoctorFinding, "status" | "detail">> {
  const sandbox = process.getuid?.() === 0 ? "without its sandbox, as it runs as root" : "in its sandbox";
  // There it would open a window.
  if (platform() === "win32") return { status: "ok", detail: `${path}, ${sandbox}` };
  try {
    // It gets no keys.
    const own = { PATH: env["PATH"], HOME: env["HOME"] };
    const { stdout } = await promisify(execFile)(path, ["--version"], {
      timeout: VERSION_TIMEOUT_MS,
      env: own,
    });
    if (!/chrom|edge/i.test(stdout))
      return { status: "wrong", detail: `${path} is no Chrome or Chromium, so ${WITHOUT}` };
    const version = stdout.trim().slice(0, MAX_VERSION_LENGTH) || "of an unknown version";
    return { status: "ok", detail: `${path}, ${version}, ${sandbox}` };
  } catch {
    return { status: "wrong", detail: `${path} does not run, so ${WITHOUT}` };
  }
}
