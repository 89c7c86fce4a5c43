import type { NodeHost } from "../../../src/domain/authoring/host.ts";
import type { Entry } from "../config/entry.ts";
import { openHttp } from "./http/http.ts";
import type { Attempt, Link } from "./link.ts";
import type { StartServer } from "./start.ts";
import { openStdio } from "./stdio.ts";

/** By the way that its entry says. Rejects with why not, in a sentence or two; then nothing of it is left. */
export function openServer(
  { name, way }: Pick<Entry, "name" | "way">,
  place: Pick<NodeHost, "network" | "clock"> & { readonly start: StartServer },
  attempt: Attempt & { readonly connectMs: number },
): Promise<Link> {
  return way.kind === "stdio"
    ? openStdio({ name, way }, place, attempt)
    : openHttp({ name, way }, place, attempt);
}
