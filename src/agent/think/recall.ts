// What goes on beside the agent's own log -> log: before the first prompt after a start or a summary, and where what was shown
// is forgotten.

import type { Redactor } from "../../base/redaction/redactor.ts";
import type { NewEvent } from "../../domain/event/event.ts";
import type { Recall, Recollection } from "../../domain/authoring/module.ts";
import type { Host } from "../../domain/authoring/host.ts";
import { fieldsOf } from "../../base/text/json.ts";
import type { Memory, ReadablePast } from "../../past/past.ts";
import type { RecalledText } from "../../past/offers.ts";
import type { ModuleSet } from "../parts/module-set.ts";

/** Whose modules recall. */
export interface RecallSource {
  readonly memory: Pick<ReadablePast, "offers">;
  readonly modules: Pick<ModuleSet, "modules" | "host">;
  readonly redactor: Redactor;
}

/** What has changed of what modules recall; what could not be read stays as it was. */
export async function recollect({ memory, modules, redactor }: RecallSource): Promise<readonly NewEvent[]> {
  const events: NewEvent[] = [];
  for (const { name: module, recall } of modules.modules) {
    if (!recall) continue;
    const known = fieldsOf(memory.offers.get(module));
    for (const recollection of await readAll(recall, modules.host(module))) {
      const { key, from, taint } = recollection;
      const recalled: RecalledText = { content: redactor.text(recollection.content), from, taint };
      const before = known[key] ?? NOTHING;
      if (JSON.stringify(recalled) !== JSON.stringify(before))
        events.push({ kind: "recalled", module, key, ...recalled });
    }
  }
  return events;
}

const NOTHING: RecalledText = { content: "", from: undefined, taint: undefined };

function readAll(recall: Recall, host: Host): Promise<readonly Recollection[]> {
  return Promise.resolve(host)
    .then((from) => recall.read(from))
    .catch(() => []);
}

/** What cannot be asked at the moment stands. */
async function stands({ modules }: RecallSource): Promise<boolean> {
  for (const { name, recall } of modules.modules)
    if (recall && !(await recall.stands(modules.host(name)).catch(() => true))) return false;
  return true;
}

/** Recalls where it is time to. */
export function createRecall(recalling: RecallSource & { readonly memory: Memory }) {
  const { memory, modules } = recalling;
  const isIdle = modules.modules.every(({ recall }) => !recall);
  let known: number | undefined;
  return async (signal: AbortSignal): Promise<void> => {
    if (isIdle) return;
    const { summary } = memory.conversation;
    if (known === summary && (await stands(recalling))) return;
    const events = await recollect(recalling);
    if (signal.aborted) return;
    if (events.length > 0) await memory.commit(...events);
    known = summary;
  };
}
