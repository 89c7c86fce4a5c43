// The page of a legion, whether anybody runs it or not.

import { LegionError } from "../../base/errors.ts";
import { aborted } from "../../base/process/signals.ts";
import type { Variables } from "../../base/process/variables.ts";
import { admitTrusted } from "../../config/grants/admission.ts";
import type { Config } from "../../config/config.ts";
import type { LegionSite } from "../../control/api/legion-client.ts";
import type { NodeApi } from "../../control/api/routes.ts";
import { watchLegion, type WatchedLegion } from "../../control/reading/watched.ts";
import type { DashboardOrder } from "../../control/web/server.ts";
import { DEFAULT_QUESTIONS } from "../../legion/rulebook.ts";
import { openPersonFolder } from "../../storage/folder/person/folder.ts";
import type { CliCommand, Io, Typed } from "../kit/command.ts";
import { print, printJson } from "../kit/output.ts";
import { addJsonOption, addLegionOptions, withSite } from "../kit/target.ts";

const DEFAULT_PORT = 4680;
const WAY_TO_TRUST = "`legion trust --trust` does so";
const WHO_MAY = "Whoever has this address may do what you may. Ctrl-C ends the page; the legion goes on.";

export const command: CliCommand = {
  define(parser) {
    parser
      .argument("[port]", `on this port of this machine; 0 for any that is free (default: ${DEFAULT_PORT})`)
      .option("--read-only", "show everything, do nothing")
      .option("--allow-host <name>", "let a name in besides those of this machine, such as that of a tunnel")
      .option("--metrics", "say how Prometheus gets the metrics of a page on this port, and open none");
    addJsonOption(addLegionOptions(parser));
  },
  async run(typed, io) {
    const order = readOrder(typed, io);
    if (typed.options["metrics"]) return tellScraping(order.port, typed, io);
    await withSite(typed, io, async (site) => {
      const { serveDashboard } = await import("../../control/web/server.ts");
      const { url, close } = await serveDashboard(watchSite(site, io.env), order);
      try {
        if (typed.options["json"]) printJson(io, { url });
        else print(io, `${url}\n${WHO_MAY}`);
        await aborted(io.signal);
      } finally {
        await close();
      }
    });
    return 0;
  },
};

/** @param text what was typed after `--dashboard` or the command; `"true"` and absent: nothing. Throws USAGE. */
export function readPort(text: string | undefined): number {
  if (text === undefined || text === "true") return DEFAULT_PORT;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new LegionError(
    "USAGE",
    `${JSON.stringify(text)} is no port; take one from 1024 to 65535, or 0 for any`,
  );
}

const HOST = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:\d{1,5})?$/i;

/** Throws USAGE. */
function readOrder({ args, options }: Typed, { env }: Io): DashboardOrder {
  const { allowHost: host, readOnly } = options;
  if (host !== undefined && !HOST.test(host))
    throw new LegionError(
      "USAGE",
      `--allow-host: ${JSON.stringify(host)} is no name of a host, such as box.example.com`,
    );
  return {
    port: readPort(args[0]),
    hosts: host === undefined ? [] : [host],
    access: readOnly ? "read" : "all",
    person: openPersonFolder(env),
  };
}

/** Makes the token, if there is none yet. Rejects with CONFIG where it cannot be kept, with USAGE for no port. */
async function tellScraping(port: number, { options }: Typed, io: Io): Promise<number> {
  if (port === 0)
    throw new LegionError(
      "USAGE",
      "--metrics: name the port that the page has; Prometheus cannot look for it",
    );
  const { keepMetricsToken } = await import("../../control/metrics/token.ts");
  const file = await keepMetricsToken(openPersonFolder(io.env));
  const target = `127.0.0.1:${port}`;
  if (options["json"]) printJson(io, { target, path: "/metrics", credentialsFile: file });
  else print(io, scrapeConfig(target, file));
  return 0;
}

function scrapeConfig(target: string, file: string): string {
  return [
    "# For prometheus.yml. Only you can read the file: Prometheus runs as you, or has a copy of its own.",
    "scrape_configs:",
    "  - job_name: ai-legion",
    "    authorization:",
    `      credentials_file: ${JSON.stringify(file)}`,
    "    static_configs:",
    `      - targets: [${JSON.stringify(target)}]`,
  ].join("\n");
}

interface SettledSite extends LegionSite {
  /** It also says how long a question waits. */
  readonly config: Pick<Config, "durability" | "approvals" | "secrets">;
}

export function watchSite(site: SettledSite, env: Variables, own?: NodeApi): WatchedLegion {
  const { approvals, secrets } = site.config;
  const today = { env, secrets, admit: admitTrusted(site.project, env, WAY_TO_TRUST) };
  return watchLegion(site, approvals.expireMs ?? DEFAULT_QUESTIONS.expireMs, { own, today });
}
