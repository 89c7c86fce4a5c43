// The logs of one project, as files.

import { pastFile } from "../folder/cache/past-file.ts";
import type { Authorship } from "../folder/person/authorship.ts";
import { createBlobs, type Blobs } from "../../past/log/blobs.ts";
import { blobDisk, openFileLog, readFileLog, type OpenedFileLog } from "./log.ts";
import type { JournalWriter } from "./journal/journal.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { LegionPaths } from "../folder/paths.ts";
import { isForeign } from "./foreign.ts";
import { settleRecord } from "./record.ts";
import { gapNotice } from "../../past/log/gaps.ts";
import { foreign } from "../contract/foreign.ts";
import type { LocalPlace } from "../contract/local-store.ts";

export interface FileLogsOptions extends JournalWriter {
  readonly paths: LegionPaths;
  readonly authorship: Authorship;
}

export interface FileLogs extends Pick<LocalPlace, "events" | "logOf" | "forget"> {
  blobs(agent: AgentId): Blobs;
}

export function createFileLogs(options: FileLogsOptions): FileLogs {
  const { paths, disk } = options;
  /** The newest of each agent: what it did not acknowledge does not count, however often its log is opened again. */
  const openings = new Map<AgentId, Pick<OpenedFileLog, "acknowledged">>();
  return {
    blobs: (agent) => createBlobs(paths.blobs(agent), blobDisk(options)),
    events: (agent) => readFileLog({ folder: paths.agent(agent), disk }),
    async logOf(agent) {
      if (await isForeign(agent, options)) throw foreign(agent);
      const past = pastFile(paths, agent, options.authorship);
      const place = { ...options, folder: paths.agent(agent), corruptFolder: paths.corrupt, past };
      await settleRecord(agent, place);
      return async (each, goOn) => {
        const opened = await openFileLog(place, each, await openings.get(agent)?.acknowledged(), goOn);
        openings.set(agent, opened);
        const { lost } = opened;
        return { ...opened, findings: lost.length > 0 ? [gapNotice(lost)] : [] };
      };
    },
    async forget(agent) {
      const end = await openings.get(agent)?.acknowledged();
      if (end) openings.set(agent, { acknowledged: () => Promise.resolve(end) });
    },
  };
}
