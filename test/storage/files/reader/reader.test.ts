import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { createFileBus } from "../../../../src/storage/files/bus.ts";
import { readMailbox } from "../../../../src/storage/files/mailbox.ts";
import { createBlobs } from "../../../../src/past/log/blobs.ts";
import { createDisk } from "../../../../src/base/files/disk.ts";
import type { EventLog } from "../../../../src/past/log/event-log.ts";
import { openFileLog } from "../../../../src/storage/files/log.ts";
import { CONTROL, type AgentId } from "../../../../src/domain/message/message.ts";
import { legionPaths } from "../../../../src/storage/folder/paths.ts";
import { createFileReader } from "../../../../src/storage/files/reader/reader.ts";
import { createTempProject } from "../../../temp-project.ts";
import { describeReader, type RecordedPlace } from "../../contract/reader-contract.ts";

async function createPlace(): Promise<RecordedPlace> {
  const project = await createTempProject();
  const paths = legionPaths(project);
  const disk = createDisk(paths.tmp);
  const reader = createFileReader(project);
  const lock = { epoch: 1, held: () => true };
  const shared = {
    disk,
    lock,
    durability: "process",
    clock: { now: () => 0 },
    corruptFolder: paths.corrupt,
  } as const;
  const logs = new Map<AgentId, EventLog>();
  const logOf = async (agent: AgentId): Promise<EventLog> => {
    const open = () => openFileLog({ ...shared, folder: paths.agent(agent) }, () => undefined);
    const log = logs.get(agent) ?? (await open()).log;
    logs.set(agent, log);
    return log;
  };
  const watermarks = () => Promise.resolve({ taken: 0, seen: new Map<string, number>() });
  const bus = createFileBus({ ...shared, folder: paths.agent, onDamage: () => undefined, watermarks });
  return {
    reader,
    enlist: (agent, record) => disk.replace(join(paths.agent(agent), "agent.json"), JSON.stringify(record)),
    append: async (agent, events) => void (await (await logOf(agent)).append(events)),
    keep: async (agent, text) => void (await createBlobs(paths.blobs(agent), disk).keep(text)),
    deliver: async (delivery) => void (await bus.send(delivery)),
    async gather() {
      const marks = await reader.ledger(CONTROL);
      const { unread } = await readMailbox(join(paths.agent(CONTROL), "mailbox"), disk, marks);
      const taken = unread.map(
        ({ position, ...mail }) => ({ kind: "message", ...mail, mail: position }) as const,
      );
      await (await logOf(CONTROL)).append(taken);
    },
    async snapshot() {
      const entries = await readdir(project, { recursive: true, withFileTypes: true });
      const files = entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
      const texts = files.sort().map(async (path) => [path, await readFile(path, "utf8")]);
      return [entries.map(({ name }) => name).sort(), await Promise.all(texts)];
    },
  };
}

describeReader("files", createPlace);
