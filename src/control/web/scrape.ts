// The metrics of a legion on the port of its page, for whoever has the token that opens them and nothing else. Nothing of them is
// loaded or measured before somebody has shown it.

import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "../../base/errors.ts";
import type { PersonFolder } from "../../storage/folder/person/folder.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { WatchedLegion } from "../reading/watched.ts";
import { refusalFor, type DashboardDoor, type DoorRefusal } from "./guard.ts";

export interface Scrape {
  /** Resolves with why it is refused, unless it was answered. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<DoorRefusal | undefined>;
  close(): void;
}

export function isScrape({ url = "" }: IncomingMessage): boolean {
  return url.split("?")[0] === "/metrics";
}

export function createScrape(
  watched: WatchedLegion,
  door: DashboardDoor,
  person: Pick<PersonFolder, "read">,
): Scrape {
  let opened: Promise<Metrics> | undefined;
  const open = async (): Promise<Metrics> => (await import("../metrics/metrics.ts")).createMetrics(watched);
  return {
    async answer(request, response) {
      const { readMetricsToken } = await import("../metrics/token.ts");
      const kept = await readMetricsToken(person).catch(() => undefined);
      // Where none is kept, none opens it.
      const token = kept ?? randomBytes(32).toString("hex");
      const refusal = refusalFor(request, { ...door, token }, "metrics");
      if (refusal) return refusal;
      try {
        const text = await (await (opened ??= open())).tell();
        const { EXPOSITION_TYPE } = await import("../metrics/exposition.ts");
        response.writeHead(200, { "content-type": EXPOSITION_TYPE }).end(text);
      } catch (error) {
        return { status: 500, message: messageOf(error) };
      }
      return undefined;
    },
    close: () => void opened?.then((metrics) => metrics.close()),
  };
}
