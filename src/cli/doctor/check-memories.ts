// Is every line and text of a long-term memory what was written, and does whoever keeps it exist? Reads only.

import { join } from "node:path";
import { createDisk } from "../../base/files/disk.ts";
import { isLegionError, messageOf } from "../../base/errors.ts";
import { shownPath } from "../../base/files/project-file.ts";
import { NO_SECRETS } from "../../base/redaction/redactor.ts";
import { count } from "../../base/text/wording.ts";
import type { MemoryId } from "../../domain/memory/memory-id.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import { foreignMemory } from "../../storage/contract/foreign.ts";
import type { Memories } from "../../storage/contract/memory/memories.ts";
import { asidePath } from "../../storage/files/journal/segments.ts";
import { createFileMemories } from "../../storage/files/memories/memories.ts";
import { storedSegments, type MemoryFolder } from "../../storage/files/memories/reading.ts";
import { createTextReader } from "../../storage/files/memories/texts.ts";
import { memoryPaths } from "../../storage/folder/memory-paths.ts";
import { legionPaths } from "../../storage/folder/paths.ts";
import type { PersonFolder } from "../../storage/folder/person/folder.ts";
import { finding, type DoctorFinding } from "./finding.ts";

/** Those in the files of a project, whatever run of it is looked at. Silent where there is none. */
export async function* checkMemories(project: string, person: PersonFolder): AsyncGenerator<DoctorFinding> {
  const memories = createFileMemories({ project, person, redactor: NO_SECRETS, durability: "process" });
  // What is no folder in its place is told of as a stranger.
  for (const id of await memories.known().catch(() => [])) {
    const check = `memory ${id}`;
    try {
      yield* checkMemory({ id, check, project, memories });
    } catch (error) {
      if (!isLegionError(error)) throw error;
      yield finding(check, "damaged", messageOf(error));
    }
  }
}

interface CheckedMemory {
  readonly id: MemoryId;
  readonly check: string;
  readonly project: string;
  readonly memories: Memories;
}

async function* checkMemory({ id, check, project, memories }: CheckedMemory): AsyncGenerator<DoctorFinding> {
  const paths = memoryPaths(project, id);
  const folder = { paths, disk: createDisk(paths.tmp, project) };
  const reader = memories.read(id);
  if (await reader.isForeign()) yield finding(check, "warning", foreignMemory(id).message);
  const { damaged, settled, lost } = await damagesIn(folder);
  for (const { file, offset, bytes } of damaged) {
    const where = `${count(bytes, "byte")} at ${offset}`;
    const detail = `${shownPath(project, file)}: ${where} cannot be read; whoever writes to it next sets that aside`;
    yield finding(check, "damaged", detail);
  }
  if (lost.length > 0) {
    const named = lost.slice(0, MAX_NAMED).map((seq) => `#${seq}`);
    const more = lost.length > MAX_NAMED ? " and more" : "";
    yield finding(
      check,
      "damaged",
      `the words of ${named.join(", ")}${more} are gone, or not what was written`,
    );
  }
  if (settled > 0) yield finding(check, "ok", `${settled} damaged before, set aside`);
  const { entries, keeper } = await reader.standing();
  if (keeper !== undefined && !(await isHere(keeper, project)))
    yield finding(check, "warning", strangeKeeper(keeper));
  if (damaged.length === 0 && lost.length === 0)
    yield finding(check, "ok", `${entries} ${entries === 1 ? "entry" : "entries"}`);
}

const MAX_NAMED = 10;

function strangeKeeper(keeper: AgentId): string {
  const way = "`legion memory keep <agent>` hands it over";
  return `its keeper ${displayName(keeper)} is no agent here, and nobody else's documents count; ${way}`;
}

interface MemoryDamages {
  /** Nobody has set them aside. */
  readonly damaged: readonly { readonly file: string; readonly offset: number; readonly bytes: number }[];
  settled: number;
  /** The numbers of records whose words are not there, though nobody forgot them. */
  readonly lost: readonly number[];
}

async function damagesIn(folder: MemoryFolder): Promise<MemoryDamages> {
  const { paths, disk } = folder;
  const damaged: { file: string; offset: number; bytes: number }[] = [];
  let settled = 0;
  const lost = new Set<number>();
  const read = createTextReader(paths.texts, disk);
  for await (const { records, damages } of storedSegments(folder)) {
    for (const damage of damages)
      if (disk.exists(asidePath(damage, paths.corrupt))) settled++;
      else damaged.push({ file: damage.file, offset: damage.offset, bytes: damage.bytes.length });
    for (const record of records) {
      if (record.kind === "forgotten") for (const seq of record.seqs) lost.delete(seq);
      if ("words" in record && (await read(record.words)) === undefined) lost.add(record.seq);
    }
  }
  return { damaged, settled, lost: [...lost] };
}

/** In the project's own legion, or in one of its runs. */
async function isHere(agent: AgentId, project: string): Promise<boolean> {
  const { root } = legionPaths(project);
  const disk = createDisk(join(root, "tmp"));
  const runs = await disk.list(join(root, "runs")).catch(() => []);
  return [root, ...runs.map((run) => join(root, "runs", run))].some((home) =>
    disk.exists(legionPaths(project, home).agent(agent)),
  );
}
