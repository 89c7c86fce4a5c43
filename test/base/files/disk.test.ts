import { execFileSync } from "node:child_process";
import { chmod, link, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createDisk, type Disk } from "../../../src/base/files/disk.ts";
import { createTempProject } from "../../temp-project.ts";

let root: string;
let disk: Disk;
const tmp = (): string => join(root, "tmp");

beforeEach(async () => {
  root = await createTempProject();
  disk = createDisk(tmp());
});

const openFiles = (): number => readdirSync("/proc/self/fd").length;

describe("the disk", () => {
  it("lists names in order, and nothing where no folder is", async () => {
    for (const name of ["b", "a", "C"]) await writeFile(join(root, name), "");
    expect(await disk.list(root)).toEqual(["C", "a", "b"]);
    expect(await disk.list(join(root, "nowhere"))).toEqual([]);
  });

  it("tells what is there, and a link or a file with two names from a real one", async () => {
    for (const name of ["file", "named-twice"]) await writeFile(join(root, name), "");
    await link(join(root, "named-twice"), join(root, "second-name"));
    await symlink("file", join(root, "link"));
    await symlink("nowhere", join(root, "dangling"));
    execFileSync("mkfifo", [join(root, "pipe")]);
    const kindsOf = (...names: string[]): Promise<unknown[]> =>
      Promise.all(names.map((name) => disk.kind(join(root, name))));
    expect(await kindsOf("file", ".", "none")).toEqual(["file", "folder", undefined]);
    const strange = await kindsOf("link", "dangling", "pipe", "named-twice", "second-name");
    expect(new Set(strange)).toEqual(new Set(["other"]));
  });

  it("reads, flushes and touches nothing through a link, and does not wait at a pipe", async () => {
    await writeFile(join(root, "file"), "secret");
    await symlink("file", join(root, "link"));
    execFileSync("mkfifo", [join(root, "pipe")]);
    const before = (await stat(join(root, "file"))).mtimeMs;
    for (const name of ["link", "pipe"]) {
      await expect(disk.read(join(root, name))).rejects.toMatchObject({ code: "STORAGE" });
      await expect(disk.read(join(root, name), 3)).rejects.toMatchObject({ code: "STORAGE" });
    }
    await expect(disk.sync(join(root, "link"))).rejects.toMatchObject({ code: "STORAGE" });
    await disk.touch(join(root, "link"));
    expect((await stat(join(root, "file"))).mtimeMs).toBe(before);
  });

  it("reads a file or its beginning, and nothing where no file is", async () => {
    await writeFile(join(root, "a"), "0123456789");
    expect((await disk.read(join(root, "a")))?.toString()).toBe("0123456789");
    expect((await disk.read(join(root, "a"), 4))?.toString()).toBe("0123");
    expect((await disk.read(join(root, "a"), 99))?.toString()).toBe("0123456789");
    expect(await disk.read(join(root, "b"))).toBeUndefined();
  });

  it("replaces a file with its folders as a whole, for its owner only, and leaves nothing behind", async () => {
    const path = join(root, "deep", "er", "file");
    await disk.replace(path, "one");
    await disk.replace(path, Buffer.from("two"));
    expect(await readFile(path, "utf8")).toBe("two");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(root, "deep"))).mode & 0o777).toBe(0o700);
    expect(await readdir(tmp())).toEqual([]);
  });

  it("keeps the old file, and nothing else, when a replacement fails", async () => {
    await mkdir(join(root, "folder", "in-the-way"), { recursive: true });
    await expect(disk.replace(join(root, "folder"), "text")).rejects.toMatchObject({ code: "STORAGE" });
    expect(await readdir(join(root, "folder"))).toEqual(["in-the-way"]);
    expect(await readdir(tmp())).toEqual([]);
  });

  it("removes a file, and does not mind that there is none", async () => {
    await writeFile(join(root, "a"), "");
    await disk.remove(join(root, "a"));
    await disk.remove(join(root, "a"));
    expect(await readdir(root)).toEqual([]);
  });

  it("lets one of many claim a path, also while another empties the temporary folder", async () => {
    for (let round = 0; round < 20; round++) {
      const path = join(root, "claims", String(round));
      const claims = Array.from({ length: 10 }, (_, n) => disk.claim(path, String(n)));
      const emptying = rm(tmp(), { recursive: true, force: true }).catch(() => undefined);
      const won = await Promise.all(claims);
      await emptying;
      expect(won.filter(Boolean).length).toBeLessThanOrEqual(1);
      if (won.includes(true)) expect(await readFile(path, "utf8")).toBe(String(won.indexOf(true)));
    }
  });

  it("leaves nothing but the claimed file behind, whoever was first", async () => {
    const path = join(root, "claimed");
    expect(await disk.claim(path, "one")).toBe(true);
    expect(await disk.claim(path, "two")).toBe(false);
    expect(await readFile(path, "utf8")).toBe("one");
    expect(await readdir(tmp())).toEqual([]);
  });

  it("makes the temporary folder again where somebody removed it", async () => {
    await disk.replace(join(root, "a"), "one");
    await rm(tmp(), { recursive: true });
    await disk.replace(join(root, "a"), "two");
    expect(await readFile(join(root, "a"), "utf8")).toBe("two");
    expect((await stat(tmp())).mode & 0o777).toBe(0o700);
  });

  it("names the path in every failure", async () => {
    await writeFile(join(root, "file"), "");
    const below = join(root, "file", "below");
    const failure = { code: "STORAGE", message: expect.stringContaining(below) as string };
    await expect(disk.list(below)).rejects.toMatchObject(failure);
    await expect(disk.read(below)).rejects.toMatchObject(failure);
    await expect(disk.replace(below, "")).rejects.toMatchObject(failure);
    await expect(disk.claim(below, "")).rejects.toMatchObject(failure);
    await expect(disk.sync(below)).rejects.toMatchObject(failure);
    expect(() => disk.create(below)).toThrow(expect.objectContaining(failure));
  });

  it.skipIf(process.getuid?.() === 0)("says so where it may not write", async () => {
    await chmod(root, 0o500);
    await expect(disk.replace(join(root, "a"), "")).rejects.toMatchObject({ code: "STORAGE" });
    await chmod(root, 0o700);
  });
});

describe("a file that grows", () => {
  it("is created with its folders, and never over another one", async () => {
    const path = join(root, "a", "b", "log");
    const file = disk.create(path);
    file.write(Buffer.from("one"));
    expect(() => disk.create(path)).toThrow(expect.objectContaining({ code: "STORAGE" }));
    file.close();
    expect(await readFile(path, "utf8")).toBe("one");
  });

  it("goes on where it was after it was closed", async () => {
    const file = disk.create(join(root, "log"));
    for (const text of ["one ", "two ", "three"]) {
      file.write(Buffer.from(text));
      await file.sync();
      file.close();
    }
    expect(await readFile(join(root, "log"), "utf8")).toBe("one two three");
  });

  it("begins anew when it is emptied, also after it was closed", async () => {
    const file = disk.create(join(root, "file"));
    file.write(Buffer.from("much that is old"));
    file.empty();
    file.write(Buffer.from("new"));
    file.close();
    file.empty();
    file.write(Buffer.from("newest"));
    expect(await readFile(file.path, "utf8")).toBe("newest");
    file.close();
  });

  it("is closed when it asks for it during a flush, and can be written to all the same", async () => {
    const before = openFiles();
    const file = disk.create(join(root, "log"));
    file.write(Buffer.from("one "));
    const flushing = file.sync();
    file.close();
    file.write(Buffer.from("two"));
    await flushing;
    expect(openFiles()).toBe(before);
    file.write(Buffer.from(" three"));
    file.close();
    expect(await readFile(join(root, "log"), "utf8")).toBe("one two three");
  });

  it.runIf(process.platform === "linux")(
    "shares a bounded number of descriptors with all others",
    async () => {
      const before = openFiles();
      const files = Array.from({ length: 500 }, (_, n) => disk.create(join(root, "many", String(n))));
      for (const round of ["a", "b", "c"]) for (const file of files) file.write(Buffer.from(round));
      expect(openFiles() - before).toBeLessThanOrEqual(128);
      for (const file of files) file.close();
      expect(openFiles()).toBe(before);
      for (let n = 0; n < 500; n += 99)
        expect(await readFile(join(root, "many", String(n)), "utf8")).toBe("abc");
    },
  );

  it.runIf(process.platform === "linux")(
    "stays open while it is in use, however many others come and go",
    () => {
      const busy = disk.create(join(root, "busy"));
      const descriptor = (): string | undefined =>
        readdirSync("/proc/self/fd").find((fd) => {
          try {
            return readlinkSync(`/proc/self/fd/${fd}`) === join(root, "busy");
          } catch {
            return false;
          }
        });
      const first = descriptor();
      for (let n = 0; n < 300; n++) {
        disk.create(join(root, "others", String(n)));
        expect(descriptor()).toBe(first);
        busy.write(Buffer.from("."));
      }
    },
  );
});
