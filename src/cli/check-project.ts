// How the files of a project are. Reads only: no lock, no write.

import { constants } from "node:fs";
import { access, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { findDefinition } from "../definition.ts";
import { messageOf } from "../errors.ts";
import { lockHolder } from "../log/lock.ts";
import { CONTROL } from "../message.ts";
import { shownPath } from "../project-file.ts";
import type { Reader } from "../reader.ts";
import { findNode } from "../server/control-client.ts";
import { checkJournals } from "./check-journals.ts";
import type { Finding } from "./finding.ts";
import { packageDir } from "./package.ts";

export async function* checkProject(reader: Reader): AsyncGenerator<Finding> {
  const { paths, disk } = reader;
  yield await checkWritable(reader);
  yield* checkDefinitions(paths.project);
  const agents = await reader.known();
  yield { check: "agents", status: "ok", detail: agents.join(", ") || "none yet" };
  yield* checkNode(reader);
  for (const id of [CONTROL, ...agents]) yield* checkJournals(reader, id);
  const aside = await disk.list(paths.corrupt);
  if (aside.length > 0) {
    const where = shownPath(paths.project, paths.corrupt);
    yield { check: "corrupt", status: "ok", detail: `${aside.length} copies of damaged lines in ${where}` };
  }
  yield* checkPermissions(reader);
}

async function checkWritable({ paths, disk }: Reader): Promise<Finding> {
  const folders = [paths.project, paths.root, paths.agents].filter((path) => disk.exists(path));
  for (const folder of folders) {
    try {
      await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      return { check: "folder", status: "wrong", detail: `cannot be written: ${messageOf(error)}` };
    }
  }
  return { check: "folder", status: "ok", detail: `${paths.project} can be written` };
}

/** Every definition of the project, not only those that somebody uses. */
async function* checkDefinitions(projectDir: string): AsyncGenerator<Finding> {
  const files = await readdir(join(projectDir, "agents")).catch(() => []);
  for (const file of files.filter((name) => name.endsWith(".md")).sort()) {
    const path = `agents/${file}`;
    try {
      await findDefinition(path, { projectDir, packageDir });
      yield { check: path, status: "ok", detail: "a valid definition" };
    } catch (error) {
      yield { check: path, status: "wrong", detail: messageOf(error) };
    }
  }
}

async function* checkNode({ paths, disk }: Reader): AsyncGenerator<Finding> {
  const holder = await lockHolder(paths.lock, disk);
  const who = holder && `process ${holder.pid} on ${holder.host}`;
  yield { check: "lock", status: "ok", detail: who ? `held by a ${holder.role}, ${who}` : "free" };
  const node = await findNode(paths.socket);
  if (node) yield { check: "socket", status: "ok", detail: "a node answers" };
  else if (holder?.role === "node") {
    yield {
      check: "socket",
      status: "wrong",
      detail: `${who} does not answer: it is starting, ending or stuck`,
    };
  } else if (disk.exists(paths.socket)) {
    yield { check: "socket", status: "ok", detail: "left by a dead node; the next one replaces it" };
  } else yield { check: "socket", status: "ok", detail: "none: no node runs" };
}

/** State and keys are nobody else's business. What lies in a private folder is private. */
async function* checkPermissions({ paths }: Reader): AsyncGenerator<Finding> {
  if (process.getuid === undefined) return;
  const names = await readdir(paths.agents).catch(() => []);
  const agents = (await isOpen(paths.agents)) ? names.map((name) => join(paths.agents, name)) : [];
  const state = (await isOpen(paths.root))
    ? [paths.agents, ...agents, paths.lock, paths.logs, paths.socket]
    : [];
  for (const path of [...state, join(paths.project, ".env")]) {
    if (!(await isOpen(path))) continue;
    const shown = shownPath(paths.project, path);
    yield { check: shown, status: "wrong", detail: `others may open it; chmod go= ${shown}` };
  }
}

/** May anybody but its owner do anything with it? */
async function isOpen(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found !== undefined && (found.mode & 0o077) !== 0;
}
