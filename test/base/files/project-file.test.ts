import { execFileSync } from "node:child_process";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isLegionError, messageOf } from "../../../src/base/errors.ts";
import {
  findInProject,
  MAX_FILE_BYTES,
  readTextFile,
  shownPath,
} from "../../../src/base/files/project-file.ts";
import { createTempProject } from "../../temp-project.ts";

describe("readTextFile", () => {
  it("reads a file as it is, but for its byte order mark", async () => {
    const project = await createTempProject({ "a.md": "\uFEFFzwölf\r\n" });
    expect(await readTextFile(join(project, "a.md"), "a.md")).toBe("zwölf\r\n");
  });

  it("finds nothing where there is no file, or something else", async () => {
    const project = await createTempProject({ "a/b.md": "", file: "" });
    execFileSync("mkfifo", [join(project, "pipe")]);
    for (const path of ["none", "a", "file/below", "pipe"]) {
      expect(await readTextFile(join(project, path), path)).toBeUndefined();
    }
  });

  it("reads up to the longest length, and refuses what is longer", async () => {
    const project = await createTempProject({ fits: "x".repeat(MAX_FILE_BYTES) });
    expect(await readTextFile(join(project, "fits"), "fits")).toHaveLength(MAX_FILE_BYTES);
    await writeFile(join(project, "long"), "x".repeat(MAX_FILE_BYTES + 1));
    await expect(readTextFile(join(project, "long"), "agents/long.md")).rejects.toThrow(
      `agents/long.md: is ${MAX_FILE_BYTES + 1} bytes long; at most ${MAX_FILE_BYTES} are read`,
    );
  });

  it("refuses bytes that are no text", async () => {
    const project = await createTempProject();
    await writeFile(join(project, "image"), Buffer.from([0x89, 0x50, 0xff, 0xfe]));
    await expect(readTextFile(join(project, "image"), "image")).rejects.toThrow("image: is not UTF-8 text");
  });

  it.skipIf(process.getuid?.() === 0)("says that a file may not be read", async () => {
    const project = await createTempProject({ closed: "x" });
    await chmod(join(project, "closed"), 0o000);
    await expect(readTextFile(join(project, "closed"), "closed")).rejects.toThrow(/^closed: EACCES/);
  });
});

describe("findInProject", () => {
  it("gives the real path of what is inside", async () => {
    const project = await createTempProject({ "a/b.js": "" });
    await symlink(join(project, "a"), join(project, "link"));
    expect(await findInProject(project, "./link/b.js")).toBe(join(project, "a/b.js"));
    expect(await findInProject(project, join(project, "a/../a/b.js"))).toBe(join(project, "a/b.js"));
    expect(await findInProject(project, "..a")).toBeUndefined();
  });

  it("works in a project that is itself reached through a link", async () => {
    const folder = await createTempProject({ "real/x.md": "" });
    await symlink(join(folder, "real"), join(folder, "project"));
    expect(await findInProject(join(folder, "project"), "./x.md")).toBe(join(folder, "real/x.md"));
  });

  it.each([
    "../secret",
    "./a/../../secret",
    "..",
    "/etc/passwd",
    "../project-b/x",
    "./out/secret",
    "./file",
    "a\0b",
  ])("refuses %j, which leads out of the project", async (path) => {
    const folder = await createTempProject({ secret: "s", "project-b/x": "x" });
    const project = join(folder, "project");
    await mkdir(join(project, "a"), { recursive: true });
    await symlink(folder, join(project, "out"));
    await symlink(join(folder, "secret"), join(project, "file"));
    const error: unknown = await findInProject(project, path).catch((thrown: unknown) => thrown);
    expect(isLegionError(error, "USAGE")).toBe(true);
    expect(messageOf(error)).toBe(`${JSON.stringify(path)} lies outside the project; use a path inside it`);
  });
});

describe("shownPath", () => {
  it("is relative inside the project and absolute outside", () => {
    expect(shownPath("/p", "/p/agents/a.md")).toBe("agents/a.md");
    expect(shownPath("/p", "/package/agents/a.md")).toBe("/package/agents/a.md");
    expect(shownPath("/p", "/p-b/a.md")).toBe("/p-b/a.md");
  });
});
