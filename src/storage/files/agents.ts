// The logs of one project, as files: each is read when somebody has to know what is in it, and opened by its only writer.

import type { Clock } from "../../base/clock.ts";
import type { Event } from "../../domain/event.ts";
import type { Inspect } from "../../domain/inspection.ts";
import { account, createLedger, type Ledger } from "../../past/ledger.ts";
import type { Authorship } from "../folder/person/authorship.ts";
import { createBlobs, type Blobs } from "../../past/log/blobs.ts";
import { openFileLog, readFileLog, type OpenedFileLog } from "./log.ts";
import type { JournalWriter } from "./journal/journal.ts";
import { openMemory, type Memory } from "../../past/past.ts";
import type { AgentId } from "../../domain/message.ts";
import type { LegionPaths } from "../folder/paths.ts";
import { agentsIn } from "./reader/reader.ts";
import { isForeign } from "./foreign.ts";
import type { AgentMemoryOptions } from "../contract/store.ts";
import { gapNotice } from "../../past/log/gaps.ts";
import { foreign } from "../contract/foreign.ts";

export interface FileLogsOptions extends JournalWriter {
  readonly paths: LegionPaths;
  readonly clock: Clock;
  readonly inspect: Inspect;
  /** Agents that will be opened here, folder or not: their logs are read then, not now. */
  readonly hosted: ReadonlySet<AgentId>;
  readonly authorship: Authorship;
}

export interface FileLogs {
  /** Agents that are hosted or have a folder, Control not. */
  readonly known: ReadonlySet<AgentId>;
  /** Of agents that are not hosted, and of those that are open. */
  readonly ledgers: ReadonlyMap<AgentId, Ledger>;
  /** The ledger of a known agent, read now if it must be: mail may come for one that is not open yet. */
  find(agent: AgentId): Promise<Ledger | undefined>;
  blobs(agent: AgentId): Blobs;
  events(agent: AgentId): AsyncIterable<Event>;
  /** Rejects with FOREIGN if somebody else wrote what is kept of it. */
  openAgent(agent: AgentId, options: AgentMemoryOptions): Promise<Memory>;
  /** Makes an agent known whose folder is new. */
  adopt(agent: AgentId): Promise<void>;
}

export async function openFileLogs(options: FileLogsOptions): Promise<FileLogs> {
  const { paths, inspect, hosted, disk } = options;
  const blobs = (agent: AgentId): Blobs => createBlobs(paths.blobs(agent), disk);
  const filesOf = (agent: AgentId) => ({ folder: paths.agent(agent), disk, blobs: blobs(agent) });
  const readLedger = async (agent: AgentId): Promise<Ledger> => {
    const ledger = createLedger();
    for await (const event of readFileLog(filesOf(agent))) account(ledger, event);
    return ledger;
  };
  const known = new Set([...hosted, ...(await agentsIn(paths.agents, disk))]);
  const ledgers = new Map<AgentId, Ledger>();
  for (const id of known) {
    // One that cannot be read is no reason not to run the others.
    const ledger = hosted.has(id) ? undefined : await readLedger(id).catch(() => undefined);
    if (ledger) ledgers.set(id, ledger);
  }
  /** The newest of each agent: what it did not acknowledge does not count, however often its log is opened again. */
  const openings = new Map<AgentId, OpenedFileLog>();
  return {
    known,
    ledgers,
    find: async (agent) => ledgers.get(agent) ?? (known.has(agent) ? readLedger(agent) : undefined),
    blobs,
    events: (agent) => readFileLog(filesOf(agent)),
    async openAgent(agent, { view, projector }) {
      if (await isForeign(agent, options)) throw foreign(agent);
      const place = { ...options, ...filesOf(agent), corruptFolder: paths.corrupt };
      const memory = await openMemory({ agent, view, projector, inspect }, async (each) => {
        const opened = await openFileLog(place, each, await openings.get(agent)?.acknowledged());
        openings.set(agent, opened);
        const { log, lost } = opened;
        return { log, findings: lost.length > 0 ? [gapNotice(lost)] : [] };
      });
      ledgers.set(agent, memory.ledger);
      return memory;
    },
    async adopt(agent) {
      ledgers.set(agent, await readLedger(agent));
      known.add(agent);
    },
  };
}
