import { join } from "node:path";
import { expect, describe, it } from "vitest";
import { createDisk } from "../../../src/base/files/disk.ts";
import { createBlobs } from "../../../src/past/log/blobs.ts";
import { blobDisk } from "../../../src/storage/files/log.ts";
import { createTempProject } from "../../temp-project.ts";
import { watchDisk } from "./watched-disk.ts";

describe("what a log in files names", () => {
  it.each([
    ["disk", ["replace"]],
    ["process", ["put"]],
  ] as const)("is as durable as the log promises: %s", async (durability, expected) => {
    const [ops, root]: [string[], string] = [[], await createTempProject()];
    const disk = watchDisk(createDisk(join(root, "tmp")), ({ op, path }) => {
      if (path.includes("blobs") && op !== "read") ops.push(op);
    });
    const blobs = createBlobs(join(root, "blobs"), blobDisk({ disk, durability }));
    const hash = await blobs.keep("an introduction");
    expect(ops).toEqual(expected);
    expect(await createBlobs(join(root, "blobs"), disk).read(hash)).toBe("an introduction");
  });

  it("is flushed by a process that promises more than the one that put it there", async () => {
    const [ops, root]: [string[], string] = [[], await createTempProject()];
    const disk = watchDisk(createDisk(join(root, "tmp")), ({ op, path }) => {
      if (op === "flush") ops.push(path);
    });
    for (const durability of ["process", "process", "disk"] as const) {
      await createBlobs(join(root, "blobs"), blobDisk({ disk, durability })).keep("an introduction");
      expect(ops.length).toBe(durability === "disk" ? 2 : 0);
    }
  });
});
