import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { notes } from "../../modules/notes.ts";
import { createTestHost } from "./test-host.ts";

describe("the notes module", () => {
  it("tells the agent what notes are for", () => {
    const { host } = createTestHost(notes);
    expect(notes.instructions!(host)).toMatchInlineSnapshot(
      `"Notes are your lasting memory: older parts of this conversation are summarised, notes stay as you write them. Write down what you will need later, one subject to a note, under a title that says what is in it. Writing under a title that exists replaces that note."`,
    );
  });

  it("writes, shows and deletes a note", async () => {
    const agent = createTestHost(notes);
    const title = "What I found";
    expect(await agent.act("writeNote", { title, content: "a\nb\n" })).toEqual({
      outcome: "ok",
      content: 'Note "What I found" has been written successfully.',
    });
    expect(await agent.act("viewNote", { title })).toEqual({
      outcome: "ok",
      content: 'Content of "What I found":\na\nb\n',
    });
    expect(await agent.act("deleteNote", { title })).toEqual({
      outcome: "ok",
      content: 'Deleted note "What I found".',
    });
    expect(agent.state.size).toBe(0);
  });

  it("shows the titles, the note that was changed last at the end", async () => {
    const agent = createTestHost(notes);
    expect(await notes.pinnedMessage!(agent.host)).toBe("You have no notes.");
    for (const title of ["one", "two", "three"]) await agent.act("writeNote", { title, content: "x" });
    await agent.act("writeNote", { title: " one ", content: "changed" });
    expect(await notes.pinnedMessage!(agent.host)).toMatchInlineSnapshot(`
      "Your notes, the last changed at the end:
      - two
      - three
      - one"
    `);
  });

  it("shows the newest 100 titles and counts the rest", async () => {
    const state = Object.fromEntries(Array.from({ length: 103 }, (_, n) => [`note ${n}`, ""]));
    const lines = (await notes.pinnedMessage!(createTestHost(notes, { state }).host))!.split("\n");
    expect(lines.slice(0, 3)).toEqual([
      "Your notes, the last changed at the end:",
      "(3 older ones are not shown)",
      "- note 3",
    ]);
    expect(lines.at(-1)).toBe("- note 102");
    expect(lines).toHaveLength(102);
  });

  it("knows an empty note from none", async () => {
    const agent = createTestHost(notes);
    await agent.act("writeNote", { title: "empty", content: "" });
    expect(await agent.act("viewNote", { title: "empty" })).toEqual({
      outcome: "ok",
      content: 'Content of "empty":\n',
    });
    expect((await agent.act("deleteNote", { title: "empty" })).outcome).toBe("ok");
  });

  it.each(["viewNote", "deleteNote"])("names the nearest titles when %s finds nothing", async (action) => {
    const state = { "Survey of src/": "", "survey of test/": "", Recipes: "" };
    const agent = createTestHost(notes, { state });
    expect(await agent.act(action, { title: "Survey of src" })).toEqual({
      outcome: "error",
      content: 'Note "Survey of src" not found. Did you mean "Survey of src/" or "survey of test/"?',
    });
    expect((await agent.act(action, { title: "zzz" })).content).toBe('Note "zzz" not found.');
  });

  it.each([
    ["empty", ""],
    ["blank", "  "],
    ["two lines", "a\nb"],
    ["a control character", "a\u001b[31m"],
    ["NUL", "a\0"],
    ["half a character", "a\ud800"],
    ["more than 500 characters", "x".repeat(501)],
  ])("refuses a title that is no title: %s", async (_, title) => {
    const agent = createTestHost(notes);
    await expect(agent.act("writeNote", { title, content: "x" })).rejects.toThrow();
    expect(agent.state.size).toBe(0);
  });

  it("keeps every note apart, whatever its title is", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string({ minLength: 1 }), fc.string(), { noNullPrototype: true }),
        async (texts) => {
          const written = new Map(
            Object.entries(texts).filter(([title]) => /^[^\p{Cc}\p{Cs}]+$/u.test(title) && title.trim()),
          );
          const wanted = new Map([...written].map(([title, content]) => [title.trim(), content]));
          const agent = createTestHost(notes);
          for (const [title, content] of written) await agent.act("writeNote", { title, content });
          for (const [title, content] of wanted) {
            expect((await agent.act("viewNote", { title })).content).toBe(
              `Content of "${title}":\n${content}`,
            );
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it("refuses a note of more than 1 MiB", async () => {
    const agent = createTestHost(notes);
    await expect(agent.act("writeNote", { title: "t", content: "ä".repeat(524_289) })).rejects.toThrow(
      "1 MiB",
    );
    expect((await agent.act("writeNote", { title: "t", content: "ä".repeat(524_288) })).outcome).toBe("ok");
  });

  it("shows the start of a long note and says where the whole one is", async () => {
    const content = `${"x".repeat(50 * 1024 - 1)}äxyz`;
    const agent = createTestHost(notes, { state: { long: content } });
    const shown = (await agent.act("viewNote", { title: "long" })).content;
    expect(shown.startsWith(`Content of "long":\n${"x".repeat(50 * 1024 - 1)}\n[The rest is left out.`)).toBe(
      true,
    );
    expect(shown).toMatch(/Full text: \.ai-legion\/agents\/1\/blobs\/[0-9a-f]{64}\]$/);
  });

  it("does not take for a note what is no text", async () => {
    const agent = createTestHost(notes, { state: { odd: { a: 1 } } });
    expect((await agent.act("viewNote", { title: "odd" })).outcome).toBe("error");
  });

  it("shows a title from a strange file name on one line", async () => {
    const agent = createTestHost(notes, { state: { "a\n--- CONTROL ---\nb": "" } });
    expect(await notes.pinnedMessage!(agent.host)).toBe(
      "Your notes, the last changed at the end:\n- a --- CONTROL --- b",
    );
  });

  it("is kept as one plain file for each note, and touches nothing else", () => {
    expect(notes.projection).toEqual({ kind: "folder", name: "notes", extension: ".txt" });
    expect(Object.values(notes.actions).map(({ effects }) => effects)).toEqual(["none", "reads", "none"]);
  });
});
