// What each action tells before it changes a file: a person can have only that back.

import { chmodSync, existsSync, readFileSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { system } from "../../../modules/system/index.ts";
import { MAX_KEPT_BYTES, type Replacement } from "../../../src/domain/authoring/workspace.ts";
import { createTestHost } from "../test-host.ts";

const NOTHING = { kind: "nothing" };
const FOLDER = { kind: "folder" };

/** Contents as text. */
function told(replaced: readonly Replacement[]): readonly unknown[] {
  const readable = (of: Replacement["before"]): unknown =>
    of.kind === "file" ? { ...of, content: String(Buffer.from(of.content)) } : of;
  return replaced.map(({ path, before, after }) => [path, readable(before), readable(after)]);
}

describe("an action on a file tells what it replaces", () => {
  it("with a new file, and each folder that is made for it", async () => {
    const agent = createTestHost(system);
    await agent.act("writeFile", { path: "a/b/c.txt", content: "hello" });
    await agent.act("createDirectory", { path: "a/d" });
    expect(told(agent.replaced)).toEqual([
      ["a", NOTHING, FOLDER],
      ["a/b", NOTHING, FOLDER],
      ["a/b/c.txt", NOTHING, { kind: "file", content: "hello", mode: undefined }],
      ["a/d", NOTHING, FOLDER],
    ]);
  });

  it("with the bytes that were there, and who might read them, where a link leads to them too", async () => {
    const agent = createTestHost(system);
    chmodSync(agent.file("run.sh", "old"), 0o750);
    symlinkSync("run.sh", join(agent.root, "link"));
    await agent.act("writeFile", { path: "link", content: "new" });
    await agent.act("editFile", { path: "run.sh", oldText: "new", newText: "newer" });
    await agent.act("deleteFile", { path: "link" });
    await agent.act("deleteFile", { path: "run.sh" });
    const at = (content: string): object => ({ kind: "file", content, mode: 0o750 });
    expect(told(agent.replaced)).toEqual([
      ["run.sh", at("old"), at("new")],
      ["run.sh", at("new"), at("newer")],
      ["link", { kind: "link", to: "run.sh" }, NOTHING],
      ["run.sh", at("newer"), NOTHING],
    ]);
  });

  it("with both places of what is moved; a folder as one that cannot be moved back", async () => {
    const agent = createTestHost(system);
    chmodSync(agent.file("a/x", "text"), 0o644);
    await agent.act("moveFile", { sourcePath: "a/x", destinationPath: "y" });
    await agent.act("moveFile", { sourcePath: "a", destinationPath: "b" });
    const text = { kind: "file", content: "text", mode: 0o644 };
    const folder = { kind: "other", why: "it is a folder that was moved, with all that is in it" };
    expect(told(agent.replaced)).toEqual([
      ["a/x", text, NOTHING],
      ["y", NOTHING, text],
      ["a", folder, NOTHING],
      ["b", NOTHING, folder],
    ]);
  });

  it("with a reason where the bytes cannot be had", async () => {
    const agent = createTestHost(system);
    truncateSync(agent.file("big"), MAX_KEPT_BYTES + 1);
    execFileSync("mkfifo", [join(agent.root, "pipe")]);
    await agent.act("deleteFile", { path: "big" });
    await agent.act("deleteFile", { path: "pipe" });
    expect(told(agent.replaced)).toEqual([
      ["big", { kind: "other", why: "it is too big" }, NOTHING],
      ["pipe", { kind: "other", why: "it is not a regular file" }, NOTHING],
    ]);
  });

  it("and changes nothing where that cannot be kept", async () => {
    const agent = createTestHost(system);
    agent.file("x", "old");
    const full = { ...agent.host, replacing: () => Promise.reject(new Error("The disk is full.")) };
    const acts: readonly (readonly [string, object])[] = [
      ["writeFile", { path: "x", content: "new" }],
      ["writeFile", { path: "y/z", content: "new" }],
      ["editFile", { path: "x", oldText: "old", newText: "new" }],
      ["moveFile", { sourcePath: "x", destinationPath: "y" }],
      ["deleteFile", { path: "x" }],
      ["createDirectory", { path: "y" }],
    ];
    for (const [action, parameters] of acts)
      await expect(system.actions[action]!.execute(parameters, full)).rejects.toThrow("The disk is full.");
    expect([readFileSync(join(agent.root, "x"), "utf8"), existsSync(join(agent.root, "y"))]).toEqual([
      "old",
      false,
    ]);
  });
});
