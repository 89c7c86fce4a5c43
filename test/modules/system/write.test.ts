import { chmodSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { system } from "../../../modules/system/index.ts";
import { createRedactor } from "../../../src/base/redaction/redactor.ts";
import { createTestHost } from "../test-host.ts";

describe("writeFile", () => {
  it("writes a file, with the folders above it, as often as it is asked", async () => {
    const agent = createTestHost(system);
    const parameters = { path: "a/b/c.txt", content: "hello\n" };
    for (let n = 0; n < 2; n++) {
      expect(await agent.act("writeFile", parameters)).toEqual({
        outcome: "ok",
        content: "Wrote to a/b/c.txt.",
        details:
          n === 0
            ? { created: true, diff: "--- /dev/null\n+++ a/b/c.txt\n@@ -0,0 +1,1 @@\n+hello\n" }
            : { created: false, diff: "" },
      });
      expect(readFileSync(join(agent.root, "a/b/c.txt"), "utf8")).toBe("hello\n");
    }
    expect(readdirSync(join(agent.root, "a/b"))).toEqual(["c.txt"]);
  });

  it("replaces what was there, and keeps who may read and run it", async () => {
    const agent = createTestHost(system);
    const path = agent.file("run.sh", "a much longer text");
    chmodSync(path, 0o750);
    await agent.act("writeFile", { path: "run.sh", content: "" });
    expect(readFileSync(path, "utf8")).toBe("");
    expect(statSync(path).mode & 0o777).toBe(0o750);
  });

  it("takes an absolute path inside the workspace", async () => {
    const agent = createTestHost(system);
    expect((await agent.act("writeFile", { path: join(agent.root, "x"), content: "x" })).outcome).toBe("ok");
    expect(readFileSync(join(agent.root, "x"), "utf8")).toBe("x");
  });

  it("writes through a link inside the workspace, and keeps the link", async () => {
    const agent = createTestHost(system);
    agent.file("real/file", "old");
    symlinkSync("real", join(agent.root, "folder-link"));
    symlinkSync("real/file", join(agent.root, "file-link"));
    await agent.act("writeFile", { path: "file-link", content: "one" });
    expect(readFileSync(join(agent.root, "real/file"), "utf8")).toBe("one");
    await agent.act("writeFile", { path: "folder-link/file", content: "two" });
    expect(readFileSync(join(agent.root, "file-link"), "utf8")).toBe("two");
  });

  it("refuses a folder, and a file with a second name", async () => {
    const agent = createTestHost(system);
    mkdirSync(join(agent.root, "folder"));
    linkSync(agent.file("file", "shared"), join(agent.root, "second"));
    expect((await agent.act("writeFile", { path: "folder", content: "x" })).content).toBe(
      "That is a folder, not a file. Path: folder",
    );
    for (const path of ["file", "second"]) {
      expect((await agent.act("writeFile", { path, content: "x" })).content).toBe(
        `That file has a second name (a hard link), maybe elsewhere. Path: ${path}`,
      );
    }
    expect(readFileSync(join(agent.root, "file"), "utf8")).toBe("shared");
  });

  it("leaves nothing behind when it fails", async () => {
    const agent = createTestHost(system);
    agent.file("file", "text");
    expect((await agent.act("writeFile", { path: "file/x", content: "x" })).outcome).toBe("error");
    expect((await agent.act("writeFile", { path: "y".repeat(256), content: "x" })).outcome).toBe("error");
    expect(readdirSync(agent.root)).toEqual(["file"]);
  });

  it("reads back every text that it wrote", async () => {
    const agent = createTestHost(system);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (content) => {
        await agent.act("writeFile", { path: "file", content });
        expect(readFileSync(join(agent.root, "file"), "utf8")).toBe(content);
      }),
      { numRuns: 50 },
    );
  });
});

describe("a value that is hidden from the agent", () => {
  const KEY = "v9Kq72fLmZ0vB3tYw5xA";
  const MARK = "[redacted:API_KEY]";
  const { marksIn: hides } = createRedactor([{ name: "API_KEY", value: KEY }]);
  const agentWith = (content: string) => {
    const agent = createTestHost(system, { hides });
    return { ...agent, path: agent.file("settings", content) };
  };

  it.each([
    ["writeFile", { content: `key = ${MARK}\nport = 2\n` }],
    ["editFile", { oldText: `key = ${MARK}\n`, newText: `key = ${MARK}\nport = 2\n` }],
    ["editFile", { oldText: "port", newText: `other = ${MARK}\nport` }],
  ])("is not overwritten by its mark: %s %j", async (action, parameters) => {
    const agent = agentWith(`key = ${KEY}\nport = 1\n`);
    const { outcome, content } = await agent.act(action, { path: "settings", ...parameters });
    expect([outcome, content]).toEqual(["error", expect.stringContaining(`where you read ${MARK}`)]);
    expect(content).toContain("Change what stands around it with editFile");
    expect(readFileSync(agent.path, "utf8")).toBe(`key = ${KEY}\nport = 1\n`);
  });

  it("stays when what stands around it is changed", async () => {
    const agent = agentWith(`key = ${KEY}\nport = 1\n`);
    const parameters = { path: "settings", oldText: "port = 1", newText: "port = 2" };
    expect(await agent.act("editFile", parameters)).toMatchObject({ outcome: "ok" });
    expect(readFileSync(agent.path, "utf8")).toBe(`key = ${KEY}\nport = 2\n`);
  });

  it("may go where the whole file is to be another one, and a mark stays a word where nothing is hidden", async () => {
    const agent = agentWith(`key = ${KEY}\n`);
    expect(await agent.act("writeFile", { path: "settings", content: "none\n" })).toMatchObject({
      outcome: "ok",
    });
    expect(await agent.act("writeFile", { path: "settings", content: MARK })).toMatchObject({
      outcome: "ok",
    });
    expect(readFileSync(agent.path, "utf8")).toBe(MARK);
  });
});

describe("editFile", () => {
  async function edit(content: string | Buffer, oldText: string, newText: string) {
    const agent = createTestHost(system);
    const path = agent.file("file", content);
    const result = await agent.act("editFile", { path: "file", oldText, newText });
    return { ...result, file: readFileSync(path, "utf8") };
  }

  it("replaces a text that occurs once", async () => {
    expect(await edit("a\nb\nc\n", "b\n", "x\ny\n")).toEqual({
      outcome: "ok",
      content: "Edited file.",
      details: { created: false, diff: "--- file\n+++ file\n@@ -1,3 +1,4 @@\n a\n-b\n+x\n+y\n c\n" },
      file: "a\nx\ny\nc\n",
    });
    expect((await edit("keep this", " this", "")).file).toBe("keep");
  });

  it("puts the new text there as it is", async () => {
    expect((await edit("a b c", "b", "$& $1 $$ \\n")).file).toBe("a $& $1 $$ \\n c");
  });

  it.each([
    ["not found", "a b c", "x"],
    ["found 2 times, must be unique: give more of what stands around it", "a b a", "a"],
    ["found 2 times, must be unique: give more of what stands around it", "aaa", "aa"],
    ["not found", "", "a"],
  ])("refuses an old text that was %s", async (found, content, oldText) => {
    expect(await edit(content, oldText, "y")).toEqual({
      outcome: "error",
      content: `The old text was ${found}. Path: file`,
      file: content,
    });
  });

  it("agrees with a plain search about what occurs once", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 30 });
    const part = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(text, part, async (content, oldText) => {
        const places = Array.from(content, (_, at) => at).filter((at) => content.startsWith(oldText, at));
        const { outcome, file } = await edit(content, oldText, "X");
        expect(outcome).toBe(places.length === 1 ? "ok" : "error");
        expect(file).toBe(places.length === 1 ? content.replace(oldText, "X") : content);
      }),
      { numRuns: 100 },
    );
  });

  it("is done with texts that repeat themselves", async () => {
    const half = "a".repeat(200_000);
    expect((await edit("a".repeat(4_000_000), `${half}b${half}`, "x")).outcome).toBe("error");
  });

  it("keeps Windows line ends and a byte order mark", async () => {
    expect((await edit("\ufeffa\r\nb\r\nc\r\n", "a\nb", "x\ny")).file).toBe("\ufeffx\r\ny\r\nc\r\n");
    expect((await edit("a\r\nb\r\n", "a\r\nb", "x\r\ny")).file).toBe("x\r\ny\r\n");
    expect((await edit("a\r\nb\nc\n", "b\nc", "y")).file).toBe("a\r\ny\n");
    expect((await edit("a\nb\n", "b", "x\ny")).file).toBe("a\nx\ny\n");
    expect((await edit("\ufeffa\r\n", "a\n", "b\n")).file).toBe("\ufeffb\r\n");
    expect((await edit("a\r\nb\r\n", "a", "x\ny")).file).toBe("x\r\ny\r\nb\r\n");
  });

  it("keeps who may run the file", async () => {
    const agent = createTestHost(system);
    const path = agent.file("run.sh", "a");
    chmodSync(path, 0o755);
    await agent.act("editFile", { path: "run.sh", oldText: "a", newText: "b" });
    expect(statSync(path).mode & 0o777).toBe(0o755);
  });

  it("refuses what is no UTF-8, what is too big, and what is not there", async () => {
    expect((await edit(Buffer.from([0x61, 0xff]), "a", "b")).content).toBe(
      "That file is not text in UTF-8. Path: file",
    );
    expect((await edit(Buffer.alloc(16 * 1024 * 1024 + 1, 97), "b", "c")).content).toBe(
      "That file is too big to edit. Path: file",
    );
    const agent = createTestHost(system);
    const result = await agent.act("editFile", { path: "new/file", oldText: "a", newText: "b" });
    expect(result.content).toBe("There is no such file or folder. Path: new/file");
    expect(readdirSync(agent.root)).toEqual([]);
  });

  it("loses no edit when many agents edit one file at once", async () => {
    const agent = createTestHost(system);
    const numbers = Array.from({ length: 30 }, (_, n) => n);
    const path = agent.file("file", numbers.map((n) => `<${n}>\n`).join(""));
    const results = await Promise.all(
      numbers.map((n) => agent.act("editFile", { path: "file", oldText: `<${n}>`, newText: `[${n}]` })),
    );
    expect(results.map(({ outcome }) => outcome)).toEqual(numbers.map(() => "ok"));
    expect(readFileSync(path, "utf8")).toBe(numbers.map((n) => `[${n}]\n`).join(""));
  });
});
