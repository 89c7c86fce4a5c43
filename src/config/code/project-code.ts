// The code that a module of a project brings along: its file, what that imports, and so on, found without running any of
// it. Packages count as a whole, with those that they say they need.

import { realpath, stat } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, extname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { countFiles, type CountedFiles } from "./counted-files.ts";
import { importsIn } from "./imports-in.ts";
import { dependenciesOf, findPackage, readPackageFile } from "./packages-near.ts";
import { isInside } from "../../base/files/project-file.ts";

export interface ProjectCode {
  /** What would be loaded: relative to the project with `/`, sorted; `../` leads out of it. */
  readonly files: readonly string[];
  /** Changes with the name and the content of each file; of a package.json only with what it says of imports. */
  readonly hash: string;
  /** Where no text tells what is loaded, such as `a.mjs: import(...)`: then all code of the project is in `files`. */
  readonly untold: readonly string[];
  /** Where a new or another file would be loaded: paths relative to the project, of files and of whole folders. */
  readonly places: readonly string[];
}

/** A file without an ending can be code, too. */
const CODE = new Set([".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ""]);
const LOADED = new Set([...CODE, ".json", ".node", ".wasm"]);
/** What `require` tries to add to a name, and in a folder. */
const SUFFIXES = ["", ".js", ".json", ".node"];
const INDEXES = ["index.js", "index.json", "index.node"];
const NO_CODE_OF_PROJECT = new Set([".git", ".ai-legion", "node_modules"]);
/** Always ours, wherever it is imported. */
const OWN = /^ai-legion(?:\/|$)/;

/** The code of the module files `modules`, absolute paths. Throws CONFIG if there is more than can be looked at. */
export function codeOf(projectDir: string, modules: readonly string[]): Promise<ProjectCode> {
  return surveyOf(projectDir, modules, "all");
}

/** The `places` of `codeOf`, which are found without reading all that packages hold. */
export async function placesOf(projectDir: string, modules: readonly string[]): Promise<readonly string[]> {
  return (await surveyOf(projectDir, modules, "imported")).places;
}

async function surveyOf(
  projectDir: string,
  modules: readonly string[],
  depth: CodeSurvey["depth"],
): Promise<ProjectCode> {
  const project = await realpath(projectDir);
  const survey: CodeSurvey = {
    depth,
    project,
    counted: countFiles(project),
    packages: new Set(),
    places: new Set(),
    untold: new Set(),
  };
  for (const module of modules) await follow(survey, module);
  return { ...survey.counted.sum(), untold: [...survey.untold].sort(), places: [...survey.places].sort() };
}

interface CodeSurvey {
  /** Are files read that nothing names: those of packages, and of a project where no text tells what is loaded? */
  readonly depth: "all" | "imported";
  /** Real path. */
  readonly project: string;
  readonly counted: CountedFiles;
  /** Real paths of their folders. */
  readonly packages: Set<string>;
  readonly places: Set<string>;
  readonly untold: Set<string>;
}

function claim({ project, places }: CodeSurvey, path: string): void {
  if (isInside(project, path) && path !== project) places.add(relative(project, path));
}

async function follow(survey: CodeSurvey, file: string): Promise<void> {
  const real = await realpath(file);
  claim(survey, file);
  claim(survey, real);
  const content = await survey.counted.take(real);
  if (!content) return;
  const names = await packageFilesOver(survey, real);
  if (!CODE.has(extname(real))) return;
  const { specifiers, untold } = importsIn(content.toString("utf8"));
  if (untold.length > 0) await giveUp(survey, real, untold.join(", "));
  for (const specifier of specifiers) {
    if (isBuiltin(specifier) || OWN.test(specifier)) continue;
    const paths = pathsOf(specifier, real);
    for (const path of paths) await followPath(survey, path);
    if (paths.length === 0) await followName(survey, { file: real, specifier, names });
  }
}

/** Counts every package.json that has a say in how `file` is loaded; returns the names that code there has by itself. */
async function packageFilesOver(survey: CodeSurvey, file: string): Promise<readonly unknown[]> {
  const names: unknown[] = [];
  for (let folder = dirname(file); isInside(survey.project, folder); folder = dirname(folder)) {
    const path = join(folder, "package.json");
    claim(survey, path);
    if (!(await isFile(path))) continue;
    await survey.counted.take(await realpath(path));
    names.push((await readPackageFile(folder))["name"]);
  }
  return names;
}

/** No text tells what else `file` loads: it may be anything of the project. */
async function giveUp(
  { depth, project, counted, untold }: CodeSurvey,
  file: string,
  why: string,
): Promise<void> {
  const isFirst = untold.size === 0;
  untold.add(`${counted.shown(file)}: ${why}`);
  if (!isFirst || depth === "imported") return;
  await counted.takeAll(project, ({ name, kind }) =>
    kind === "folder" ? !NO_CODE_OF_PROJECT.has(name) : LOADED.has(extname(name)),
  );
}

/** The files that `specifier` may mean; none if it is no path. `import` reads it as a URL, `require` as it is. */
function pathsOf(specifier: string, file: string): readonly string[] {
  if (!/^(?:\.{0,2}\/|\.{1,2}$|file:)/.test(specifier)) return [];
  const plain = specifier.startsWith("file:") ? [] : [resolve(dirname(file), specifier)];
  try {
    return [...new Set([fileURLToPath(new URL(specifier, pathToFileURL(file))), ...plain])];
  } catch {
    return plain;
  }
}

async function followPath(survey: CodeSurvey, path: string): Promise<void> {
  if (await isFile(path)) return follow(survey, path);
  for (const candidate of SUFFIXES.map((suffix) => path + suffix)) {
    claim(survey, candidate);
    if (await isFile(candidate)) await follow(survey, candidate);
  }
  const { main } = await readPackageFile(path);
  const inside = [...INDEXES, ...(typeof main === "string" ? SUFFIXES.map((suffix) => main + suffix) : [])];
  for (const candidate of inside.map((name) => join(path, name)))
    if (await isFile(candidate)) await follow(survey, candidate);
}

interface Named {
  readonly file: string;
  readonly specifier: string;
  /** Of the packages that `file` is part of. */
  readonly names: readonly unknown[];
}

async function followName(survey: CodeSurvey, { file, specifier, names }: Named): Promise<void> {
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? "";
  const isMapped = specifier.startsWith("#") || specifier.includes(":") || names.includes(name);
  if (isMapped) return giveUp(survey, file, JSON.stringify(specifier));
  const folder = await findPackage(dirname(file), name);
  if (folder !== undefined) await takePackage(survey, folder);
}

async function takePackage(survey: CodeSurvey, folder: string): Promise<void> {
  const real = await realpath(folder);
  if (survey.packages.has(real)) return;
  survey.packages.add(real);
  claim(survey, real);
  // A link may lead to the project itself, whose state changes with every start.
  const state = join(survey.project, ".ai-legion");
  if (survey.depth === "all")
    await survey.counted.takeAll(real, ({ name, path }) => name !== ".git" && path !== state);
  for (const name of await dependenciesOf(real)) {
    const needed = await findPackage(real, name);
    if (needed !== undefined) await takePackage(survey, needed);
  }
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}
