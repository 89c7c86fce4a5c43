import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { holdByDescriptor, holdByPath } from "../../../../modules/system/confine/folder.ts";
import { system } from "../../../../modules/system/index.ts";
import { createTestHost } from "../../test-host.ts";
import { attempts } from "./attempts.ts";
import { createOutside, SECRET } from "./outside.ts";

const OUTSIDE = "The path must be inside the workspace.";

describe("hostile: paths", () => {
  const ways: [way: string, path: (outside: string, root: string) => string][] = [
    ["an absolute path", (outside) => join(outside, "secret")],
    ["a path through ..", (outside) => `../${outside.split("/").at(-1)}/secret`],
    [
      "a path through folders that do not exist",
      (outside) => `no/such/../../../${outside.split("/").at(-1)}/secret`,
    ],
    ["the folder above", () => ".."],
    ["a link to the file", () => "file-link"],
    ["a link to the folder", () => "folder-link/secret"],
    ["a link to a link", () => "link-to-link/secret"],
    ["a link to the folder above", () => "parent-link/bait"],
    ["a new file in a linked folder", () => "folder-link/new"],
    ["a new folder in a linked folder", () => "folder-link/new/file"],
    ["the root of this process", (outside) => `/proc/self/root${outside}/secret`],
    ["the working folder of this process", () => "/proc/self/cwd/package.json"],
    ["an open file of this process", () => "/proc/self/fd/0"],
    ["the root of the file system", () => "/"],
    ["a file that is not there", () => "/no/such/file"],
  ];

  it.each(ways)("a way out of the workspace is refused by every action: %s (F1)", async (_, toPath) => {
    const agent = createTestHost(system);
    const outside = createOutside(agent);
    agent.file("bait", "bait");
    symlinkSync(join(outside, "secret"), join(agent.root, "file-link"));
    symlinkSync(outside, join(agent.root, "folder-link"));
    symlinkSync("folder-link", join(agent.root, "link-to-link"));
    symlinkSync("..", join(agent.root, "parent-link"));
    const before = readdirSync(agent.root);

    const path = toPath(outside, agent.root);
    for (const [action, parameters] of attempts(path)) {
      // The link itself lies inside: deleting, moving or listing it touches nothing outside.
      const isOnLink = path === "file-link" && ["deleteFile", "moveFile", "outline"].includes(action);
      if (isOnLink) continue;
      const { outcome, content } = await agent.act(action, parameters);
      expect({ action, outcome, content }).toEqual({
        action,
        outcome: "error",
        content: `${OUTSIDE} Path: ${path}`,
      });
    }
    expect(readdirSync(agent.root)).toEqual(before);
    expect(readdirSync(outside)).toEqual(["secret"]);
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe(SECRET);
  });

  it("what is outside is not reached by moving or deleting a link to it (F1)", async () => {
    const agent = createTestHost(system);
    const outside = createOutside(agent);
    symlinkSync(join(outside, "secret"), join(agent.root, "link"));
    expect((await agent.act("moveFile", { sourcePath: "link", destinationPath: "moved" })).outcome).toBe(
      "ok",
    );
    expect((await agent.act("readFile", { path: "moved" })).outcome).toBe("error");
    expect((await agent.act("deleteFile", { path: "moved" })).outcome).toBe("ok");
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe(SECRET);
  });

  it("what is outside is not made by writing to a link that leads nowhere (F1)", async () => {
    const agent = createTestHost(system);
    const outside = createOutside(agent);
    symlinkSync(join(outside, "new"), join(agent.root, "link"));
    symlinkSync(join(outside, "folder"), join(agent.root, "folder-link"));
    await agent.act("writeFile", { path: "link", content: "x" });
    expect((await agent.act("writeFile", { path: "folder-link/file", content: "x" })).outcome).toBe("error");
    expect((await agent.act("createDirectory", { path: "folder-link/a" })).outcome).toBe("error");
    expect(readdirSync(outside)).toEqual(["secret"]);
  });

  it("what is outside is not written through a second name (F1)", async () => {
    const agent = createTestHost(system);
    const outside = createOutside(agent);
    linkSync(join(outside, "secret"), join(agent.root, "hard"));
    expect((await agent.act("writeFile", { path: "hard", content: "harm" })).outcome).toBe("error");
    expect((await agent.act("editFile", { path: "hard", oldText: "secret", newText: "harm" })).outcome).toBe(
      "error",
    );
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe(SECRET);
  });

  it.each([
    ["with NUL in it", "a\0b"],
    ["of two lines", "a\nb"],
    ["that moves a cursor", "\u001b[2J"],
    ["with half a character", "\ud800"],
    ["that is empty", ""],
    ["that is too long", "x/".repeat(3_000)],
  ])("a path %s is never looked for (F1)", async (_, path) => {
    const agent = createTestHost(system);
    agent.file("bait", "bait");
    for (const [action, parameters] of attempts(path))
      await expect(agent.act(action, parameters)).rejects.toThrow();
    expect(readdirSync(agent.root)).toEqual(["bait"]);
  });
});

describe("a path inside the workspace", () => {
  it("is taken for one, however it is written", async () => {
    const agent = createTestHost(system);
    agent.file("a/..b/c", "inside");
    symlinkSync(agent.root, `${agent.root}-alias`);
    onTestFinished(() => rmSync(`${agent.root}-alias`));
    for (const path of [
      "a/..b/c",
      "./a/../a//..b/c",
      `${agent.root}/a/..b/c`,
      `${agent.root}-alias/a/..b/c`,
    ]) {
      expect((await agent.act("readFile", { path })).content).toBe(
        `Contents of ${path} (1 line, 6 bytes):\ninside`,
      );
    }
  });
});

describe("what is no regular file", () => {
  it("is refused and never waited for", async () => {
    const agent = createTestHost(system);
    execFileSync("mkfifo", [join(agent.root, "pipe")]);
    for (const [action, parameters] of attempts("pipe").slice(0, 3)) {
      expect((await agent.act(action, parameters)).content).toBe("That is not a regular file. Path: pipe");
    }
  });
});

describe("a path that changes while it is used", () => {
  it.each([
    ["by its descriptor", holdByDescriptor],
    ["by its path", holdByPath],
  ])("is refused when the folder is not where it was: held %s (F3)", async (_, hold) => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "legion-hold-")));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    for (const name of ["a", "b"]) mkdirSync(join(root, name));
    symlinkSync("a", join(root, "link"));

    const folder = await hold(join(root, "a"), join(root, "a"));
    writeFileSync(join(folder.path, "file"), "text");
    expect(existsSync(join(root, "a/file"))).toBe(true);
    await folder.close();

    await expect(hold(join(root, "b"), join(root, "a"))).rejects.toThrow(
      "That path changed while it was opened",
    );
    await expect(hold(join(root, "link"), join(root, "a"))).rejects.toThrow();
    await expect(hold(join(root, "a/file"), join(root, "a/file"))).rejects.toThrow();
  });

  it.runIf(existsSync("/proc/self/fd"))(
    "is the same folder as long as it is held, whatever its name leads to (F3)",
    async () => {
      const root = realpathSync(mkdtempSync(join(tmpdir(), "legion-hold-")));
      onTestFinished(() => rmSync(root, { recursive: true, force: true }));
      mkdirSync(join(root, "a"));
      mkdirSync(join(root, "evil"));
      const folder = await holdByDescriptor(join(root, "a"), join(root, "a"));
      renameSync(join(root, "a"), join(root, "moved"));
      symlinkSync("evil", join(root, "a"));
      writeFileSync(`${folder.path}/file`, "text");
      await folder.close();
      expect(readdirSync(join(root, "evil"))).toEqual([]);
      expect(readdirSync(join(root, "moved"))).toEqual(["file"]);
    },
  );

  it("leaves no file open behind it", async () => {
    const agent = createTestHost(system);
    agent.file("a/file", "text");
    const openFiles = () => readdirSync("/proc/self/fd").length;
    const before = openFiles();
    for (const path of ["a/file", "a", "missing", "..", ".git/x", "new/folder/file"]) {
      for (const [action, parameters] of attempts(path)) await agent.act(action, parameters);
    }
    expect(openFiles()).toBe(before);
  });
});
