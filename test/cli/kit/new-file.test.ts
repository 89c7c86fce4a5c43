import { randomUUID } from "node:crypto";
import { readFile, rm, stat } from "node:fs/promises";
import { join, parse } from "node:path";
import { tmpdir } from "node:os";
import { Readable } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { writeNewFile } from "../../../src/cli/kit/new-file.ts";

// Its folder has no folder around it but the root, which has none: looking further up would go on for ever.
it.runIf(join(tmpdir(), "..") === parse(tmpdir()).root)(
  "a file is written in a folder directly below the root, for its owner alone, and never over another",
  async () => {
    const path = join(tmpdir(), `legion-${randomUUID()}`);
    onTestFinished(() => rm(path, { force: true }));
    await writeNewFile(path, Readable.from(["whole"]));
    expect([await readFile(path, "utf8"), (await stat(path)).mode & 0o777]).toEqual(["whole", 0o600]);
    await expect(writeNewFile(path, Readable.from(["other"]))).rejects.toThrow("is there already");
  },
);
