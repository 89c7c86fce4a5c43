import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import {
  MAX_INLINE_BYTES,
  createBlobs,
  inline,
  longStrings,
  outline,
  redactedBlobs,
  sha256,
  type Blobs,
} from "../../../src/past/log/blobs.ts";
import { createRedactor } from "../../../src/base/redaction/redactor.ts";
import { createDisk } from "../../../src/base/files/disk.ts";
import { createTempProject } from "../../temp-project.ts";
import { byHand } from "../../world.ts";
import { watchDisk } from "../../storage/files/watched-disk.ts";

let folder: string;
let blobs: Blobs;
let replaced: number;

beforeEach(async () => {
  const root = await createTempProject();
  folder = join(root, "blobs");
  replaced = 0;
  const disk = watchDisk(createDisk(join(root, "tmp")), ({ op }) => void (op === "replace" && replaced++));
  blobs = createBlobs(folder, disk);
});

describe("blobs", () => {
  it("keep a text once, under its hash", async () => {
    expect(await blobs.keep("text")).toBe(sha256("text"));
    expect(await blobs.keep("text")).toBe(sha256("text"));
    expect(replaced).toBe(1);
    expect(await blobs.read(sha256("text"))).toBe("text");
    expect(await readFile(join(folder, sha256("text")), "utf8")).toBe("text");
  });

  it("keep bytes as they are, which nobody reads as a text, and nothing of bytes that hold a secret", async () => {
    const bytes = Buffer.from("89504e470d0aff", "hex");
    const hash = await blobs.keep(bytes);
    expect(hash).toBe(sha256(bytes));
    expect(await readFile(join(folder, hash))).toEqual(bytes);
    expect(await blobs.read(hash)).toBeUndefined();
    const redacted = redactedBlobs(blobs, createRedactor([{ name: "KEY", value: "s3cret-of-mine" }]));
    expect(await redacted.keep(bytes)).toBe(hash);
    const told = await redacted.keep(Buffer.concat([bytes, Buffer.from("\0s3cret-of-mine\0")]));
    expect(await blobs.read(told)).toBe("[redacted:KEY]");
  });

  it("keep a text of any length under the hash of the whole", async () => {
    const long = `x${"😀字".repeat(100_000)}`;
    expect(await blobs.keep(long)).toBe(sha256(long));
    expect((await blobs.read(sha256(long))) === long).toBe(true);
    expect((await readFile(join(folder, sha256(long)), "utf8")) === long).toBe(true);
    const secret = createRedactor([{ name: "KEY", value: "s3cret-of-mine" }]);
    const hash = await redactedBlobs(blobs, secret).keep(`${long}s3cret-of-mine${long}`);
    expect(hash).toBe(sha256(`${long}[redacted:KEY]${long}`));
  });

  it("do not trust what an earlier process has left: it is flushed first, or written again if it is damaged", async () => {
    const hash = await blobs.keep("text");
    const calls: string[] = [];
    const disk = watchDisk(
      createDisk(join(folder, "..", "tmp")),
      ({ op, path }) => void calls.push(`${op} ${path}`),
    );
    await createBlobs(folder, disk).keep("text");
    const path = join(folder, hash);
    expect(calls).toEqual([`read ${path}`, `flush ${path}`, `flush ${folder}`]);
    await writeFile(path, "tex!");
    await createBlobs(folder, disk).keep("text");
    expect(await blobs.read(hash)).toBe("text");
  });

  it("are kept when each of all who ask for it is told so, not before", async () => {
    const first = byHand();
    const disk = watchDisk(createDisk(join(folder, "..", "tmp")), ({ op }) => {
      if (op === "replace") return first.promise;
    });
    const slow = createBlobs(folder, disk);
    const keeping = [slow.keep("text"), slow.keep("text")];
    let told = 0;
    for (const kept of keeping) void kept.then(() => told++);
    expect(await disk.list(folder)).toEqual([]);
    expect(told).toBe(0);
    first.resolve();
    await Promise.all(keeping);
    expect(await slow.read(sha256("text"))).toBe("text");
  });

  it("are tried again after they could not be kept", async () => {
    let full = true;
    const disk = watchDisk(createDisk(join(folder, "..", "tmp")), ({ op }) => {
      if (op === "replace" && full) throw new Error("ENOSPC");
    });
    const tried = createBlobs(folder, disk);
    await expect(tried.keep("text")).rejects.toThrow("ENOSPC");
    full = false;
    expect(await tried.read(await tried.keep("text"))).toBe("text");
  });

  it("have nothing for what is no hash, not kept, or no longer what was kept", async () => {
    const hash = await blobs.keep("text");
    await writeFile(join(folder, hash), "tex!");
    for (const name of [hash, sha256("other"), "../../etc/passwd", "", hash.toUpperCase()])
      expect(await blobs.read(name)).toBeUndefined();
  });
});

describe("long strings", () => {
  it("are those with more than 64 KiB of UTF-8, and of what was found outside with more than 4", () => {
    expect(longStrings(["x".repeat(MAX_INLINE_BYTES)])).toEqual([]);
    expect(longStrings(["x".repeat(MAX_INLINE_BYTES + 1)])).toHaveLength(1);
    expect(longStrings(["語".repeat(30_000)])).toHaveLength(1);
    expect(longStrings(["語".repeat(21_845)])).toEqual([]);
    const offer = "x".repeat(4_097);
    expect(longStrings({ kind: "offered", offer: offer.slice(1) })).toEqual([]);
    expect(longStrings({ kind: "offered", offer })).toEqual([[["offer"], offer]]);
    expect(longStrings({ a: null, b: [undefined, 1, true, "short"] })).toEqual([]);
  });

  it("come back where they were, however deep", async () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom("LONG a", "LONG ä", "LONG 😀"),
        fc.string(),
        fc.constant(null),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("__proto__", "0", "")), tie("value"), {
          maxKeys: 3,
        }),
      ),
    }));
    const lengthen = (_: string, text: unknown): unknown =>
      typeof text === "string" && text.startsWith("LONG ")
        ? text.slice(5).repeat(MAX_INLINE_BYTES + 1)
        : text;
    await fc.assert(
      fc.asyncProperty(value, async (short) => {
        const content: unknown = JSON.parse(JSON.stringify(short), lengthen);
        const record = { kind: "result", content, state: [["notes", "k", content]] };
        const places = longStrings(record);
        const outlined = JSON.parse(JSON.stringify(await outline(record, places, blobs))) as typeof record;
        expect(JSON.stringify(outlined).length).toBeLessThan(MAX_INLINE_BYTES);
        expect((await inline(outlined, blobs)) as unknown).toEqual(record);
        expect(Object.hasOwn(outlined, "blobs")).toBe(places.length > 0);
      }),
      { numRuns: 50 },
    );
  });

  it("that are lost read as a sentence that says so", async () => {
    const hash = sha256("x");
    const record = { kind: "result", content: "", blobs: [[["content"], hash]] as const };
    expect(await inline(record, blobs)).toEqual({ kind: "result", content: `(lost: blob ${hash})` });
    expect(await readdir(join(folder, "..")).then((names) => names.includes("blobs"))).toBe(false);
  });
});
