// The file of one digest. Only a cache: it may go at any time, and where it cannot be written nothing is.

import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { deflateSync, inflateSync } from "node:zlib";
import { readReal } from "../../../base/files/real-file.ts";
import { fieldsOf } from "../../../base/text/json.ts";
import type { AgentId } from "../../../domain/message/message.ts";
import { linesIn, fromLine, isWhole, toLine } from "../line.ts";
import { legionPaths, type LegionPaths } from "../paths.ts";
import { removeFrom, replace } from "./replace.ts";

/** Where the digests of a legion are. */
export interface DigestFolder {
  readonly folder: string;
  /** Holds temporary files, on the same file system. */
  readonly tmp: string;
}

export function digestFolder({ root, tmp }: LegionPaths): DigestFolder {
  return { folder: join(root, "cache", "digests"), tmp };
}

/** Those of a legion that is kept elsewhere, under its name. */
export function digestFolderOf(project: string, legion: string): DigestFolder {
  const { root, tmp } = legionPaths(project);
  return { folder: join(root, "cache", `digests-of-${legion}`), tmp };
}

/** The head of a digest is one line, the rest of it another. Its methods never reject. */
export function digestFile({ folder, tmp }: DigestFolder, agent: AgentId) {
  const path = join(folder, `${agent}.json`);
  return {
    /** What was written, as a whole; `undefined` if there is none. */
    async read() {
      const [first, second] = await linesOf(path);
      const { binding, lineage, head } = fieldsOf(first && fromLine(first));
      const { rest } = fieldsOf(second && fromLine(second));
      return rest === undefined ? undefined : { binding, lineage, head, rest };
    },
    /** The same, if it is there as a whole, without the rest: that takes most of the time. */
    async readHead() {
      const [first, second] = await linesOf(path);
      if (!first || !second || !isWhole(second)) return undefined;
      const { binding, head } = fieldsOf(fromLine(first));
      return head === undefined ? undefined : { binding, head };
    },
    /** Readers see the old content or the new one. What a power cut leaves of it is found out when it is read. */
    async write({ rest, ...head }: { readonly rest: unknown }): Promise<void> {
      await replace({ path, tmp }, [dirname(folder), folder], toLine(head) + toLine({ rest }));
    },
    remove: () => rm(path, { force: true }).catch(() => undefined),
    checkpoints: checkpointFiles({ folder: join(folder, "at"), tmp }, agent),
  };
}

/** Removes all that was kept of an agent that is gone. Never rejects. */
export async function removeDigests({ folder }: DigestFolder, agent: AgentId): Promise<void> {
  await removeFrom(folder, `${agent}.json`);
  await removeFrom(join(folder, "at"), agent);
}

const CHECKPOINT = /^(\d+)-(\d+)-([0-9a-f-]{36})\.deflated$/;

interface CheckpointName {
  readonly lineage: string;
  readonly seq: number;
  readonly latest: number;
}

/** Each in a file of its own, whose name says what it is. */
function checkpointFiles({ folder, tmp }: DigestFolder, agent: AgentId) {
  const own = join(folder, agent);
  const pathOf = ({ lineage, seq, latest }: CheckpointName): string =>
    join(own, `${seq}-${latest}-${lineage}.deflated`);
  return {
    async list(): Promise<readonly CheckpointName[]> {
      const names = await readdir(own).catch(() => []);
      return names.flatMap((name) => {
        const [, seq, latest, lineage] = CHECKPOINT.exec(name) ?? [];
        return lineage === undefined ? [] : [{ seq: Number(seq), latest: Number(latest), lineage }];
      });
    },
    async read(checkpoint: CheckpointName): Promise<unknown> {
      const bytes = await readReal(pathOf(checkpoint)).catch(() => Buffer.alloc(0));
      try {
        return fieldsOf(fromLine(inflateSync(bytes)))["packed"];
      } catch {
        return undefined;
      }
    },
    async write(checkpoint: CheckpointName, packed: object): Promise<void> {
      const line = toLine({ packed }).trimEnd();
      const made = [dirname(dirname(folder)), dirname(folder), folder, own];
      await replace({ path: pathOf(checkpoint), tmp }, made, deflateSync(line, { level: 1 }));
    },
    remove: (checkpoint: CheckpointName) => rm(pathOf(checkpoint), { force: true }).catch(() => undefined),
  };
}

/** The lines that end; none where it cannot be read. */
async function linesOf(path: string): Promise<readonly Buffer[]> {
  const bytes = await readReal(path).catch(() => Buffer.alloc(0));
  return [...linesIn(bytes)].map(([line]) => line);
}
