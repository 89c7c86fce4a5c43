// Where something is taken back, and which paths there may be touched.

import { basename, dirname, join, resolve, sep } from "node:path";
import { leadsThroughRepository } from "../../../modules/system/confine/repository.ts";
import type { Clock } from "../../base/clock.ts";
import type { Disk } from "../../base/files/disk.ts";
import { isInside } from "../../base/files/project-file.ts";
import type { Redactor } from "../../base/redaction/redactor.ts";
import { isProtected, isReadOnly } from "../../domain/authoring/protected.ts";
import type { Contents } from "../../domain/authoring/workspace.ts";
import { isAgentId, type AgentId } from "../../domain/message/message.ts";
import { workspaceFiles, type WorkspaceFiles } from "./workspace-files.ts";
import type { LetterWriter } from "../../mail/log-access.ts";
import type { KnownWrites } from "../../past/receipts/writes.ts";
import { keepFiles, type KeptFiles } from "../../past/undo/kept.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { LegionPaths } from "../../storage/folder/paths.ts";

/** To look what could be taken back. */
export interface UndoSite {
  readonly reader: Pick<Reader, "known" | "events" | "isForeign">;
  readonly paths: LegionPaths;
  readonly disk: Pick<Disk, "read" | "replace" | "remove" | "list" | "folders" | "exists">;
  readonly redactor: Pick<Redactor, "marksIn">;
  /** Relative to the folder that an agent works in: what agents may not change, and so nothing is put back; absent: the floor alone. */
  readonly protectedPaths?: readonly string[];
  /** The real ones if absent. */
  readonly files?: WorkspaceFiles;
}

/** The same for a process that has the home alone. */
export interface UndoPlace extends UndoSite {
  /** The log of Control. */
  readonly control: LetterWriter;
  readonly clock: Pick<Clock, "now">;
  /** The writes to a workspace that this process knows of, by its root; absent: no agent works here. */
  readonly writesTo?: (root: string) => Pick<KnownWrites, "count" | "root" | "add">;
}

export function keptIn({ paths, disk, redactor }: UndoSite): (agent: AgentId) => KeptFiles {
  return keepFiles({ agents: paths.agents, folder: paths.agent, disk, redactor });
}

export function filesIn({ files = workspaceFiles }: UndoSite): WorkspaceFiles {
  return files;
}

/** Where a change was made: a file says so that anybody may have written. */
export interface ChangedPlace {
  /** Relative to the home. */
  readonly root: string;
  readonly path: string;
}

/** Where it is; `undefined` for what no agent may change, and for what leads out of the folders that agents of this legion work in. */
export async function spotOf(
  { root, path }: ChangedPlace,
  { paths, protectedPaths = [] }: UndoSite,
): Promise<{ readonly root: string; readonly names: readonly string[] } | undefined> {
  const folder = resolve(paths.root, root);
  const isOwn = dirname(folder) === paths.workspaces && isAgentId(basename(folder));
  const names = path.split(sep);
  const isSound = names.every((name) => name !== "" && name !== "." && name !== "..");
  if (!isSound || isProtected(names) || isReadOnly(names, protectedPaths)) return undefined;
  if (!isOwn && (folder !== paths.project || isInside(paths.root, join(folder, path)))) return undefined;
  return (await leadsThroughRepository(folder, names)) ? undefined : { root: folder, names };
}

/** What is there now. */
export async function standingAt(place: ChangedPlace, site: UndoSite): Promise<Contents> {
  const spot = await spotOf(place, site);
  return spot ? filesIn(site).read(spot.root, spot.names) : OFF_LIMITS;
}

export const OFF_LIMITS = { kind: "other", why: "it is off-limits" } as const satisfies Contents;
