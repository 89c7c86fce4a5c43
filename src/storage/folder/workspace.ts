// Which workspace this is: agents whose work lies in its files are bound to it, wherever their memory is.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { LegionError } from "../../base/errors.ts";
import type { Disk } from "../../base/files/disk.ts";
import type { LegionPaths } from "./paths.ts";

export interface WorkspaceId {
  readonly id: string;
  /** Where it was when an agent was bound to it; for people. */
  readonly host: string;
  readonly folder: string;
}

const ID = /^[0-9a-f-]{36}$/;

/** The one of this project, which is made at the first call. Throws DAMAGED if the file does not hold one. */
export async function workspaceId({ root, project }: LegionPaths, disk: Disk): Promise<WorkspaceId> {
  const path = join(root, "workspace-id");
  const found = (await disk.read(path))?.toString("utf8").trim();
  if (found !== undefined && !ID.test(found))
    throw new LegionError("DAMAGED", `${path} holds no workspace id; remove it to have a new one made`);
  const id = found ?? randomUUID();
  if (found === undefined) await disk.replace(path, `${id}\n`);
  return { id, host: hostname(), folder: project };
}
