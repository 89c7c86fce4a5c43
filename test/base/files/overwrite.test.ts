import { link, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createDisk } from "../../../src/base/files/disk.ts";
import { createTempProject } from "../../temp-project.ts";

const patch = (offset: number, text: string) => ({ offset, bytes: Buffer.from(text) });

describe("bytes that are put in the place of others", () => {
  it("leave the file as long as it was, and all else in it", async () => {
    const folder = await createTempProject({ a: "0123456789" });
    const disk = createDisk(join(folder, "tmp"));
    await disk.overwrite(join(folder, "a"), [patch(7, "xyz"), patch(1, "ä")]);
    expect(await readFile(join(folder, "a"), "utf8")).toBe("0ä3456xyz");
  });

  it("are refused, and nothing of them is written, past the end, in a link and in a file with another name", async () => {
    const folder = await createTempProject({ a: "0123456789", b: "0123456789" });
    const disk = createDisk(join(folder, "tmp"));
    await symlink(join(folder, "a"), join(folder, "link"));
    await link(join(folder, "b"), join(folder, "other"));
    for (const [name, offset] of [
      ["a", 8],
      ["link", 0],
      ["b", 0],
      ["none", 0],
    ] as const) {
      const refused = disk.overwrite(join(folder, name), [patch(0, "x"), patch(offset, "xyz")]);
      await expect(refused).rejects.toMatchObject({
        code: "STORAGE",
        message: expect.stringContaining(name),
      });
    }
    for (const name of ["a", "b"]) expect(await readFile(join(folder, name), "utf8")).toBe("0123456789");
  });

  it("at the end of a file that is there go where it ends, and into no link", async () => {
    const folder = await createTempProject({ a: "one " });
    const disk = createDisk(join(folder, "tmp"));
    const file = disk.extend(join(folder, "a"));
    file.write(Buffer.from("two"));
    await file.sync();
    file.close();
    expect(await disk.size(join(folder, "a"))).toBe(7);
    expect(await disk.size(join(folder, "none"))).toBeUndefined();
    await writeFile(join(folder, "b"), "");
    await symlink(join(folder, "b"), join(folder, "link"));
    expect(() => disk.extend(join(folder, "link"))).toThrow("link");
    expect(() => disk.extend(join(folder, "none"))).toThrow("none");
  });
});
