// A log in files of which a digest is kept.

import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { createDisk } from "../../../../src/base/files/disk.ts";
import type { NewEvent } from "../../../../src/domain/event/event.ts";
import type { Digest } from "../../../../src/past/digest/digest.ts";
import { openFileLog } from "../../../../src/storage/files/log.ts";
import { createFileReader } from "../../../../src/storage/files/reader/reader.ts";
import { toLine } from "../../../../src/storage/folder/line.ts";
import { ownHand } from "../../../own-hand.ts";
import { decided, prompted } from "../../../past/digest/any-log.ts";
import { createTempProject } from "../../../temp-project.ts";

export const STEPS = 300;
/** What nobody but a digest that was kept can say. */
export const FORGED = 7_777;

/** A log of so many steps, of a person's own agent that nobody runs. */
export async function createKept(steps = STEPS) {
  const project = await createTempProject();
  const reader = createFileReader(project);
  const { paths } = reader;
  const folder = paths.agent("1");
  const kept = join(paths.root, "cache/digests/1.json");
  let epoch = 0;
  const write = async (
    count: number,
    how: "goes on" | "anew" = "goes on",
    ...more: NewEvent[]
  ): Promise<void> => {
    if (how === "anew") await rm(join(folder, "log"), { recursive: true, force: true });
    const { log } = await openFileLog(
      {
        ...{ disk: createDisk(paths.tmp), lock: { epoch: ++epoch, held: () => true }, durability: "process" },
        ...{
          clock: { now: () => epoch * 1_000 },
          corruptFolder: paths.corrupt,
          folder,
          authorship: await ownHand(),
        },
      },
      () => undefined,
    );
    await log.append(Array.from({ length: count }, (_, n) => [prompted(n), decided(n)]).flat());
    if (more.length > 0) await log.append(more);
    await log.close();
  };
  await write(steps);
  return {
    ...{ project, reader, folder, kept, write },
    /** Whoever asks for less is told the same, and first: what was kept must not be mended for them. */
    async digest(): Promise<Digest> {
      const { ledger, conversation } = await reader.standing("1");
      const digest = await reader.digest("1");
      expect({ ledger, conversation }).toEqual({ ledger: digest.ledger, conversation: digest.conversation });
      return digest;
    },
    /** Has the digest that is kept say what no log does. */
    async forge(): Promise<void> {
      await reader.digest("1");
      const [first = "", rest = ""] = (await readFile(kept, "utf8")).split("\n");
      const { crc: _, ...said } = JSON.parse(first) as KeptHead;
      said.head.ledger.spent.steps = FORGED;
      await writeFile(kept, `${toLine(said)}${rest}\n`);
    },
    segments: () => readdir(join(folder, "log")),
    pathOf: async (index: number) => join(folder, "log", (await readdir(join(folder, "log"))).at(index)!),
  };
}

interface KeptHead {
  readonly crc: string;
  readonly head: { readonly ledger: { readonly spent: { steps: number } } };
}
