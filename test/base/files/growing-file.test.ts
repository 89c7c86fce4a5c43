import {
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkPlace, createGrowingFile } from "../../../src/base/files/growing-file.ts";
import { temporaryFolder } from "../../world.ts";

async function setUp() {
  const folder = await temporaryFolder();
  const path = join(folder, "out", "run.json");
  const file = createGrowingFile(path);
  onTestFinished(file.close);
  const grow = async (settled: string, rest: string, from: "settled" | "anew" = "settled") => {
    const growth = await file.next(from);
    await growth.settle(settled);
    await growth.place(rest, "kept");
    return growth.isEmpty;
  };
  return { folder, path, file, grow, read: () => readFile(path, "utf8") };
}

describe("a file that grows", () => {
  it("is what is settled, with a rest of its own each time", async () => {
    const { grow, read, path } = await setUp();
    expect(await grow("[1", "]")).toBe(true);
    expect(await read()).toBe("[1]");
    expect(await grow(",2", ",3]")).toBe(false);
    expect(await read()).toBe("[1,2,3]");
    await grow(",ü".repeat(900_000), "]");
    await grow(",4", "]");
    expect(await read()).toBe(`[1,2${",ü".repeat(900_000)},4]`);
    expect(await readdir(join(path, ".."))).toEqual(["run.json"]);
  });

  it("is the one before until the next is placed", async () => {
    const { grow, read, file, path } = await setUp();
    await grow("[1", "]");
    const growth = await file.next("settled");
    await growth.settle(",2");
    expect(await read()).toBe("[1]");
    await growth.discard();
    expect(await readdir(join(path, ".."))).toEqual(["run.json"]);
    await grow(",3", "]");
    expect(await read()).toBe("[1,3]");
  });

  it("begins anew where somebody changed what was written, and takes nothing from what lies in its place", async () => {
    const { grow, path, read } = await setUp();
    await grow("[1", "]");
    const { atime, mtime } = await stat(path);
    await writeFile(path, "[9]");
    await utimes(path, atime, mtime);
    expect(await grow("[2", "]")).toBe(true);
    await writeFile(`${path}.other`, "[secret");
    await rename(`${path}.other`, path);
    expect(await grow("[3", "]")).toBe(true);
    expect(await read()).toBe("[3]");
  });

  it("keeps the rights of the file that was there", async () => {
    const { grow, path } = await setUp();
    await mkdir(join(path, ".."));
    await writeFile(path, "old");
    await chmod(path, 0o664);
    await grow("[1", "]");
    expect((await stat(path)).mode & 0o777).toBe(0o664);
  });

  it("removes what a killed process left, and nothing of one that runs", async () => {
    const { grow, path } = await setUp();
    const folder = join(path, "..");
    await mkdir(folder);
    const left = [
      ".run.json.999999999-0123abcd.tmp",
      `.run.json.${process.pid}-0123abcd.tmp`,
      ".run.json.tmp",
    ];
    for (const name of left) await writeFile(join(folder, name), "[");
    await grow("[1", "]");
    expect(await readdir(folder)).toEqual(
      [...left.slice(1), "run.json"].toSorted((a, b) => (a < b ? -1 : 1)),
    );
  });

  it.each<[string, (path: string) => Promise<unknown>, RegExp]>([
    ["a folder", (path) => mkdir(path), /it is a folder/],
    ["a link", (path) => symlink("/etc/hostname", path), /it is a link/],
  ])("replaces no %s that came into its place", async (_, change, reason) => {
    const { grow, path } = await setUp();
    await grow("[1", "]");
    await rename(path, `${path}.old`);
    await change(path);
    await expect(grow(",2", "]")).rejects.toThrow(reason);
    expect((await readdir(join(path, ".."))).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

describe("a folder that somebody moves while its file grows", () => {
  it.each<[string, "before" | "between"]>([
    ["before the next one is begun", "before"],
    ["before it is placed", "between"],
  ])("is followed nowhere: %s", async (_, moment) => {
    const { folder, path, file, grow } = await setUp();
    await grow("[1", "]");
    const elsewhere = await temporaryFolder();
    const move = async (): Promise<void> => {
      await rename(join(path, ".."), join(folder, "moved"));
      await symlink(elsewhere, join(path, ".."));
    };
    const growNext = async (): Promise<void> => {
      if (moment === "before") await move();
      const growth = await file.next("settled");
      await move();
      try {
        await growth.place("]", "kept");
      } finally {
        await growth.discard();
      }
    };
    await expect(growNext()).rejects.toThrow(/a link leads elsewhere from its folder/);
    expect(await readdir(elsewhere)).toEqual([]);
    await rm(join(path, ".."));
    await rename(join(folder, "moved"), join(path, ".."));
    await grow(",2", "]");
    expect(await readFile(path, "utf8")).toBe("[1,2]");
  });
});

describe("a place", () => {
  it("may be new, in folders that are not there, or a file", async () => {
    const { path, folder } = await setUp();
    await checkPlace(path);
    expect(await readdir(folder)).toEqual([]);
    await writeFile(join(folder, "there"), "");
    await checkPlace(join(folder, "there"));
  });

  it.each<[string, string, RegExp]>([
    ["a folder", "folder", /it is a folder; name a file in it/],
    ["meant as one", "other/", /is a folder; name a file in it/],
    ["a link", "link", /it is a link; name the file itself/],
    ["in a file", "file/run.json", /a file is in the place of a folder/],
    ["deep in a file", "file/a/run.json", /a file is in the place of a folder/],
    ["a device", "/dev/null", /it is no file/],
  ])("is refused where it is %s", async (_, name, reason) => {
    const { folder } = await setUp();
    await mkdir(join(folder, "folder"));
    await writeFile(join(folder, "file"), "");
    await symlink("file", join(folder, "link"));
    const before = await readdir(folder);
    const path = name.startsWith("/") ? name : `${folder}/${name}`;
    await expect(checkPlace(path)).rejects.toMatchObject({
      code: "USAGE",
      message: expect.stringMatching(reason),
    });
    expect(await readdir(folder)).toEqual(before);
  });

  it.skipIf(process.getuid?.() === 0)("is refused where there is no right to write", async () => {
    const { folder } = await setUp();
    await chmod(folder, 0o555);
    await expect(checkPlace(join(folder, "a"))).rejects.toThrow(/there is no right to/);
    await chmod(folder, 0o755);
  });
});
