// What modules find outside the legion -> log, before a decision: what a prompt shows of it is made of what the log keeps.

import type { Clock } from "../../base/clock.ts";
import type { Redactor } from "../../base/redaction/redactor.ts";
import type { NewEvent } from "../../domain/event/event.ts";
import type { Memory } from "../../past/past.ts";
import { createRecall } from "./recall.ts";
import type { ModuleSet } from "../parts/module-set.ts";

/** At most this often: each change costs the provider's cache of the prompt. */
const EVERY_MS = 30_000;

export interface Lookout {
  readonly memory: Memory;
  readonly modules: Pick<ModuleSet, "modules" | "host">;
  readonly redactor: Redactor;
  readonly clock: Pick<Clock, "now">;
}

/** Looks, and commits what has changed; `signal` ends what takes long, and then nothing has. Rejects as `commit` does. */
export type LookOutside = (signal: AbortSignal) => Promise<void>;

export function createLookout({ memory, modules, redactor, clock }: Lookout): LookOutside {
  const recall = createRecall({ memory, modules, redactor });
  const looking = modules.modules.flatMap(({ name, offers }) => (offers ? [{ name, offers }] : []));
  let nextMs = -Infinity;
  return async (signal) => {
    await recall(signal);
    if (looking.length === 0 || clock.now() < nextMs) return;
    const events = await Promise.all(
      looking.map(async ({ name, offers }): Promise<NewEvent[]> => {
        const known = memory.offers.get(name);
        const found = await offers.find({ ...modules.host(name), signal }).catch(() => known);
        const offer = JSON.stringify(redactor.value(found));
        return offer === undefined || offer === JSON.stringify(known)
          ? []
          : [{ kind: "offered", module: name, offer }];
      }),
    );
    if (signal.aborted) return;
    nextMs = clock.now() + EVERY_MS;
    const changes = events.flat();
    if (changes.length > 0) await memory.commit(...changes);
  };
}
