import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileNameOf, foldName, markedNameOf, titleOf } from "../../../src/storage/folder/file-name.ts";
import { createTempProject } from "../../temp-project.ts";

const title = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.string({ unit: "grapheme", maxLength: 300 }),
  fc.stringMatching(/^[./\\%: a]{0,12}$/),
  fc.constantFrom("con", "NUL", "Com1", "LPT9.txt", "prn.", "..", ".", "", " ", "%41", "%-", "a%-00000000"),
);

const isWellFormed = (text: string): boolean => !/\p{Cs}/u.test(text);

describe("the file name of a title", () => {
  it.each([
    ["Facts about src", "Facts about src"],
    ["Größe 日本語 😀", "Größe 日本語 😀"],
    ["a/b\\c", "a%2Fb%5Cc"],
    ["../../x", "%2E%2E%2F..%2Fx"],
    ["CON", "%43ON"],
    ["com1.log", "%63om1.log"],
    ["a:b*c?d", "a%3Ab%2Ac%3Fd"],
    ["ends with a dot.", "ends with a dot%2E"],
    ["ends with a space ", "ends with a space%20"],
    ["%41", "%2541"],
    [".hidden", "%2Ehidden"],
    ["line\nbreak", "line%0Abreak"],
  ])("of %j is %j", (given, name) => {
    expect(fileNameOf(given)).toBe(name);
    expect(titleOf(name)).toBe(given);
  });

  it("is safe on every file system, whatever the title", () => {
    fc.assert(
      fc.property(title, (given) => {
        for (const name of [fileNameOf(given), markedNameOf(given)]) {
          expect(name).not.toMatch(/[/\\:*?"<>|\p{Cc}\p{Cs}]|^\.|[. ]$|^$/u);
          expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
          expect(Buffer.byteLength(name)).toBeLessThanOrEqual(230);
          expect(basename(name)).toBe(name);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("tells all titles apart, marked or not", () => {
    fc.assert(
      fc.property(title, title, (a, b) => {
        fc.pre(a !== b && isWellFormed(a) && isWellFormed(b));
        const names = [fileNameOf(a), fileNameOf(b), markedNameOf(a), markedNameOf(b)];
        // An empty title has no other name than a marked one, and a title that is cut is marked already.
        expect(names[0]).not.toBe(names[1]);
        expect(names[2]).not.toBe(names[3]);
        expect(names[0]).not.toBe(names[3]);
      }),
      { numRuns: 500 },
    );
  });

  it("gives the title back where it was not cut", () => {
    fc.assert(
      fc.property(title, (given) => {
        fc.pre(given !== "" && isWellFormed(given) && !fileNameOf(given).includes("%-"));
        expect(titleOf(fileNameOf(given))).toBe(given);
      }),
    );
  });

  it("can be written and read back on this disk", async () => {
    const folder = join(await createTempProject(), "inner");
    await mkdir(folder);
    const titles = [
      "../../x",
      "CON",
      "a:b",
      "x".repeat(300),
      "😀".repeat(100),
      "dot.",
      "A",
      " ",
      "%41",
      "\u0000",
    ];
    for (const given of titles) await writeFile(join(folder, `${fileNameOf(given)}.txt`), given);
    expect(await readdir(folder)).toHaveLength(titles.length);
    expect(await readdir(join(folder, ".."))).toEqual(["inner"]);
    for (const given of titles)
      expect(await readFile(join(folder, `${fileNameOf(given)}.txt`), "utf8")).toBe(given);
  });

  it("is the same after folding for titles that many disks do not tell apart", () => {
    for (const [a, b] of [
      ["Plan", "plan"],
      ["Größe", "GRÖSSE".replace("SS", "ß")],
      ["\u00e9", "e\u0301"],
    ])
      expect(foldName(fileNameOf(a!))).toBe(foldName(fileNameOf(b!)));
  });
});

describe("the title of a file that a person made", () => {
  it.each([
    ["my plan", "my plan"],
    ["a%2Fb", "a/b"],
    ["100% sure", "100% sure"],
    ["%E4", "%E4"],
  ])("%j is %j", (name, given) => expect(titleOf(name)).toBe(given));
});
