import { onTestFinished } from "vitest";
import { createNetwork } from "../../../../src/environment/network/network.ts";
import type { Network, WebRequest } from "../../../../src/domain/authoring/network.ts";

export interface SeeingNetwork extends Network {
  readonly asked: readonly WebRequest[];
}

/**
 * The way out that agents have, as far as a person allowed nothing, until the test is over. Keeps what it is asked, and
 * makes of it what `hurry` says.
 */
export function createSeeingNetwork(hurry: Pick<WebRequest, "timeoutMs"> = {}): SeeingNetwork {
  const network = createNetwork({ allowPrivate: [] });
  onTestFinished(() => network.close());
  const asked: WebRequest[] = [];
  return {
    ...network,
    asked,
    fetch(url, request) {
      asked.push(request);
      return network.fetch(url, { ...request, ...hurry });
    },
  };
}
