// What every sandbox sees of the machine: programs and libraries, read-only, and what they need to start.

import { accessSync, constants, existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { isInside } from "../../base/files/project-file.ts";
import type { EnvironmentPlace } from "../environment.ts";

const ROOTS = "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /nix/store /gnu/store /run/current-system".split(
  " ",
);
/** Who is on this machine, and what it is called, is none of it. */
const SETTINGS = (
  "ld.so.cache ld.so.conf ld.so.conf.d alternatives ssl pki ca-certificates ca-certificates.conf crypto-policies " +
  "localtime timezone mime.types magic bash.bashrc profile profile.d inputrc terminfo fonts protocols services " +
  "java-11-openjdk java-17-openjdk java-21-openjdk perl python3 nodejs maven gradle"
).split(" ");
const PROGRAM_FOLDERS = new Set(["bin", "sbin"]);
/** What lies beside a folder of programs, and they need. */
const BESIDE = ["lib", "lib64", "libexec"];

export type Args = readonly string[];

export function systemArgs(): Args {
  return [
    ...ROOTS.flatMap(rootArgs),
    ...SETTINGS.map((name) => `/etc/${name}`).flatMap((path) => ["--ro-bind-try", path, path]),
  ];
}

function rootArgs(path: string): Args {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink()) return ["--symlink", readlinkSync(path), path];
  return stat ? ["--ro-bind", path, path] : [];
}

export type Bounds = Pick<EnvironmentPlace, "workspace" | "project">;

/** The folders of PATH that are not there already. */
export function programArgs(variables: NodeJS.ProcessEnv, bounds: Bounds): Args {
  return folderArgs((variables["PATH"] ?? "").split(delimiter).filter(isAbsolute), variables, bounds);
}

/** Those that are not there already; never one that holds the workspace, or somebody's home. */
export function folderArgs(folders: readonly string[], variables: NodeJS.ProcessEnv, bounds: Bounds): Args {
  return [...new Set(folders)].flatMap((folder) => {
    const real = realOf(folder);
    if (real === undefined || isThere(real) || isThere(folder) || holds(real, variables, bounds)) return [];
    if (isInside(bounds.workspace, folder)) return [];
    const beside = PROGRAM_FOLDERS.has(basename(real)) ? BESIDE : [];
    return [
      ...["--ro-bind", real, folder],
      ...beside.flatMap((name) => ["--ro-bind-try", join(dirname(real), name), join(dirname(folder), name)]),
    ];
  });
}

export function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

export function isThere(path: string): boolean {
  return ROOTS.some((root) => isInside(root, path));
}

/** Would showing `folder` show what is no program of the system? */
export function holds(folder: string, variables: NodeJS.ProcessEnv, { workspace, project }: Bounds): boolean {
  const homes = ["/", "/home", "/root", "/tmp", "/etc", "/var", variables["HOME"], workspace, project];
  return homes.some((home) => home && isInside(folder, existsSync(home) ? realpathSync(home) : home));
}

export function findProgram(name: string, path: string): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder.startsWith("/"));
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
