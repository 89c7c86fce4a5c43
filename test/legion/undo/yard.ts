// A legion on real files whose agents write, and what an undo comes to there.

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createDisk } from "../../../src/base/files/disk.ts";
import { createRedactor } from "../../../src/base/redaction/redactor.ts";
import { core } from "../../../modules/core.ts";
import { goals } from "../../../modules/goals.ts";
import { messaging } from "../../../modules/messaging.ts";
import { notes } from "../../../modules/notes.ts";
import { system } from "../../../modules/system/index.ts";
import type { UndoSite } from "../../../src/legion/undo/place.ts";
import type { Script } from "../../../src/model/scripted/scripted.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { legionPaths } from "../../../src/storage/folder/paths.ts";
import { openWorld, temporaryFolder, type World, type WorldOptions } from "../../world.ts";

export const SECRET = "s3cret-s3cret-s3cret";
export const REDACTOR = createRedactor([{ name: "API_KEY", value: SECRET }]);

export const write = (path: string, content: string) => ({
  action: "writeFile",
  parameters: { path, content },
});
export const edit = (path: string, oldText: string, newText: string) => ({
  action: "editFile",
  parameters: { path, oldText, newText },
});
export const remove = (path: string) => ({ action: "deleteFile", parameters: { path } });
export const move = (sourcePath: string, destinationPath: string) => ({
  action: "moveFile",
  parameters: { sourcePath, destinationPath },
});
export const REST = { calls: [{ action: "noop" }] };

/** A world in a project with those files, each of whose agents does what its script says. */
export async function createYard(
  files: Readonly<Record<string, string>>,
  scripts: Readonly<Record<string, Script>>,
  { project: given, ...options }: WorldOptions & { readonly project?: string } = {},
): Promise<World> {
  const project = given ?? (await temporaryFolder());
  for (const [path, content] of Object.entries(files)) put(project, path, content);
  const agents = Object.entries(scripts).map(([id, script]) => [
    id,
    { modules: [core, goals, notes, messaging, system], script },
  ]);
  return openWorld(project, Object.fromEntries(agents), { redactor: REDACTOR, ...options });
}

export function put(project: string, path: string, content: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), content);
}

/** All files of a project but those of the legion; folders end with a slash. */
export function treeOf(project: string): Readonly<Record<string, string>> {
  const entries = readdirSync(project, { recursive: true, withFileTypes: true });
  const found = entries.map((entry): [string, string] => {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(project.length + 1);
    if (entry.isDirectory()) return [`${name}/`, ""];
    return [name, entry.isFile() ? readFileSync(path, "utf8") : "(no file)"];
  });
  return Object.fromEntries(
    found.filter(([name]) => !name.startsWith(".ai-legion")).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

export function siteOf(project: string): UndoSite {
  const paths = legionPaths(project);
  return {
    reader: createFileReader(project),
    paths,
    disk: createDisk(paths.tmp, project),
    redactor: REDACTOR,
  };
}
