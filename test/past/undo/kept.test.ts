import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/base/redaction/redactor.ts";
import type { Contents } from "../../../src/domain/authoring/workspace.ts";
import { keepFiles, type KeptLimits } from "../../../src/past/undo/kept.ts";
import { createFaultyDisk, type DiskCall } from "../../faults/faulty-disk.ts";
import { afterPowerCut, createRandom, type Files } from "../../faults/files.ts";

const NOTHING: Contents = { kind: "nothing" };
const file = (content: string): Contents => ({ kind: "file", content, mode: 0o644 });
const change = (path: string, before: Contents, after: Contents) => ({ path, before, after });

function open(files: Files, options: { limits?: KeptLimits; crash?: (call: DiskCall) => boolean } = {}) {
  const { limits, crash = () => false } = options;
  const disk = createFaultyDisk({
    files,
    blow: (call) => (crash(call) ? { kind: "crash", done: 0.5 } : undefined),
  });
  const redactor = createRedactor([{ name: "API_KEY", value: "s3cret-s3cret-s3cret" }]);
  const folder = (agent: string): string => `/home/agents/${agent}`;
  return { disk, kept: keepFiles({ agents: "/home/agents", folder, disk, redactor }, limits) };
}

const HASH = expect.stringMatching(/^[0-9a-f]{64}$/) as string;

describe("what is kept of a change", () => {
  it("says what stood there before and after, and has the bytes", async () => {
    const { kept } = open(new Map());
    const own = kept("1");
    expect(await own.keep("a", "..", [change("x", file("old"), file("new"))])).toEqual([]);
    const call = await own.call("a");
    expect(call).toEqual({
      root: "..",
      edits: [
        {
          path: "x",
          before: { kind: "file", hash: HASH, size: 3, mode: 0o644 },
          after: { kind: "file", hash: HASH, size: 3, mode: 0o644 },
        },
      ],
    });
    const { before, after } = call!.edits[0]!;
    expect(String(await own.bytes(before as never))).toBe("old");
    // What the agent wrote stands in the workspace, and is not kept a second time.
    expect(await own.bytes(after as never)).toBeUndefined();
    expect([await own.holds("a"), await own.holds("b"), await own.call("b")]).toEqual([
      true,
      false,
      undefined,
    ]);
  });

  it("is flushed before anything is replaced: after a power cut at any moment it is whole or was never said to be kept (U7)", async () => {
    for (let at = 1, ended = false; !ended; at++) {
      const files: Files = new Map();
      const { disk, kept } = open(files, { crash: ({ n }) => n === at });
      let isKept = false;
      const keeping = kept("1").keep("a", "..", [change("x", file("old"), file("new"))]);
      await Promise.race([keeping.then(() => (isKept = true)), disk.stopped]);
      ended = !disk.crashed;
      const after = open(afterPowerCut(files, createRandom(at), "cut")).kept("1");
      const call = await after.call("a");
      const before = call?.edits[0]?.before;
      const bytes = before?.kind === "file" ? String(await after.bytes(before)) : undefined;
      expect([at, isKept, bytes]).toEqual([at, isKept, isKept || call ? "old" : undefined]);
    }
  });

  it("stays what a call found first when that call runs again (U8)", async () => {
    const files: Files = new Map();
    await open(files)
      .kept("1")
      .keep("a", "..", [change("x", file("old"), file("new"))]);
    // Killed before it wrote, and killed after it wrote.
    for (const found of ["old", "new"])
      await open(files)
        .kept("1")
        .keep("a", "..", [change("x", file(found), file("new"))]);
    expect((await open(files).kept("1").call("a"))?.edits).toHaveLength(1);
    // Somebody else was there in between.
    await open(files)
      .kept("1")
      .keep("a", "..", [change("x", file("a person's"), file("new"))]);
    const own = open(files).kept("1");
    const edits = (await own.call("a"))!.edits.map(({ before }) => before);
    expect(await Promise.all(edits.map(async (before) => String(await own.bytes(before as never))))).toEqual([
      "old",
      "a person's",
    ]);
  });

  it("is nothing of a file that holds a secret, nor of what is no file; both are named (U9)", async () => {
    const files: Files = new Map();
    const { kept } = open(files);
    const unkept = await kept("1").keep("a", "..", [
      change("key", file("token = s3cret-s3cret-s3cret"), file("")),
      change("pipe", { kind: "other", why: "it is not a regular file" }, NOTHING),
      change("new", NOTHING, file("s3cret-s3cret-s3cret")),
    ]);
    expect(unkept).toEqual([
      { path: "key", why: "it holds a secret" },
      { path: "pipe", why: "it is not a regular file" },
    ]);
    expect((await kept("1").call("a"))!.edits.map(({ unkept: why }) => why)).toEqual([
      "it holds a secret",
      "it is not a regular file",
      undefined,
    ]);
    expect(JSON.stringify([...files.values()].map(String))).not.toContain("s3cret");
  });

  it("is kept once for one agent, and ends at the limits of the agent and of the home, also for the process after (U9)", async () => {
    const files: Files = new Map();
    const limits = { agent: 20, home: 30 };
    const keep = (agent: string, key: string, content: string) =>
      open(files, { limits })
        .kept(agent)
        .keep(key, "..", [change("x", file(content), NOTHING)]);
    const full = [{ path: "x", why: "no more is kept; `legion prune` makes room" }];
    expect(await keep("1", "a", "1234567890123456")).toEqual([]);
    expect(await keep("1", "b", "1234567890123456")).toEqual([]);
    expect(await keep("1", "c", "12345")).toEqual(full);
    expect(await keep("2", "a", "123456789012345")).toEqual(full);
    expect(await keep("2", "b", "12345678901234")).toEqual([]);
    expect(await keep("1", "d", "1")).toEqual(full);
  });

  it("is unknown where its file is damaged, and bytes that are not what they were are none", async () => {
    const files: Files = new Map();
    const { disk, kept } = open(files);
    await kept("1").keep("a", "..", [change("x", file("old"), file("new"))]);
    const { before } = (await kept("1").call("a"))!.edits[0]!;
    const [bytes, call] = (await disk.list("/home/agents/1/undo")).toSorted((a) =>
      a.endsWith("json") ? 1 : -1,
    );
    await disk.replace(`/home/agents/1/undo/${bytes}`, "not");
    expect(await kept("1").bytes(before as never)).toBeUndefined();
    await disk.replace(`/home/agents/1/undo/${call}`, '{"edits":');
    expect(await kept("1").call("a")).toBeUndefined();
  });
});
