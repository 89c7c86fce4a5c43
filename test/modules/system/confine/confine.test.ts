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
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import { holdByDescriptor, holdByPath } from "../../../../modules/system/confine/confine.ts";
import { system } from "../../../../modules/system/index.ts";
import { createTestHost, type TestHost } from "../../test-host.ts";
import { attempts } from "./attempts.ts";

const SECRET = "the secret outside";
const OUTSIDE = "The path must be inside the workspace.";
/** A folder beside the workspace whose name begins like the workspace's. */
function createOutside(agent: TestHost): string {
  const outside = `${agent.root}-evil`;
  mkdirSync(outside);
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  writeFileSync(join(outside, "secret"), SECRET);
  return outside;
}

describe("a path outside the workspace", () => {
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

  it.each(ways)("is refused by every action: %s (F1)", async (_, toPath) => {
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
      // The link itself lies inside: deleting or moving it touches nothing outside.
      const isOnLink = path === "file-link" && ["deleteFile", "moveFile"].includes(action);
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

  it("is not reached by moving or deleting a link to it (F1)", async () => {
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

  it("is not made by writing to a link that leads nowhere (F1)", async () => {
    const agent = createTestHost(system);
    const outside = createOutside(agent);
    symlinkSync(join(outside, "new"), join(agent.root, "link"));
    symlinkSync(join(outside, "folder"), join(agent.root, "folder-link"));
    await agent.act("writeFile", { path: "link", content: "x" });
    expect((await agent.act("writeFile", { path: "folder-link/file", content: "x" })).outcome).toBe("error");
    expect((await agent.act("createDirectory", { path: "folder-link/a" })).outcome).toBe("error");
    expect(readdirSync(outside)).toEqual(["secret"]);
  });

  it("is not written through a second name (F1)", async () => {
    const agent = createTestHost(system);
    const outside = createOutside(agent);
    linkSync(join(outside, "secret"), join(agent.root, "hard"));
    expect((await agent.act("writeFile", { path: "hard", content: "harm" })).outcome).toBe("error");
    expect((await agent.act("editFile", { path: "hard", oldText: "secret", newText: "harm" })).outcome).toBe(
      "error",
    );
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe(SECRET);
  });

  it("is what a name with control characters never gets to (F1)", async () => {
    const agent = createTestHost(system);
    for (const path of ["a\0b", "a\nb", "\u001b", "\ud800", ""]) {
      await expect(agent.act("readFile", { path })).rejects.toThrow();
    }
    await expect(agent.act("readFile", { path: "x/".repeat(3_000) })).rejects.toThrow();
  });

  it("is told from one inside that is written another way", async () => {
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
  /** Makes `path` by turns what it was and a link to `target`, as fast as it can, until the test ends. */
  async function swap(path: string, target: string): Promise<void> {
    // Each step may fail: the actions under test make the path too, when they find nothing there.
    const program = `
      const { renameSync, rmSync, symlinkSync } = require("node:fs");
      const { parentPort, workerData: { path, target } } = require("node:worker_threads");
      const attempt = (step) => { try { step(); } catch {} };
      parentPort.postMessage("ready");
      for (;;) {
        attempt(() => renameSync(path, path + "-aside"));
        attempt(() => symlinkSync(target, path));
        attempt(() => rmSync(path, { recursive: true }));
        attempt(() => renameSync(path + "-aside", path));
      }
    `;
    const worker = new Worker(program, { eval: true, workerData: { path, target } });
    onTestFinished(async () => void (await worker.terminate()));
    await once(worker, "message");
  }

  const inFolder: [action: string, parameters: object][] = [
    ["readFile", { path: "swapped/secret" }],
    ["writeFile", { path: "swapped/new", content: "harm" }],
    ["createDirectory", { path: "swapped/made" }],
    ["deleteFile", { path: "swapped/made" }],
    ["listDirectory", { path: "swapped" }],
  ];
  const onFile: [action: string, parameters: object][] = [
    ["readFile", { path: "swapped" }],
    ["writeFile", { path: "swapped", content: "harm" }],
    ["editFile", { path: "swapped", oldText: "secret", newText: "harm" }],
  ];

  it.runIf(existsSync("/proc/self/fd")).each([
    { what: "a folder", inside: "swapped/secret", actions: inFolder, toTarget: (outside: string) => outside },
    {
      what: "a file",
      inside: "swapped",
      actions: onFile,
      toTarget: (outside: string) => join(outside, "secret"),
    },
  ])("never leads outside where $what becomes a link, however often it is tried (F3)", async (way) => {
    const agent = createTestHost(system);
    const outside = createOutside(agent);
    agent.file(way.inside, "inside");
    await swap(join(agent.root, "swapped"), way.toTarget(outside));

    const outcomes = new Set<string>();
    for (let n = 0; n < 1_500; n++) {
      const [action, parameters] = way.actions[n % way.actions.length]!;
      const { outcome, content } = await agent.act(action, parameters);
      expect(content).not.toContain(SECRET);
      outcomes.add(outcome);
    }
    expect(readdirSync(outside)).toEqual(["secret"]);
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe(SECRET);
    // Both sides of the race were met.
    expect([...outcomes].sort()).toEqual(["error", "ok"]);
  });

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
