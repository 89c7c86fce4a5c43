import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { system } from "../../../modules/system/index.ts";
import { createTestHost } from "../test-host.ts";

describe("moveFile", () => {
  it("moves files and folders, and makes the folders above the destination", async () => {
    const agent = createTestHost(system);
    agent.file("a/file", "text");
    expect(await agent.act("moveFile", { sourcePath: "a/file", destinationPath: "b/c/renamed" })).toEqual({
      outcome: "ok",
      content: "Moved a/file to b/c/renamed.",
      details: {
        created: true,
        diff: "diff --git a/a/file b/b/c/renamed\nrename from a/file\nrename to b/c/renamed\n",
      },
    });
    expect((await agent.act("moveFile", { sourcePath: "b", destinationPath: "d" })).outcome).toBe("ok");
    expect(readFileSync(join(agent.root, "d/c/renamed"), "utf8")).toBe("text");
  });

  it("overwrites nothing", async () => {
    const agent = createTestHost(system);
    agent.file("a", "a");
    const b = agent.file("b", "b");
    mkdirSync(join(agent.root, "folder"));
    for (const destinationPath of ["b", "folder", "a"]) {
      expect(await agent.act("moveFile", { sourcePath: "a", destinationPath })).toEqual({
        outcome: "error",
        content: `${destinationPath} exists already; nothing was moved.`,
      });
    }
    expect(readFileSync(b, "utf8")).toBe("b");
  });

  it("moves a link itself, not what it leads to", async () => {
    const agent = createTestHost(system);
    agent.file("file", "text");
    symlinkSync("file", join(agent.root, "link"));
    await agent.act("moveFile", { sourcePath: "link", destinationPath: "moved" });
    expect(readlinkSync(join(agent.root, "moved"))).toBe("file");
    expect(existsSync(join(agent.root, "file"))).toBe(true);
  });

  it("refuses what is not there, and a folder into itself", async () => {
    const agent = createTestHost(system);
    agent.file("a/file");
    expect((await agent.act("moveFile", { sourcePath: "missing", destinationPath: "new/b" })).content).toBe(
      "There is no such file or folder. Path: missing",
    );
    expect(existsSync(join(agent.root, "new"))).toBe(false);
    expect((await agent.act("moveFile", { sourcePath: "a", destinationPath: "a/b" })).content).toBe(
      "A folder cannot be moved into itself. Path: a/b",
    );
  });
});

describe("deleteFile", () => {
  it("deletes a file, an empty folder and a link, not what the link leads to", async () => {
    const agent = createTestHost(system);
    agent.file("file");
    agent.file("kept");
    mkdirSync(join(agent.root, "folder"));
    symlinkSync("kept", join(agent.root, "link"));
    symlinkSync("nowhere", join(agent.root, "broken"));
    for (const path of ["file", "folder", "link", "broken"]) {
      expect(await agent.act("deleteFile", { path })).toEqual({ outcome: "ok", content: `Deleted ${path}.` });
    }
    expect(readdirSync(agent.root)).toEqual(["kept"]);
  });

  it("refuses a folder that is not empty, the workspace, and what is not there", async () => {
    const agent = createTestHost(system);
    const path = agent.file("folder/file");
    expect((await agent.act("deleteFile", { path: "folder" })).content).toBe(
      "That folder is not empty. Path: folder",
    );
    expect((await agent.act("deleteFile", { path: "." })).outcome).toBe("error");
    expect((await agent.act("deleteFile", { path: "missing" })).content).toBe(
      "There is no such file or folder. Path: missing",
    );
    expect(lstatSync(path).isFile()).toBe(true);
  });
});

describe("createDirectory", () => {
  it("creates a folder with those above it, as often as it is asked", async () => {
    const agent = createTestHost(system);
    for (let n = 0; n < 2; n++) {
      expect(await agent.act("createDirectory", { path: "a/b/c" })).toEqual({
        outcome: "ok",
        content: "Created directory a/b/c.",
      });
      expect(lstatSync(join(agent.root, "a/b/c")).isDirectory()).toBe(true);
    }
    expect((await agent.act("createDirectory", { path: "." })).outcome).toBe("ok");
  });

  it("refuses a path on which there is a file", async () => {
    const agent = createTestHost(system);
    agent.file("file");
    expect((await agent.act("createDirectory", { path: "file" })).outcome).toBe("error");
    expect((await agent.act("createDirectory", { path: "file/x" })).outcome).toBe("error");
  });

  it("creates the same folders from many sides at once", async () => {
    const agent = createTestHost(system);
    const paths = Array.from({ length: 20 }, (_, n) => `a/b/c/${n}`);
    const results = await Promise.all(paths.map((path) => agent.act("createDirectory", { path })));
    expect(results.map(({ outcome }) => outcome)).toEqual(paths.map(() => "ok"));
    expect(readdirSync(join(agent.root, "a/b/c"))).toHaveLength(20);
  });
});

describe("listDirectory", () => {
  it("lists files and folders by name and says what each is", async () => {
    const agent = createTestHost(system);
    agent.file("b.txt");
    agent.file("a b.txt");
    agent.file("a/inner");
    agent.file(".env", "secret");
    symlinkSync("a", join(agent.root, "link"));
    expect(await agent.act("listDirectory", { path: "." })).toEqual({
      outcome: "ok",
      content:
        "Here are the contents of .:\n.env [file]\na [directory]\na b.txt [file]\nb.txt [file]\nlink [link]",
    });
    expect((await agent.act("listDirectory", { path: "link" })).content).toBe(
      "Here are the contents of link:\ninner [file]",
    );
  });

  it("says that a folder is empty", async () => {
    expect((await createTestHost(system).act("listDirectory", { path: "." })).content).toBe(
      "Here are the contents of .:\n(nothing)",
    );
  });

  it("shows the first 1,000 entries and counts the rest", async () => {
    const agent = createTestHost(system);
    for (let n = 0; n < 1_003; n++) agent.file(`folder/${String(n).padStart(4, "0")}`);
    const lines = (await agent.act("listDirectory", { path: "folder" })).content.split("\n");
    expect(lines).toHaveLength(1_002);
    expect(lines.slice(-2)).toEqual(["0999 [file]", "[3 more are not shown.]"]);
  });

  it("keeps every name on one line and spells out what it hides", async () => {
    const agent = createTestHost(system);
    agent.file("a\nb [directory]");
    agent.file("esc\u001b[31m");
    expect((await agent.act("listDirectory", { path: "." })).content).toBe(
      'Here are the contents of .:\n"a\\nb [directory]" [file]\n"esc\\\\x1b[31m" [file]',
    );
  });

  it("refuses a file and what is not there", async () => {
    const agent = createTestHost(system);
    agent.file("file");
    expect((await agent.act("listDirectory", { path: "file" })).content).toBe(
      "A part of that path is a file or a link, not a folder. Path: file",
    );
    expect((await agent.act("listDirectory", { path: "missing" })).content).toBe(
      "There is no such file or folder. Path: missing",
    );
  });
});
