// An agent whose past is kept beside its log, in files.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { createDisk, type Disk } from "../../../src/base/files/disk.ts";
import type { NewEvent } from "../../../src/domain/event/event.ts";
import type { KeptPast } from "../../../src/past/kept/pack.ts";
import { openMemory, type Memory } from "../../../src/past/past.ts";
import type { ViewOptions } from "../../../src/past/view.ts";
import { UNHOSTED } from "../../../src/storage/contract/store.ts";
import { createFileLogs } from "../../../src/storage/files/agents.ts";
import { pastFile } from "../../../src/storage/folder/cache/past-file.ts";
import { legionPaths } from "../../../src/storage/folder/paths.ts";
import type { Authorship } from "../../../src/storage/folder/person/authorship.ts";
import { KEEP } from "../../domain/event/event-lines.ts";
import { ownHand } from "../../own-hand.ts";
import { decided, prompted } from "../../past/digest/any-log.ts";
import { createTempProject } from "../../temp-project.ts";

export const STEPS = 200;
/** What nobody but a past that was kept can say. */
export const FORGED = 7_777;

/** `end` of an opening: what is written to the log is there for the next one. */
export type Kept = Awaited<ReturnType<typeof createKeptPast>>;

/** A log of so many steps, whose past was kept when it was closed. */
export async function createKeptPast(steps = STEPS) {
  const paths = legionPaths(await createTempProject());
  const folder = join(paths.agent("1"), "log");
  let epoch = 0;
  const open = async (
    view: ViewOptions = KEEP,
    logs?: Awaited<ReturnType<typeof newLogs>>,
  ): Promise<Memory> => {
    const { projector } = UNHOSTED;
    const opened = await (logs ?? (await newLogs())).logOf("1");
    return openMemory({ agent: "1", view, projector, inspect: () => undefined }, opened);
  };
  /** As another process has them. */
  const newLogs = async (authorship?: Authorship, disk: Disk = createDisk(paths.tmp)) =>
    createFileLogs({
      ...{ paths, disk, durability: "process", clock: { now: () => epoch * 1_000 } },
      ...{ lock: { epoch: ++epoch, held: () => true }, authorship: authorship ?? (await ownHand()) },
    });
  const write = async (count: number, ...more: readonly NewEvent[]): Promise<void> => {
    const memory = await open();
    await memory.commit(
      ...Array.from({ length: count }, (_, n) => [prompted(n), decided(n)]).flat(),
      ...more,
    );
    await memory.close();
  };
  await write(steps);
  return {
    ...{ paths, folder, open, newLogs, write },
    file: join(paths.root, "cache/pasts/1"),
    /** Steps that its past comes to when it is opened now. */
    async steps(view?: ViewOptions): Promise<number> {
      const memory = await open(view);
      await memory.close();
      return memory.ledger.spent.steps;
    },
    /** Has the past that is kept say what no log does. `by`: whose word it is. */
    async forge(change: (past: KeptPast) => object = (past) => past, by?: Authorship): Promise<void> {
      const own = await ownHand();
      const { binding, packed } = (await pastFile(paths, "1", own).read())!;
      const past = deserialize(packed) as KeptPast;
      past.ledger.spent.steps = FORGED;
      await pastFile(paths, "1", by ?? own).write({ binding, packed: serialize(change(past)) });
    },
    pathOf: async (index: number) => join(folder, (await readdir(folder)).at(index)!),
  };
}
