import { execFileSync } from "node:child_process";
import { truncateSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { system } from "../../../modules/system/index.ts";
import { printable } from "../../../modules/system/text.ts";
import { createTestHost } from "../test-host.ts";

const FIFTY_KB = 50 * 1024;

async function read(content: string | Uint8Array, span: { offset?: unknown; limit?: unknown } = {}) {
  const agent = createTestHost(system);
  agent.file("file", content);
  return agent.act("readFile", { path: "file", ...span });
}

function numbered(count: number): string {
  return Array.from({ length: count }, (_, n) => `line ${n + 1}\n`).join("");
}

describe("readFile", () => {
  it.each([
    ["", "Contents of file (0 lines, 0 bytes):"],
    ["\n", "Contents of file (1 line, 1 byte):\n"],
    ["one", "Contents of file (1 line, 3 bytes):\none"],
    ["one\n", "Contents of file (1 line, 4 bytes):\none"],
    ["one\n\ntwo", "Contents of file (3 lines, 8 bytes):\none\n\ntwo"],
    ["one\r\ntwo\r\n", "Contents of file (2 lines, 10 bytes):\none\ntwo"],
    ["\ufeffone\n", "Contents of file (1 line, 7 bytes):\none"],
    ["ä 🐙\n", "Contents of file (1 line, 8 bytes):\nä 🐙"],
  ])("shows %j", async (content, shown) => {
    expect(await read(content)).toEqual({ outcome: "ok", content: shown });
  });

  it("shows the first 2,000 lines and says how to go on", async () => {
    const { content } = await read(numbered(4_500));
    const lines = content.split("\n");
    expect(lines[0]).toBe("Contents of file (4500 lines, 43893 bytes):");
    expect(lines[2_000]).toBe("line 2000");
    expect(lines.at(-1)).toBe("[Lines 1 to 2000 are shown; go on with offset 2001.]");
    expect(lines).toHaveLength(2_002);
  });

  it("shows the lines that are asked for", async () => {
    expect((await read(numbered(10), { offset: 3, limit: 2 })).content).toBe(
      "Contents of file (10 lines, 71 bytes):\nline 3\nline 4\n[Lines 3 to 4 are shown; go on with offset 5.]",
    );
    expect((await read(numbered(10), { offset: "9", limit: "5" })).content).toBe(
      "Contents of file (10 lines, 71 bytes):\nline 9\nline 10",
    );
    expect((await read(numbered(5_000), { offset: 4_000, limit: 9_999 })).content.split("\n")).toHaveLength(
      1_002,
    );
  });

  it("shows at most 50 KB, in whole lines", async () => {
    const { content } = await read(`${"x".repeat(999)}\n`.repeat(100));
    const lines = content.split("\n");
    expect(lines.filter((line) => line.startsWith("x"))).toHaveLength(51);
    expect(lines.at(-1)).toBe("[Lines 1 to 51 are shown; go on with offset 52.]");
  });

  it("cuts a line that is too long to be shown, never inside a character", async () => {
    const { content } = await read(`${"ä".repeat(FIFTY_KB)}\nnext\n`);
    const [, line, ...notes] = content.split("\n");
    expect(line).toBe("ä".repeat(FIFTY_KB / 2));
    expect(notes).toEqual([
      "[Line 1 is cut: it is too long to be shown.]",
      "[Lines 1 to 1 are shown; go on with offset 2.]",
    ]);
    expect((await read(`a${"ä".repeat(FIFTY_KB)}`)).content).not.toContain("\ufffd");
  });

  it("gives every line once to who follows the offsets, in files of any shape", async () => {
    const line = fc.oneof(fc.string({ unit: "binary", maxLength: 20 }), fc.constant("x".repeat(30_000)));
    const lines = fc.array(
      line.map((text) => printable(text).replace(/[\n\t\ufeff]/g, "-")),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 1, max: 50 }), async (all, limit) => {
        const agent = createTestHost(system);
        agent.file("file", all.map((text) => `${text}\n`).join(""));
        const seen: string[] = [];
        for (let offset = 1; offset <= all.length;) {
          const { content } = await agent.act("readFile", { path: "file", offset, limit });
          const next = /\n\[Lines \d+ to \d+ are shown; go on with offset (\d+)\.\]$/.exec(content);
          const shown = content.slice(content.indexOf("\n") + 1, next?.index);
          seen.push(...shown.split("\n"));
          offset = next ? Number(next[1]) : Infinity;
        }
        expect(seen).toEqual(all);
      }),
      { numRuns: 40 },
    );
  });

  it("says so when the offset is past the end", async () => {
    expect(await read("one\n", { offset: 2 })).toEqual({
      outcome: "error",
      content: "file has only 1 line.",
    });
    expect((await read("", { offset: 1 })).outcome).toBe("ok");
    expect((await read("", { offset: 2 })).content).toBe("file has only 0 lines.");
  });

  it.each([0, -1, 1.5, "x", ""])("refuses the offset %j", async (offset) => {
    await expect(read("one", { offset })).rejects.toThrow();
  });

  it("spells out what would change how the rest is shown", async () => {
    expect((await read("a\u001b[31mb\u0007c\u2028d\u0085e\tf\n")).content).toBe(
      "Contents of file (1 line, 19 bytes):\na\\x1b[31mb\\x07c\\u2028d\\x85e\tf",
    );
    expect((await read(Buffer.from([0x61, 0xff, 0x62]))).content).toBe(
      "Contents of file (1 line, 3 bytes):\na\ufffdb",
    );
  });

  it.each([
    ["a PNG image", "\x89PNG\r\n\x1a\n"],
    ["a JPEG image", "\xff\xd8\xff\xe0"],
    ["a PDF document", "%PDF-1.7\n"],
    ["a ZIP archive, or a document or program packed as one", "PK\x03\x04"],
    ["a gzip archive", "\x1f\x8b\x08"],
    ["a program or library", "\x7fELF"],
    ["an SQLite database", "SQLite format 3\0"],
    ["text in UTF-16", "\xff\xfeh\0i\0"],
    ["a binary file", "abc\0def"],
  ])("refuses %s and says what it is", async (kind, start) => {
    const content = Buffer.from(start, "latin1");
    expect(await read(content)).toEqual({
      outcome: "error",
      content: `file is ${kind} (${content.length} bytes); it cannot be read as text.`,
    });
  });

  it("reads the start and the middle of a file that is too big to hold, and says that there is more", async () => {
    const agent = createTestHost(system);
    const path = agent.file("big", "");
    execFileSync("sh", ["-c", `yes 'some line of this file' | head -c 20000000 > "$0"`, path]);
    const { content } = await agent.act("readFile", { path: "big", offset: 500_000, limit: 1 });
    expect(content.split("\n").slice(0, 2)).toEqual([
      "Contents of big (869566 lines, 20000000 bytes):",
      "some line of this file",
    ]);
    truncateSync(path, 400 * 1024 * 1024);
    expect((await agent.act("readFile", { path: "big", limit: 1 })).content).toMatch(
      /^Contents of big \(more than 869566 lines, \d+ bytes\):/,
    );
    expect((await agent.act("readFile", { path: "big", offset: 900_000 })).content).toBe(
      "big is too big to be read that far: it can be read up to line 869566.",
    );
  });

  it("stops reading when the action has to stop", async () => {
    const agent = createTestHost(system, { signal: AbortSignal.abort(new Error("stop")) });
    agent.file("file", "text");
    await expect(agent.act("readFile", { path: "file" })).rejects.toThrow("stop");
  });

  it("says so when there is no such file, or it is a folder", async () => {
    const agent = createTestHost(system);
    agent.file("folder/file");
    expect((await agent.act("readFile", { path: "missing" })).content).toBe(
      "There is no such file or folder. Path: missing",
    );
    expect((await agent.act("readFile", { path: "no/such/file" })).outcome).toBe("error");
    expect((await agent.act("readFile", { path: "folder" })).content).toBe(
      "That is a folder, not a file. Path: folder",
    );
    expect((await agent.act("readFile", { path: "folder/file/x" })).content).toBe(
      "A part of that path is a file or a link, not a folder. Path: folder/file/x",
    );
    expect((await agent.act("readFile", { path: "x".repeat(300) })).content).toMatch(
      /^That name is too long\./,
    );
  });
});
