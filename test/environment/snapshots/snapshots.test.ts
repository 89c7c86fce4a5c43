import { existsSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createGit } from "../../../src/environment/workspace/git.ts";
import { projectRepository } from "../../../src/environment/workspace/repository.ts";
import { openWorktree } from "../../../src/environment/workspace/worktree.ts";
import { bubblewrapIsThere } from "../opened.ts";
import { everythingIn, git, write } from "../workspace/trees.ts";
import { createSnapshotYard, sidesOf } from "./yard.ts";

describe.runIf(bubblewrapIsThere)("what a command changed in a repository", () => {
  it("is told with both sides, of tracked files and new ones", async () => {
    const yard = await createSnapshotYard({ "a.txt": "a\n", "b/c.txt": "c\n", gone: "g\n", "f/x": "x\n" });
    write(yard.project, { "a.txt": "by the person\n", untracked: "u\n" });
    const command =
      "echo A > a.txt; echo new > 'b/n w'; rm gone; echo U > untracked; ln -s a.txt link; rm -r f; echo f > f; echo no > ignored";
    expect(sidesOf(await yard.recorded(command))).toEqual({
      ...{ "a.txt": "by the person -> A", "b/n w": "- -> new", gone: "g -> -", untracked: "u -> U" },
      ...{ link: "- -> @a.txt", f: "/ -> f", "f/x": "x -> -" },
    });
    const odd = 'tab\t"quoted" \\ä\n.txt';
    writeFileSync(join(yard.project, odd), "o\n");
    expect(sidesOf(await yard.recorded('for f in tab*; do echo O > "$f"; done'))).toEqual({
      [odd]: "o -> O",
    });
    expect(sidesOf(await yard.recorded("true"))).toEqual({});
    expect(sidesOf(await yard.recorded("echo again > a.txt; rm f; mkdir f; echo y > f/y"))).toEqual({
      ...{ "a.txt": "A -> again", f: "f -> /", "f/y": "- -> y" },
    });
  });

  it("is found without a trace in the project's index, refs and objects (E11)", async () => {
    const yard = await createSnapshotYard({ "a.txt": "a\n", "b.txt": "b\n" });
    write(yard.project, { "a.txt": "changed\n", "b.txt": "a\n" });
    const before = everythingIn(join(yard.project, ".git"));
    expect(sidesOf(await yard.recorded("cp a.txt c.txt; echo b > b.txt"))).toEqual({
      ...{ "b.txt": "a -> b", "c.txt": "- -> changed" },
    });
    expect(everythingIn(join(yard.project, ".git"))).toEqual(before);
  });

  it("is what was there byte by byte, whatever attributes say, and no filter, hook or monitor is run (E10, E12)", async () => {
    const yard = await createSnapshotYard({});
    const evil = join(yard.project, "evil");
    const run = `touch ${evil} /tmp/evil`;
    write(yard.project, {
      ".gitattributes":
        "* text=auto\n*.rot filter=rot ident\n*.lfs filter=pointer\n*.utf working-tree-encoding=UTF-16\n",
      "dos.txt": "a\r\nb\r\n",
      ...{ "x.rot": "abc $Id$\n", "y.lfs": "large\n", "z.utf": "\ufeff\0z" },
    });
    // What the person's own git made of them: other bytes, of the same length or not.
    git(yard.project, "config", "filter.rot.clean", "tr a-z n-za-m");
    git(yard.project, "config", "filter.pointer.clean", "cat > /dev/null; echo pointer");
    git(yard.project, "add", "dos.txt", "x.rot", "y.lfs", ".gitattributes");
    git(yard.project, "commit", "-qm", "two");
    for (const name of ["rot", "pointer"]) git(yard.project, "config", `filter.${name}.clean`, run);
    git(yard.project, "config", "core.fsmonitor", `${run}; false`);
    git(yard.project, "config", "diff.external", run);
    for (const name of ["pre-commit", "post-index-change", "reference-transaction"])
      writeFileSync(join(yard.project, ".git/hooks", name), `#!/bin/sh\n${run}\n`, { mode: 0o755 });
    const changes = await yard.recorded("for f in dos.txt x.rot y.lfs z.utf; do echo new > $f; done");
    expect(sidesOf(changes)).toEqual({
      ...{ "dos.txt": "a\r\nb -> new", "x.rot": "abc $Id$ -> new", "y.lfs": "large -> new" },
      "z.utf": `${Buffer.from("\ufeff\0z").toString("latin1")} -> new`,
    });
    expect(existsSync(evil)).toBe(false);
    expect(sidesOf(await yard.recorded("test ! -e /tmp/evil && touch none"))).toEqual({ none: "- -> " });
  });

  it("holds nothing that has not the hash it is named by, and nothing that alternates only promise (E12)", async () => {
    const yard = await createSnapshotYard({ a: "aaaa\n", b: "bbbb\n" });
    // Not so new that git would read it again.
    utimesSync(join(yard.project, "a"), 1, 1);
    git(yard.project, "update-index", "--refresh");
    const objects = join(yard.project, ".git/objects");
    const [id, other] = ["a", "b"].map((name) => git(yard.project, "rev-parse", `:${name}`).trim());
    const at = (one: string): string => join(objects, one.slice(0, 2), one.slice(2));
    await yard.run(
      `cp -f ${at(other!)} ${at(id!)} || { chmod u+w ${at(id!)}; cp -f ${at(other!)} ${at(id!)}; }`,
    );
    expect(git(yard.project, "cat-file", "blob", id!)).toBe("bbbb\n");
    mkdirSync(join(objects, "info"), { recursive: true });
    writeFileSync(join(objects, "info/alternates"), "/nowhere\n/proc/self/root\n");
    expect(sidesOf(await yard.recorded("echo new > a"))).toEqual({
      a: "(it is too big, or git does not have it) -> new",
    });
  });

  it("is what the person saved in the moment after git had looked (E12)", async () => {
    const yard = await createSnapshotYard({ a: "aaaa\n" });
    writeFileSync(join(yard.project, "a"), "bbbb\n");
    git(yard.project, "add", "a");
    writeFileSync(join(yard.project, "a"), "cccc\n");
    expect(sidesOf(await yard.recorded("echo new > a"))).toEqual({ a: "cccc -> new" });
  });

  it("is not known where refs were moved, and what git ignores, submodules and repositories in there are not told of", async () => {
    const yard = await createSnapshotYard({ a: "a\n" });
    for (const name of ["inner", "nested/deep"]) {
      mkdirSync(join(yard.project, name), { recursive: true });
      git(join(yard.project, name), "init", "-q");
      git(join(yard.project, name), "commit", "-qm", "x", "--allow-empty");
    }
    expect(
      sidesOf(await yard.recorded("echo x > inner/x; echo x > nested/deep/x; echo y > ignored")),
    ).toEqual({});
    const moved = "branches or other refs were moved";
    expect(sidesOf(await yard.recorded("echo b > a; git commit -qam two"))).toBe(moved);
    expect(sidesOf(await yard.recorded("git checkout -qb side"))).toBe(moved);
    expect(sidesOf(await yard.recorded("git tag one"))).toBe(moved);
    expect(sidesOf(await yard.recorded("git add -A a; echo c > a"))).toEqual({ a: "b -> c" });
    expect(sidesOf(await yard.recorded("git -C inner commit -q --allow-empty -m z"))).toEqual({
      inner: "(it is a repository of its own) -> (it is a repository of its own)",
    });
  });

  it("is not known past a limit, and no other command waits for that soon", async () => {
    const slow = await createSnapshotYard({ a: "a\n" }, { limits: { files: 100_000, ms: 1 } });
    expect(sidesOf(await slow.recorded("echo b > a"))).toBe("git took longer than 0.001 s");
    expect(sidesOf(await slow.recorded("echo c > a"))).toBe("git took longer than 0.001 s");
    const big = await createSnapshotYard({ a: "a\n", b: "b\n" }, { limits: { files: 2, ms: 60_000 } });
    expect(sidesOf(await big.recorded("echo b > a"))).toBe("it has more than 2 files");
  });

  it("is not asked where there is no repository, and is not known of one that is kept elsewhere or damaged", async () => {
    const yard = await createSnapshotYard({ a: "a\n" });
    const repository = join(yard.project, ".git");
    writeFileSync(join(repository, "index"), "no index");
    expect(sidesOf(await yard.recorded("echo b > a"))).toMatch(/^git: /);
    rmSync(repository, { recursive: true });
    expect(sidesOf(await yard.recorded("echo c > a"))).toBe("nobody looked");
    symlinkSync("/etc", repository);
    expect(sidesOf(await yard.recorded("echo d > a"))).toBe("its repository is kept elsewhere");
    const empty = await createSnapshotYard({ a: "a\n" });
    mkdirSync(join(empty.project, "inner"));
    git(join(empty.project, "inner"), "init", "-q");
    expect(sidesOf(await empty.recorded("echo b > a"))).toBe(
      "git: 'inner/' does not have a commit checked out",
    );
    const local = await createSnapshotYard({ a: "a\n" }, { kind: "local" });
    expect(sidesOf(await local.recorded("echo b > a"))).toBe("nobody looked");
  });

  it("is known in a worktree as in the project, and of several agents at once", async () => {
    const outer = await createSnapshotYard({ a: "a\n" });
    const safe = createGit(process.env);
    const root = join(outer.project, ".ai-legion/workspaces/2");
    const from = await projectRepository(outer.project, safe);
    const { repository } = await openWorktree({ repository: from, root, branch: "legion/2" }, safe);
    const inner = await createSnapshotYard({}, { project: outer.project, workspace: root, repository });
    const before = everythingIn(join(outer.project, ".git"));
    expect(sidesOf(await inner.recorded("echo b > a; echo c > c"))).toEqual({ a: "a -> b", c: "- -> c" });
    expect(everythingIn(join(outer.project, ".git"))).toEqual(before);
    expect(sidesOf(await inner.recorded("git commit -qam two"))).toBe("branches or other refs were moved");
    const both = await Promise.all([inner.begin(), inner.begin()]);
    await inner.run("echo d > a");
    for (const one of both) {
      expect(sidesOf(await one!.end())).toEqual({ a: "b -> d" });
      await one!.close();
    }
  });

  it("does not take in what is hidden from commands", async () => {
    const yard = await createSnapshotYard({
      ".env": "KEY=1\n",
      a: "a\n",
      ".gitignore": "!.env\n/.ai-legion\n",
    });
    write(yard.project, { "deep/id_rsa": "key\n", "deep/.env": "KEY=2\n" });
    expect(sidesOf(await yard.recorded("cat .env deep/.env > a; rm -f .env"))).toEqual({
      a: "a -> ",
    });
  });
});
