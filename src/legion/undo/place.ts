// Where something is taken back, and which paths there may be touched.

import { sep } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Disk } from "../../base/files/disk.ts";
import type { Redactor } from "../../base/redaction/redactor.ts";
import { isProtected, isReadOnly } from "../../domain/authoring/protected.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { workspaceFiles, type WorkspaceFiles } from "../../environment/workspace/place.ts";
import type { LetterWriter } from "../../mail/log-access.ts";
import { keepFiles, type KeptFiles } from "../../past/undo/kept.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { LegionPaths } from "../../storage/folder/paths.ts";

/** To look what could be taken back. */
export interface UndoSite {
  readonly reader: Pick<Reader, "known" | "events">;
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
}

export function keptIn({ paths, disk, redactor }: UndoSite): (agent: AgentId) => KeptFiles {
  return keepFiles({ agents: paths.agents, folder: paths.agent, disk, redactor });
}

export function filesIn({ files = workspaceFiles }: UndoSite): WorkspaceFiles {
  return files;
}

/** `undefined` for what no agent may change, and for what leads out. */
export function namesIn(path: string, { protectedPaths = [] }: UndoSite): readonly string[] | undefined {
  const names = path.split(sep);
  const isSound = names.every((name) => name !== "" && name !== "." && name !== "..");
  return isSound && !isProtected(names) && !isReadOnly(names, protectedPaths) ? names : undefined;
}
