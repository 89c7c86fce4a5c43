import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  findingsIn,
  readFindings,
  writeFindings,
  type Findings,
} from "../../../src/model/offline/findings.ts";
import {
  newShare,
  readReport,
  readShare,
  returnShare,
  shareOpening,
  writeReport,
  writeShare,
} from "../../../src/model/offline/letters.ts";
import { PATH, readPath, writePath } from "../../../src/model/offline/paths.ts";
import { readView, writeGoal } from "../../../src/model/offline/view.ts";

const name = fc
  .oneof(
    fc.string({ unit: "grapheme", minLength: 1 }),
    fc.string({ unit: "binary", minLength: 1 }),
    fc.constantFrom('"', "a b", "x;y: z", "-", "`", "\n", "\u202e"),
  )
  .map((text) => text.replaceAll("/", "|"))
  .filter((text) => text !== "." && text !== "..");
const entry = fc.oneof(
  name,
  name.map((folder) => `${folder}/`),
);
const dir = fc.oneof(
  fc.constant("."),
  fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/")),
);

describe("a path in a text", () => {
  it("is one word or one quoted string on one line, and can be read again", () => {
    fc.assert(
      fc.property(dir, (path) => {
        const written = writePath(path);
        expect(written).toMatch(new RegExp(`^${PATH}$`));
        expect(written).not.toMatch(/[\p{Cc}\p{Cf}`<]/u);
        expect(readPath(written)).toBe(path);
      }),
    );
  });
});

describe("the letters of a survey", () => {
  it("hand over a share that arrives as it was", () => {
    fc.assert(
      fc.property(dir, fc.array(entry), fc.integer({ min: 1, max: 300 }), (folder, entries, parts) => {
        const share = newShare(folder, entries, parts);
        expect(readShare(writeShare(share))).toEqual(share);
      }),
    );
  });

  it("tell shares apart, and give the same one the same key", () => {
    expect(newShare(".", ["a/", "b"], 3).key).toBe(newShare(".", ["a/", "b"], 9).key);
    const keys = [
      newShare(".", ["a/"], 1),
      newShare(".", ["a"], 1),
      newShare("x", ["a"], 1),
      newShare(".", [], 1),
    ];
    expect(new Set(keys.map(({ key }) => key)).size).toBe(4);
  });

  it("take no step out of the folder from whoever sends them", () => {
    const [opening] = writeShare(newShare(".", ["a"], 1)).split("\n");
    const letter = [opening, "- ..", "- ../x", "- /etc", '- "a/../../b"', "- .", "- ./", "- ", "- ok/"].join(
      "\n",
    );
    expect(readShare(letter)?.entries).toEqual(["ok/"]);
    expect(readShare(`${opening}\n${"- x\n".repeat(9_000)}`)?.entries).toHaveLength(2_000);
  });

  it("bring a report back as it was", () => {
    const found = fc.record({
      path: entry,
      says: fc.constantFrom(
        "1 line",
        "12 lines, 340 bytes; exports a, b; c",
        "not read, that path is off-limits",
      ),
    });
    fc.assert(
      fc.property(fc.array(found), fc.nat(), fc.nat(), (list, lines, folders) => {
        const files = list.filter(({ path }) => !path.endsWith("/")).length;
        const findings: Findings = { files, lines, bytes: 0, folders, unread: 0, found: list };
        const share = newShare(
          "x y",
          list.map(({ path }) => path),
          1,
        );
        expect(readReport(share, writeReport(share, findings))).toEqual(findings);
        expect(readReport(newShare("x y", ["no"], 1), writeReport(share, findings))).toBeUndefined();
      }),
    );
  });

  it("give a share back", () => {
    const share = newShare(".", ["a"], 1);
    expect(readReport(share, returnShare(share))).toBe("returned");
    expect(readReport(newShare(".", ["b"], 1), returnShare(share))).toBeUndefined();
  });

  it("are not taken from anything else", () => {
    for (const text of [
      "",
      "survey .",
      "Report on the survey of .",
      'You have a share in the survey of "',
      `Report on the survey of "${"\\".repeat(99)}`,
    ]) {
      expect([readShare(text), readReport(newShare(".", [], 1), text)]).toEqual([undefined, undefined]);
    }
  });
});

describe("a goal", () => {
  it("says the mail that it stands for", () => {
    const from = fc.constantFrom("0", "2", "17", "writer", "a.b-c_d");
    fc.assert(
      fc.property(dir, from, fc.boolean(), (folder, asker, again) => {
        const share = newShare(folder, ["a"], 2);
        const goal = writeGoal({ from: asker, text: shareOpening(share), again });
        const pinned = `Your goals:\n1) "x" [COMPLETE]\n2) "${goal}" [PENDING]`;
        const { goals, mails } = readView({ system: "", tools: [], turns: [], pinned, maxOutput: 1 });
        expect(goals).toEqual([{ number: 2, text: goal, mail: mails[0] }]);
        expect(mails).toEqual([{ at: -1, from: asker, text: shareOpening(share), again }]);
        expect(readShare(mails[0]!.text)).toEqual({ ...share, entries: [] });
      }),
    );
  });

  it("of anything else stands for no mail", () => {
    const pinned = '1) "buy milk" [PENDING]\n2) "For nobody" [PENDING]';
    expect(readView({ system: "", tools: [], turns: [], pinned, maxOutput: 1 }).mails).toEqual([]);
  });
});

describe("findings", () => {
  const FOUND: Findings = {
    files: 300,
    lines: 10,
    bytes: 20,
    folders: 1,
    unread: 2,
    found: Array.from({ length: 200 }, (_, n) => ({
      path: `f${n}`,
      says: "1 line; exports something",
    })),
  };

  it("give up what files are about before they give up a file", () => {
    expect(writeFindings(FOUND, 50_000).split("\n")).toHaveLength(202);
    expect(writeFindings(FOUND, 50_000)).toContain("- f199: 1 line; exports something\n- and 100 more files");
    const brief = writeFindings(FOUND, 4_000);
    expect(brief).toContain("- f199: 1 line\n- and 100 more files");
    const short = writeFindings(FOUND, 500);
    expect(Buffer.byteLength(short)).toBeLessThanOrEqual(500);
    expect(short).toMatch(
      /^300 files, 10 lines, 20 bytes, 1 folder, 2 not read\.\n- f0: 1 line\n[^]*\n- and 2\d\d more files$/,
    );
  });

  it("stand under the folders that they lie in, and are read from an outline in the same form", () => {
    const found = ["a.ts", "b c/", "src/x.ts", "src/y: z.ts", "src/in/w.ts"].map((path) => ({
      path,
      says: "1 line",
    }));
    const findings: Findings = { files: 4, lines: 4, bytes: 9, folders: 3, unread: 0, found };
    const text = writeFindings(findings, 1_000);
    expect(text.split("\n").slice(1)).toEqual([
      "- a.ts: 1 line",
      '- "b c/": 1 line',
      "In src/:",
      "- x.ts: 1 line",
      '- "y: z.ts": 1 line',
      "In src/in/:",
      "- w.ts: 1 line",
    ]);
    const outline = (content: string) =>
      findingsIn({
        action: "outline",
        parameters: { path: "." },
        result: { call: "1", content, isError: !content.startsWith("Outline") },
      });
    expect(outline(`Outline of .: ${text}`)).toEqual(findings);
    expect(outline("There is no such file or folder. Path: .")).toBe(
      "not read, there is no such file or folder",
    );
  });

  it("of somebody else are text, and no more", () => {
    const { found, files } = readFindings(
      "1e9 files\n- a: 1 line; <b>`x`\u0007\u202e\n- b\n* c: 1\n- d: \n- e: x;y",
    );
    expect(files).toBe(0);
    expect(found).toEqual([
      { path: "a", says: "1 line; bx" },
      { path: "e", says: "x;y" },
    ]);
    expect(readFindings(`1 file\n${"- a: 1 line\n".repeat(20_000)}`).found.length).toBeLessThan(5_000);
    readFindings(`- ${'"\\'.repeat(100_000)}`);
  });
});
