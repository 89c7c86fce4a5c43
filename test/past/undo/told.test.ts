import { describe, expect, it } from "vitest";
import type { Contents, Replacement } from "../../../src/domain/authoring/workspace.ts";
import { createFileAccount, toldOf } from "../../../src/past/undo/told.ts";

const NOTHING: Contents = { kind: "nothing" };
const FOLDER: Contents = { kind: "folder" };
const FILE: Contents = { kind: "file", content: "x" };
const made = (path: string): Replacement => ({ path, before: NOTHING, after: FILE });
const changed = (path: string): Replacement => ({ path, before: FILE, after: FILE });
const deleted = (path: string): Replacement => ({ path, before: FILE, after: NOTHING });

/** What a result tells of an action that ran commands which changed that, one after the other. */
function toldOfAll(...commands: readonly (readonly Replacement[])[]) {
  const account = createFileAccount();
  for (const one of commands) account.tell({ unkept: [], changed: toldOf(one, "none") });
  return account.changed;
}

describe("what a result tells of the files that its commands changed", () => {
  it("is which of them came, changed and went; where a folder stands there is no file", () => {
    const other: Contents = { kind: "other", why: "it is too big" };
    const files = [
      ...[made("a"), changed("b"), deleted("c"), { path: "d", before: FOLDER, after: FILE }],
      ...[
        { path: "e", before: FILE, after: FOLDER },
        { path: "f", before: other, after: other },
      ],
    ];
    expect(toldOfAll(files)?.files.map(({ path, does }) => `${does} ${path}`)).toEqual([
      ...["created a", "changed b", "deleted c", "created d", "deleted e", "changed f"],
    ]);
  });

  it("is nothing where they changed nothing, whatever ran beside them, and is not there where nobody looked", () => {
    expect(toldOf([], "commands")).toEqual({ files: [] });
    expect(toldOf([made("a")], "commands")).toEqual({
      files: [{ path: "a", does: "created" }],
      isShared: true,
    });
    expect(toldOfAll()).toBeUndefined();
  });

  it("is of several commands what they came to in all", () => {
    const told = toldOfAll(
      [made("a"), made("b"), deleted("c"), changed("d")],
      [],
      [...[changed("a"), deleted("b"), made("c"), deleted("d")]],
    );
    expect(told).toEqual({
      files: [
        { path: "a", does: "created" },
        { path: "c", does: "changed" },
        { path: "d", does: "deleted" },
      ],
    });
  });

  it("says of several why it is not known of one of them, and what nobody can tell apart", () => {
    const account = createFileAccount();
    account.tell({ unkept: [], changed: toldOf([made("a")], "commands") });
    account.tell({ unkept: [], changed: { files: [], unknown: "git took longer than 1 s" } });
    account.tell({ unkept: [{ path: "b", why: "it holds a secret" }] });
    expect(account).toMatchObject({
      unkept: [{ path: "b" }],
      changed: { files: [{ path: "a" }], isShared: true, unknown: "git took longer than 1 s" },
    });
  });

  it("has at most 100 files and 16 KiB of paths, and counts the others, also of several commands", () => {
    const many = Array.from({ length: 250 }, (_, n) => made(`${n}.txt`));
    const one = toldOfAll(many);
    expect([one?.files.length, one?.more]).toEqual([100, 150]);
    const two = toldOfAll(many.slice(0, 60), many.slice(100, 160));
    expect([two?.files.length, two?.more]).toEqual([100, 20]);
    // What a terminal acts on is six times as long in JSON.
    const long = Array.from({ length: 20 }, (_, n) => made(`${n}${"\u001b".repeat(300)}`));
    const hostile = toldOfAll([made("\u001b".repeat(4_000)), ...long, made("last")]);
    expect(hostile?.files.at(-1)).toEqual({ path: "last", does: "created" });
    expect(hostile!.files.length + hostile!.more!).toBe(22);
    expect(Buffer.byteLength(JSON.stringify(hostile?.files))).toBeLessThan(20_000);
  });
});
