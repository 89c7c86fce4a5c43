import * as fs from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { copyWorkspace, type CopyOrder } from "../../../src/environment/workspace/copy.ts";
import { gitIsThere } from "../../git.ts";
import { everythingIn, git, repository, write } from "./trees.ts";

let folder: string;
let source: string;
let target: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "legion-copy-")));
  source = join(folder, "source");
  target = join(folder, "out", "one");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const copy = (more: Partial<CopyOrder> = {}) =>
  copyWorkspace({ source, target, variables: process.env, ...more });

describe.runIf(gitIsThere)("a copy of a repository", () => {
  /** Works in the copy as an agent does, and says what is to be seen of it in the source. */
  const workIn = (copied: string): void => {
    write(copied, { "new.txt": "new" });
    git(copied, "add", "-A");
    git(copied, "commit", "-qm", "by an agent");
    git(copied, "gc", "-q", "--prune=now");
  };

  it("has what the person sees, committed or not, and shares no object with the source (G6)", async () => {
    repository(source, { "a.txt": "a", ".gitignore": "node_modules\n" });
    write(source, {
      "a.txt": "changed",
      "staged.txt": "s",
      "untracked.txt": "u",
      "node_modules/p/index.js": "",
    });
    git(source, "add", "staged.txt");
    const status = git(source, "status", "--porcelain", "--ignored");
    const before = everythingIn(source);
    await copy();
    expect(git(target, "status", "--porcelain", "--ignored")).toBe(status);
    expect(git(target, "diff", "--cached", "--name-only")).toBe("staged.txt\n");
    const objects = Object.keys(everythingIn(join(target, ".git/objects"))).filter(
      (path) => !path.endsWith("/"),
    );
    expect(objects.length).toBeGreaterThan(2);
    for (const path of objects) expect(fs.statSync(join(target, ".git/objects", path)).nlink, path).toBe(1);
    workIn(target);
    expect(everythingIn(source)).toEqual(before);
  });

  it("of a worktree is a repository of its own, at the same commit, with the same changes (G6)", async () => {
    const main = repository(join(folder, "main"), { "a.txt": "a" });
    git(main, "worktree", "add", "-q", "-b", "topic", source);
    write(source, { "b.txt": "b" });
    git(source, "add", "b.txt");
    git(source, "commit", "-qm", "two");
    write(source, { "a.txt": "changed" });
    const before = [everythingIn(main), everythingIn(source)];
    expect(await copy()).toEqual([]);
    expect(git(target, "log", "--format=%s")).toBe("two\none\n");
    expect(git(target, "rev-parse", "--abbrev-ref", "HEAD")).toBe("topic\n");
    expect(git(target, "status", "--porcelain")).toBe(" M a.txt\n");
    workIn(target);
    expect(git(target, "worktree", "list").split("\n")).toHaveLength(2);
    expect([everythingIn(main), everythingIn(source)]).toEqual(before);
  });

  it("has its submodules, and the worktrees that lie in it, as repositories of the copy (G6)", async () => {
    const other = repository(join(folder, "other"), { "lib.txt": "l" });
    repository(source, { "a.txt": "a", ".gitignore": "trees\n" });
    git(source, "submodule", "--quiet", "add", other, "lib");
    git(source, "commit", "-qam", "two");
    git(source, "worktree", "add", "-q", "-b", "topic", join(source, "trees/topic"));
    const before = everythingIn(source);
    await copy();
    for (const part of ["lib", "trees/topic"]) {
      const at = join(target, part);
      expect(git(at, "rev-parse", "--show-toplevel"), part).toBe(`${at}\n`);
      expect(fs.realpathSync(resolve(at, git(at, "rev-parse", "--git-dir").trim())), part).toContain(target);
      workIn(at);
    }
    expect(git(target, "worktree", "list").split("\n")).toHaveLength(2);
    expect(everythingIn(source)).toEqual(before);
    const submodule = join(folder, "out/submodule");
    await copy({ source: join(source, "lib"), target: submodule });
    workIn(submodule);
    expect(git(submodule, "log", "--format=%s")).toBe("by an agent\none\n");
    expect(everythingIn(source)).toEqual(before);
  });

  it("finds what it borrows: what was copied in the copy, and else where it is, which is said", async () => {
    const other = repository(join(folder, "other"), { "a.txt": "a" });
    git(folder, "clone", "-q", "--shared", other, source);
    repository(join(source, "inner"), { "b.txt": "b" });
    git(source, "clone", "-q", "--shared", join(source, "inner"), join(source, "borrower"));
    const remarks = await copy();
    expect(remarks).toEqual([
      `\`.git/objects/info/alternates\` borrows objects from ${other}/.git/objects, which no sandbox shows; \`git repack -ad\` ends that`,
    ]);
    expect(git(target, "log", "--format=%s")).toBe("one\n");
    expect(fs.readFileSync(join(target, "borrower/.git/objects/info/alternates"), "utf8")).toBe(
      `${target}/inner/.git/objects\n`,
    );
    expect(git(join(target, "borrower"), "log", "--format=%s")).toBe("one\n");
  });

  it("borrows nothing from the source, however that is written (G6)", async () => {
    repository(source, { "a.txt": "a" });
    const inner = repository(join(source, "inner"), { "b.txt": "b" });
    fs.symlinkSync(source, join(folder, "app"));
    fs.symlinkSync("..", join(source, "d"));
    const objects = `${inner}/.git/objects`;
    const lines = join(source, "of\n", objects);
    fs.mkdirSync(lines, { recursive: true });
    fs.symlinkSync(lines, join(source, "two"));
    const ways = [
      objects,
      "../../../inner/.git/objects",
      "../../../../source/inner/.git/objects",
      "../../../../app/inner/.git/objects",
      "../../../d/app/inner/.git/objects",
      `"${objects}"`,
      `"${objects.replaceAll("/", "\\057")}"`,
      // Git takes what comes behind the quotes, less one character, for a line.
      `"nowhere",${objects}`,
      `"no\nwhere",${objects}`,
      // A path of two lines, each of which is one.
      join(source, "two"),
    ];
    for (const [index, way] of ways.entries()) {
      const borrower = join(source, "borrower");
      git(folder, "clone", "-q", "--shared", inner, borrower);
      write(borrower, { ".git/objects/info/alternates": `${way}\n` });
      const copied = join(folder, `copied${index}`);
      const remarks = await copy({ target: copied });
      const told = git(join(copied, "borrower"), "count-objects", "-v");
      const lent = /^alternate: (.*)$/m.exec(told)?.[1];
      if (lent !== undefined) expect(fs.realpathSync(lent), way).toBe(join(copied, "inner/.git/objects"));
      else
        expect(remarks.join("\n"), way).toMatch(
          /`borrower\/\.git\/objects\/info\/alternates`: left out a line/,
        );
      if (lent !== undefined) expect(git(join(copied, "borrower"), "log", "--format=%s")).toBe("one\n");
      fs.rmSync(borrower, { recursive: true });
    }
  });

  it("works in its own folder, whatever folder of the source a setting names (G6)", async () => {
    repository(source, { "a.txt": "a" });
    fs.symlinkSync("..", join(source, "d"));
    for (const [index, named] of [source, "../../source", "../d/source"].entries()) {
      git(source, "config", "core.worktree", named);
      const copied = join(folder, `copied${index}`);
      await copy({ target: copied });
      const before = everythingIn(source);
      expect(git(copied, "rev-parse", "--show-toplevel"), named).toBe(`${copied}\n`);
      workIn(copied);
      expect(everythingIn(source), named).toEqual(before);
    }
  });

  it("takes no lock along of whoever works in the source at this moment", async () => {
    repository(source, { "a.txt": "a" });
    write(source, { ".git/index.lock": "", "yarn.lock": "kept" });
    await copy();
    workIn(target);
    expect(git(target, "ls-files")).toBe("a.txt\nnew.txt\nyarn.lock\n");
  });
});

describe.runIf(gitIsThere)("hostile: workspaces", () => {
  it("a file .git that names a repository of the person's is not believed, and no object of that one is copied", async () => {
    const theirs = repository(join(folder, "private"), { "secret.txt": "canary" });
    write(source, { "a.txt": "a", ".git": `gitdir: ${theirs}/.git\n` });
    const remarks = await copy();
    expect(fs.readdirSync(target)).toEqual(["a.txt"]);
    expect(remarks).toEqual([
      "left out `.git`: it leads to a repository elsewhere, which does not know of it",
    ]);
  });

  it("a repository that says it shares with one of the person's brings nothing of that one along", async () => {
    const theirs = repository(join(folder, "private"), { "secret.txt": "canary" });
    const before = everythingIn(theirs);
    const half = { HEAD: "ref: refs/heads/main\n", commondir: `${theirs}/.git\n` };
    for (const [path, text] of Object.entries(half))
      write(source, { [`.git/${path}`]: text, [`half/${path}`]: text });
    write(source, { "sub/.git": "gitdir: ../half\n", "again/.git": `gitdir: ${source}/half\n` });
    expect(await copy()).toHaveLength(2);
    for (const part of ["", "sub", "again"]) {
      expect(fs.existsSync(join(target, part, ".git/objects")), part).toBe(false);
      expect(() => git(join(target, part), "commit", "--allow-empty", "-m", "x"), part).toThrow();
    }
    expect(everythingIn(theirs)).toEqual(before);
  });

  it("a link .git, and links in .git, that lead to a repository of the person's are left out", async () => {
    const theirs = repository(join(folder, "private"), { "secret.txt": "canary" });
    repository(source, { "a.txt": "a" });
    write(source, { "sub/b.txt": "b" });
    fs.symlinkSync(join(theirs, ".git"), join(source, "sub/.git"));
    fs.rmSync(join(source, ".git/objects"), { recursive: true });
    fs.symlinkSync(join(theirs, ".git/objects"), join(source, ".git/objects"));
    const before = everythingIn(theirs);
    const remarks = await copy();
    expect(remarks).toHaveLength(2);
    expect(fs.existsSync(join(target, "sub/.git"))).toBe(false);
    expect(fs.existsSync(join(target, ".git/objects"))).toBe(false);
    expect(() => git(target, "log")).toThrow();
    expect(everythingIn(theirs)).toEqual(before);
  });

  it("what a repository would have git run is not run while it is copied", async () => {
    const main = repository(join(folder, "main"), { "a.txt": "a", ".gitattributes": "* filter=evil\n" });
    git(main, "worktree", "add", "-q", "-b", "topic", source);
    const evil = `touch ${join(folder, "harm")}`;
    for (const key of [
      "core.fsmonitor",
      "filter.evil.smudge",
      "filter.evil.clean",
      "core.pager",
      "alias.config",
    ])
      git(main, "config", key, key.startsWith("alias") ? `!${evil}` : evil);
    await copy();
    expect(fs.existsSync(join(folder, "harm"))).toBe(false);
  });
});
