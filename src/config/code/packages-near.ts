// What package.json files say of the code beside and below them, and where the packages are that they name.

import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fieldsOf, readJson } from "../../base/text/json.ts";

const PACKAGE_NAME = /^(?:@[\w.~-]+\/)?[\w~][\w.~-]*$/;

/** Its fields; empty if there is none that can be read. */
export async function readPackageFile(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const path = join(folder, "package.json");
  // Opening a pipe would wait for its other end.
  const isFile = (await stat(path).catch(() => undefined))?.isFile();
  return fieldsOf(readJson(isFile ? await readFile(path, "utf8").catch(() => "") : ""));
}

/** What of a package.json has a say in how imports are read; all of it where that is not to be told. */
export function meaningOf(content: Buffer): string | Buffer {
  const read = readJson(content.toString("utf8"));
  if (typeof read !== "object" || read === null) return content;
  const { name, type, main, exports, imports } = fieldsOf(read);
  return JSON.stringify({ name, type, main, exports, imports });
}

/** The packages that `folder` says it needs. */
export async function dependenciesOf(folder: string): Promise<readonly string[]> {
  const { dependencies, optionalDependencies, peerDependencies } = await readPackageFile(folder);
  return [dependencies, optionalDependencies, peerDependencies].flatMap((names) =>
    Object.keys(fieldsOf(names)),
  );
}

/** The folder of the package that a file in `folder` gets by `name`; `undefined` if none is installed. */
export async function findPackage(folder: string, name: string): Promise<string | undefined> {
  if (!PACKAGE_NAME.test(name)) return undefined;
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, "node_modules", name);
    if ((await stat(path).catch(() => undefined))?.isDirectory()) return path;
    if (at === dirname(at)) return undefined;
  }
}
