// What one program needs of the disk beside the system and PATH, to be started at all: itself, and what it loads.

import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isInside } from "../../base/files/project-file.ts";
import type { ProgramOrder } from "../../domain/authoring/program.ts";
import { isProtected } from "../../domain/authoring/protected.ts";
import { notStarted } from "../running-program.ts";
import { findProgram, folderArgs, holds, isThere, realOf, type Args, type Bounds } from "./system.ts";

/** They are told in their arguments what to run. */
const INTERPRETERS =
  /^(?:node|nodejs|bun|deno|tsx|ts-node|python[\d.]*|pypy[\d.]*|ruby|perl|php|java|sh|bash)$/;
/** In the folder of a package there is one of these. */
const PACKAGE_FILES = ["package.json", "pyproject.toml"];

/** Read-only, each where it is. Throws REFUSED where there is no such program or folder. */
export function programFiles(order: ProgramOrder, variables: NodeJS.ProcessEnv, bounds: Bounds): Args {
  const { command, args, cwd, env } = order;
  const path = command.includes("/")
    ? resolve(cwd, command)
    : findProgram(command, env["PATH"] ?? variables["PATH"] ?? "");
  if (path === undefined || !existsSync(path) || !existsSync(cwd)) throw notStarted(order, "ENOENT");
  const script = INTERPRETERS.test(basename(command))
    ? args.map((arg) => resolve(cwd, arg)).find((arg) => statSync(arg, { throwIfNoEntry: false })?.isFile())
    : undefined;
  const isHidden = (shown: string): boolean =>
    isProtected(shown.split("/").filter((name) => name !== "" && name !== "node_modules")) ||
    isInside(bounds.workspace, shown) ||
    isThere(shown);
  const isHiddenFolder = (folder: string): boolean => isHidden(folder) || isHidden(realOf(folder) ?? folder);
  const files = [path, script].flatMap((file) => {
    if (file === undefined) return [];
    const real = realOf(file) ?? file;
    const whole = [dirname(file), ...packageOf(real)].filter((folder) => !isHiddenFolder(folder));
    // Of a folder that holds more than that no more is shown than the file.
    return [
      ...folderArgs(whole, variables, bounds),
      ...[file, real].filter((one) => !isHidden(one)).flatMap((one) => ["--ro-bind", real, one]),
    ];
  });
  const isOwn = isHiddenFolder(cwd) || holds(realOf(cwd) ?? cwd, variables, bounds);
  return [...files, ...(isOwn ? [] : ["--ro-bind", cwd, cwd])];
}

/** Its folder or that of its package, and the folders of packages that Node would look into for it. */
function packageOf(file: string): readonly string[] {
  const above: string[] = [];
  for (let folder = dirname(file); folder !== "/"; folder = dirname(folder)) above.push(folder);
  const whole = above.find((folder) => PACKAGE_FILES.some((name) => existsSync(join(folder, name))));
  const packages = above.map((folder) => join(folder, "node_modules")).filter((folder) => existsSync(folder));
  return [dirname(file), ...(whole === undefined ? [] : [whole]), ...packages];
}
