import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  findingsIn,
  readFindings,
  writeFindings,
  type Findings,
} from "../../../src/model/offline/survey/findings.ts";
import {
  readShareGoal,
  readSurveyGoal,
  writeShareGoal,
  writeSurveyGoal,
} from "../../../src/model/offline/goals.ts";
import {
  isSurveyEnd,
  newShare,
  readReport,
  readShare,
  surveyEnd,
  writeReport,
  writeShare,
} from "../../../src/model/offline/letters.ts";
import { PATH, readPath, writePath } from "../../../src/model/offline/paths.ts";

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
const attempt = fc.constantFrom("first" as const, "second" as const);

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
      fc.property(dir, fc.array(entry), fc.integer({ min: 0, max: 300 }), (folder, entries, parts) => {
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
      size: fc.constantFrom("1 line", "12 lines, 340 bytes", "not read, that path is off-limits"),
      about: fc.constantFrom("", "exports a, b; c", "headings One, Two"),
    });
    fc.assert(
      fc.property(fc.array(found), fc.nat(), fc.nat(), (list, lines, folders) => {
        const files = list.filter(({ path }) => !path.endsWith("/")).length;
        const findings: Findings = { files, lines, bytes: 0, folders, unread: 0, found: list };
        const share = newShare("x y", ["a"], 1);
        expect(readReport(share, writeReport(share, findings))).toEqual(findings);
        expect(readReport(newShare("x y", ["b"], 1), writeReport(share, findings))).toBeUndefined();
      }),
    );
  });

  it("are not taken from anything else", () => {
    for (const text of [
      "",
      "survey .",
      "Report on the survey of .",
      'You have a share in the survey of "',
      'The survey of "x" is fun:',
      "Survey x for y: z",
      `Report on the survey of "${"\\".repeat(99)}`,
    ]) {
      expect([
        readShare(text),
        readReport(newShare(".", [], 1), text),
        readSurveyGoal(text),
        readShareGoal(text),
      ]).toEqual([undefined, undefined, undefined, undefined]);
      expect(isSurveyEnd("x", text)).toBe(false);
    }
  });

  it("name the survey that has ended", () => {
    fc.assert(
      fc.property(dir, (folder) => {
        expect(isSurveyEnd(folder, `${surveyEnd(folder, "is done")} 3 files`)).toBe(true);
        expect(isSurveyEnd(folder, surveyEnd(folder, "has failed"))).toBe(true);
        expect(isSurveyEnd(`${folder}x`, surveyEnd(folder, "is done"))).toBe(false);
      }),
    );
  });
});

describe("the goals of a survey", () => {
  it("say all that is needed to start over", () => {
    const agent = fc.constantFrom("0", "2", "17", "writer", "a.b-c_d");
    fc.assert(
      fc.property(dir, agent, attempt, fc.array(entry, { maxLength: 5 }), (folder, from, which, entries) => {
        const goal = { dir: folder, asker: from, attempt: which };
        expect(readSurveyGoal(writeSurveyGoal(goal))).toEqual(goal);
        const share = newShare(folder, entries, 1);
        const shareGoal = { share, from, attempt: which };
        expect(readShareGoal(writeShareGoal(shareGoal))).toEqual({ ...shareGoal, unlisted: 0 });
      }),
    );
  });

  it("count the entries of a long share, and stay below what a goal may hold", () => {
    const share = newShare(
      ".",
      Array.from({ length: 900 }, (_, n) => `file-${n}.txt`),
      2,
    );
    const goal = writeShareGoal({ share, from: "1", attempt: "first" });
    expect(goal.length).toBeLessThan(200);
    expect(readShareGoal(goal)).toMatchObject({ share: { key: share.key, entries: [] }, unlisted: 900 });
    const just = newShare(
      ".",
      Array.from({ length: 100 }, (_, n) => `file-${n}.txt`),
      2,
    );
    expect(writeShareGoal({ share: just, from: "1", attempt: "second" }).length).toBeLessThan(2_000);
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
      size: "1 line",
      about: "exports something",
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
      size: "1 line",
      about: "",
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
    expect(outline("There is no such file or folder. Path: .")).toBe("there is no such file or folder");
  });

  it("of somebody else are text, and no more", () => {
    const { found, files } = readFindings(
      "1e9 files\n- a: 1 line; <b>`x`\u0007\u202e\n- b\n* c: 1\n- d: \n- e: x;y",
    );
    expect(files).toBe(0);
    expect(found).toEqual([{ path: "a", size: "1 line", about: "bx" }]);
    expect(readFindings(`1 file\n${"- a: 1 line\n".repeat(20_000)}`).found.length).toBeLessThan(5_000);
    readFindings(`- ${'"\\'.repeat(100_000)}`);
  });
});
