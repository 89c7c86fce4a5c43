// What git is told in a copy of where its repositories are: each is the copy's own.
// @see https://git-scm.com/docs/gitrepository-layout

import * as fs from "node:fs";
import { dirname, join, normalize, relative, resolve } from "node:path";
import { isLegionError } from "../../base/errors.ts";
import { isInside } from "../../base/files/project-file.ts";
import type { Variables } from "../../base/process/variables.ts";
import { quote } from "../../base/text/wording.ts";
import { createGit, NO_REPOSITORY, type Git } from "./git.ts";
import { asBytes, asText, settleLink } from "./links.ts";
import { isWhole, knowsOf, readGitFile, realOf, sharedBy } from "./repository.ts";
import { copyTree, type FoundRepositories, type TreeOrder } from "./tree.ts";

interface CopySettling {
  readonly tree: TreeOrder;
  /** Of repositories alone. */
  readonly git: () => Git;
}

/** Which of the folders of a repository all its worktrees share. */
const SHARED = new Set(
  "annex config description hooks info lfs logs objects packed-refs refs reftable shallow".split(" "),
);
/** What only a worktree, or a repository with submodules, has. */
const OTHERS = new Set("commondir gitdir locked modules worktrees".split(" "));

/** @param found in the source of `tree`, all of which is copied; by their names */
export async function settleRepositories(
  found: FoundRepositories,
  tree: TreeOrder,
  variables: Variables,
): Promise<void> {
  let opened: Git | undefined;
  const settling = { tree, git: () => (opened ??= createGit(variables)) };
  for (const names of found.gits) await settleGit(names, settling);
  for (const names of found.settings) await settleWorkTree(names, settling);
  for (const names of found.alternates) settleAlternates(names, tree);
}

/** A folder is there already. What only points to one somewhere else is made one, if that one knows of it. */
async function settleGit(names: readonly string[], settling: CopySettling): Promise<void> {
  const { source, target, remark } = settling.tree;
  const [from, to] = [join(source, ...names), join(target, ...names)];
  const kind = fs.lstatSync(to, { throwIfNoEntry: false });
  if (!kind || kind.isDirectory()) return;
  const leads = kind.isFile() ? readGitFile(from) : { gitDir: fs.readlinkSync(to), isRelative: true };
  const gitDir = leads && realOf(resolve(dirname(from), leads.gitDir));
  const isCopied = gitDir !== undefined && isInside(source, gitDir);
  if (isCopied && leads?.isRelative && sharedBy(gitDir) === gitDir) return;
  fs.rmSync(to, { force: true });
  const isKnown = async (at: string): Promise<boolean> =>
    isWhole(at) && (isCopied || (await knowsOf(at, from, settling.git)));
  if (gitDir && kind.isFile() && (await isKnown(gitDir))) return adopt({ gitDir, names }, settling);
  remark(`left out ${quote(names.join("/"))}: it leads to a repository elsewhere, which does not know of it`);
}

interface Adoption {
  /** Real path of the folder in which git keeps what belongs to this one. */
  readonly gitDir: string;
  readonly names: readonly string[];
}

/** Makes a repository of its own of a worktree, or of a submodule. */
async function adopt({ gitDir, names }: Adoption, { tree, git }: CopySettling): Promise<void> {
  const [target, lasting] = [join(tree.target, ...names), join(tree.lasting, ...names)];
  const shared = sharedBy(gitDir);
  const bring = async (source: string, isPart: (name: string) => boolean): Promise<void> => {
    const isLeft: TreeOrder["isLeft"] = (path) => !isPart(path[0]!) || path.at(-1)!.endsWith(".lock");
    const part: TreeOrder = { ...tree, source, target, lasting, isLeft, kind: "repository" };
    const { alternates } = await copyTree(part);
    for (const found of alternates) settleAlternates(found, part);
  };
  await bring(gitDir, (name) => !OTHERS.has(name));
  if (shared !== gitDir) await bring(shared, (name) => SHARED.has(name));
  const set = (file: string, ...args: readonly string[]): Promise<string> =>
    git()(NO_REPOSITORY, "config", "--file", join(target, file), ...args);
  await set("config", "core.bare", "false");
  for (const file of ["config", "config.worktree"])
    if (fs.existsSync(join(target, file))) await unless(set(file, "--unset-all", "core.worktree"));
}

/** Git works in the folder that a setting names: in the copy that is none of the source. */
async function settleWorkTree(names: readonly string[], { tree, git }: CopySettling): Promise<void> {
  const { source, target, lasting, remark } = tree;
  const file = join(target, ...names);
  if (!/worktree/i.test(fs.readFileSync(file, "latin1"))) return;
  const config = (...args: readonly string[]): Promise<string> =>
    git()(NO_REPOSITORY, "config", "--file", file, "--includes", ...args);
  const said = (await unless(config("--get", "core.worktree")))?.replace(/\n$/, "");
  if (said === undefined) return;
  const [path, from] = [asBytes(said), asBytes(source)];
  const { leads, text } = settleLink(asBytes(join(source, ...names)), path, from);
  const isOurs = leads !== undefined && isInside(from, leads);
  if (isOurs && text === path) return;
  const own = isOurs ? asText(relative(from, leads)) : join(...names, "../..");
  await config("core.worktree", join(lasting, own));
  remark(`${quote(names.join("/"))} named a folder to work in; in the copy it names one of the copy`);
}

/** Objects that a repository borrows are found in the copy if they were copied, else where they are. */
function settleAlternates(names: readonly string[], { source, target, lasting, remark }: TreeOrder): void {
  const file = join(target, ...names);
  const [from, to] = [asBytes(source), asBytes(lasting)];
  const objects = asBytes(join(source, ...names, "../.."));
  const shown = quote(names.join("/"));
  const leaveOut = (what: string): readonly string[] => {
    remark(`${shown}: left out a line ${what}`);
    return [];
  };
  const settle = (line: string): readonly string[] => {
    if (line === "" || line.startsWith("#")) return [line];
    // What git takes for its end may be in another line.
    if (line.startsWith('"')) return leaveOut("in quotes; write it without them");
    // Git goes no step up along a link.
    const path = normalize(line);
    const { leads, text } = settleLink(join(objects, "info"), path, from);
    if (leads === undefined || leads.includes("\n")) return leaveOut("that leads nowhere");
    if (isInside(from, leads)) return [text === path ? line : join(to, relative(from, leads))];
    remark(
      `${shown} borrows objects from ${asText(leads)}, which no sandbox shows; \`git repack -ad\` ends that`,
    );
    return [leads];
  };
  const before = fs.readFileSync(file, "latin1");
  const after = before.split("\n").flatMap(settle).join("\n");
  if (after !== before) fs.writeFileSync(file, after, "latin1");
}

/** `undefined` where git says that there is nothing. */
async function unless(answer: Promise<string>): Promise<string | undefined> {
  return answer.catch((error: unknown) => {
    if (isLegionError(error, "REFUSED")) return undefined;
    throw error;
  });
}
