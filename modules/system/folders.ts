import { lstat, opendir, rename, rmdir, unlink } from "node:fs/promises";
import type { Dirent } from "node:fs";
import { defineAction, fail, ok } from "../../src/domain/authoring/module.ts";
import type { Contents } from "../../src/domain/authoring/workspace.ts";
import { namesTo, permitMove, withEntry, withFolder, type Errand } from "./confine/confine.ts";
import { moveOf } from "./diff.ts";
import { rulesDownTo } from "./search/ignored.ts";
import { ignoredBy, type IsIgnored } from "./search/rules.ts";
import { pathParameter } from "./parameters.ts";
import { codeOf, orRefusal } from "./refusal.ts";
import { NOTHING, contentsAt } from "./contents.ts";
import { shownName } from "./text.ts";

const TAKE: Errand = { access: "change", lastLink: "keep", missingFolders: "refuse" };
const PUT: Errand = { access: "change", lastLink: "keep", missingFolders: "create" };

const MOVED_FOLDER: Contents = {
  kind: "other",
  why: "it is a folder that was moved, with all that is in it",
};

const MAX_LISTED = 1_000;
const MAX_COUNTED = 100_000;

export const moveFile = defineAction({
  description: "Move or rename a file or folder; missing folders are created, nothing is overwritten",
  parameters: {
    sourcePath: pathParameter("Path of the file or folder"),
    destinationPath: pathParameter("Its new path"),
  },
  touches: ({ sourcePath, destinationPath }) => [
    { kind: "read", path: sourcePath },
    { kind: "write", path: sourcePath },
    { kind: "write", path: destinationPath },
  ],
  execute: ({ sourcePath, destinationPath }, host) =>
    orRefusal(sourcePath, () =>
      withEntry(host, sourcePath, TAKE, async (source, from) => {
        const isFolder = (await lstat(source)).isDirectory();
        return orRefusal(destinationPath, () =>
          withEntry(host, destinationPath, PUT, async (destination, to) => {
            if (await exists(destination))
              return fail(`${destinationPath} exists already; nothing was moved.`);
            if (isFolder) await permitMove(host, { at: source, from, to });
            await host.replacing(async () => {
              const moved = isFolder ? MOVED_FOLDER : await contentsAt(source);
              return [
                { path: from, before: moved, after: NOTHING },
                { path: to, before: NOTHING, after: moved },
              ];
            });
            await rename(source, destination);
            return ok(`Moved ${sourcePath} to ${destinationPath}.`, moveOf(sourcePath, destinationPath));
          }),
        );
      }),
    ),
});

export const deleteFile = defineAction({
  description: "Delete a file, a link or an empty folder",
  parameters: { path: pathParameter("Path of the file") },
  touches: ({ path }) => [{ kind: "write", path }],
  execute: ({ path }, host) =>
    orRefusal(path, () =>
      withEntry(host, path, TAKE, async (at, real) => {
        const isFolder = (await lstat(at)).isDirectory();
        await host.replacing(async () => [{ path: real, before: await contentsAt(at), after: NOTHING }]);
        await (isFolder ? rmdir(at) : unlink(at));
        return ok(`Deleted ${path}.`);
      }),
    ),
});

export const createDirectory = defineAction({
  description: "Create a folder, with the folders above it",
  parameters: { path: pathParameter("Path of the folder") },
  effects: "idempotent",
  touches: ({ path }) => [{ kind: "write", path }],
  execute: ({ path }, host) =>
    orRefusal(path, () =>
      withFolder(host, path, { access: "change", missingFolders: "create" }, async () =>
        ok(`Created directory ${path}.`),
      ),
    ),
});

export const listDirectory = defineAction({
  description: "List what a folder holds",
  parameters: { path: pathParameter("Path of the folder; `.` is the workspace") },
  effects: "reads",
  touches: ({ path }) => [{ kind: "read", path }],
  execute: ({ path }, host) =>
    orRefusal(path, () =>
      withFolder(host, path, { access: "read", missingFolders: "refuse" }, async (at) => {
        const entries: Dirent[] = [];
        for await (const entry of await opendir(at)) {
          host.signal.throwIfAborted();
          if (entries.push(entry) === MAX_COUNTED) break;
        }
        const names = namesTo(host, path);
        return ok(render(path, entries, ignoredBy(await rulesDownTo(host, names), names)));
      }),
    ),
});

function render(path: string, entries: readonly Dirent[], isIgnored: IsIgnored): string {
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const left = entries.length - MAX_LISTED;
  const count = entries.length === MAX_COUNTED ? `at least ${left}` : `${left}`;
  return [
    `Here are the contents of ${path}:`,
    ...sorted
      .slice(0, MAX_LISTED)
      .map((entry) => `${shownName(entry.name)} [${kindOf(entry)}${markOf(entry, isIgnored)}]`),
    ...(entries.length === 0 ? ["(nothing)"] : []),
    ...(left > 0 ? [`[${count} more are not shown.]`] : []),
  ].join("\n");
}

function markOf(entry: Dirent, isIgnored: IsIgnored): string {
  return isIgnored(entry.name, entry.isDirectory() ? "folder" : "file") ? ", ignored by git" : "";
}

function kindOf(entry: Dirent): string {
  if (entry.isDirectory()) return "directory";
  if (entry.isFile()) return "file";
  return entry.isSymbolicLink() ? "link" : "other";
}

async function exists(at: string): Promise<boolean> {
  try {
    await lstat(at);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}
