import type { NodeHost } from "../../../src/domain/authoring/host.ts";
import type { Entry } from "../config/entry.ts";
import { openHttp } from "./http/http.ts";
import type { Attempt, Link } from "./link.ts";
import { openStdio } from "./stdio.ts";

/** By the way that its entry says. Rejects with why not, in a sentence or two; then nothing of it is left. */
export function openServer(
  { name, way }: Pick<Entry, "name" | "way">,
  node: Pick<NodeHost, "network" | "environment" | "endTree" | "clock">,
  attempt: Attempt & { readonly connectMs: number },
): Promise<Link> {
  return way.kind === "stdio"
    ? openStdio({ name, way }, node, attempt)
    : openHttp({ name, way }, node, attempt);
}
