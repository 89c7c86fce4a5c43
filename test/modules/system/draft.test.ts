import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { replaceFile } from "../../../modules/system/draft.ts";
import { system } from "../../../modules/system/index.ts";
import { createTestHost } from "../test-host.ts";

describe("replacing a file", () => {
  it("leaves no draft behind, neither when it works nor when it fails", async () => {
    const { root, file } = createTestHost(system);
    const path = file("file", "old");
    await replaceFile(path, "new", undefined);
    expect(readFileSync(path, "utf8")).toBe("new");
    mkdirSync(join(root, "folder"));
    await expect(replaceFile(join(root, "folder"), "new", undefined)).rejects.toThrow("EISDIR");
    expect(readdirSync(root)).toEqual(["file", "folder"]);
  });

  it("gives the new file the mode that it is told, but no rights of another user", async () => {
    const path = createTestHost(system).file("file");
    chmodSync(path, 0o4755);
    await replaceFile(path, "new", statSync(path).mode);
    expect(statSync(path).mode & 0o7777).toBe(0o755);
  });

  it("replaces a link and not what it leads to", async () => {
    const { root, file } = createTestHost(system);
    const path = file("file", "old");
    symlinkSync("file", join(root, "link"));
    await replaceFile(join(root, "link"), "new", undefined);
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readFileSync(join(root, "link"), "utf8")).toBe("new");
  });
});
