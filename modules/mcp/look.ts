// What a server is, for the person who allows it: it is started once.

import type { NodeHost } from "../../src/domain/authoring/host.ts";
import type { Programs } from "../../src/domain/authoring/program.ts";
import { confinementOf, type ConfinementSettings } from "./config/confinement.ts";
import type { Entry } from "./config/entry.ts";
import { openServer } from "./life/open-server.ts";
import { placeFor } from "./life/start.ts";
import { SERVER_TIMES } from "./servers.ts";
import { listOffers } from "./tools/list.ts";
import type { Listing } from "./tools/offer.ts";

/** For one that may be fetched first, by npx for instance: what is fetched stays, and a person waits here. */
const FETCH_MS = 60_000;

/** Where its agents' servers run. */
interface LookingPlace extends Pick<NodeHost, "clock" | "network"> {
  readonly programs: Programs;
  readonly confinement: ConfinementSettings;
}

/** Resolves when nothing of it is left. Rejects with why it could not be asked, in a sentence or two. */
export async function lookAt(
  entry: Entry,
  { network, clock, programs, confinement }: LookingPlace,
): Promise<Listing> {
  const { listMs } = SERVER_TIMES;
  const connectMs = confinementOf(entry, confinement).network === "off" ? SERVER_TIMES.connectMs : FETCH_MS;
  const { signal } = new AbortController();
  const { start } = placeFor(entry, confinement, programs);
  const open = (failed: number) =>
    openServer(entry, { network, clock, start }, { signal, failed, connectMs });
  const begunMs = clock.now();
  const link = await open(0).catch((error: unknown) => {
    if (clock.now() - begunMs >= connectMs) throw error;
    // The second time it is asked for the older protocol.
    return open(1);
  });
  const left = link.gone.then((why) => {
    throw new Error(why);
  });
  left.catch(() => undefined);
  try {
    return await Promise.race([listOffers(link.client, listMs), left]);
  } finally {
    await link.end();
  }
}
