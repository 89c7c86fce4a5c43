import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Contents, Replacement } from "../../../src/domain/authoring/workspace.ts";
import type { ChangedByCommands } from "../../../src/domain/event/changed.ts";
import { createFileAccount, toldOf } from "../../../src/past/undo/told.ts";

const NOTHING: Contents = { kind: "nothing" };
const FOLDER: Contents = { kind: "folder" };
const FILE: Contents = { kind: "file", content: "x" };
const made = (path: string): Replacement => ({
  ...{ path, before: NOTHING },
  after: { kind: "file", content: `as ${path} came` },
});
const changed = (path: string): Replacement => ({ path, before: FILE, after: FILE });
const deleted = (path: string): Replacement => ({ path, before: FILE, after: NOTHING });

const told = (changed: ChangedByCommands | undefined): readonly string[] =>
  (changed?.files ?? []).map(({ path, does, from }) =>
    from === undefined ? `${does} ${path}` : `${from} -> ${path}`,
  );

function standing(files: ReadonlyMap<string, string>, path: string): Contents {
  const content = files.get(path);
  return content === undefined ? NOTHING : { kind: "file", content };
}

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
      ...[made("a"), changed("b"), deleted("c"), { ...made("d"), before: FOLDER }],
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

  it("is a move where a file went while another came with the same bytes, and of empty ones nobody can tell", () => {
    const file = (content: string): Contents => ({ kind: "file", content });
    const came = (path: string, content: string) => ({ path, before: NOTHING, after: file(content) });
    const went = (path: string, content: string) => ({ path, before: file(content), after: FOLDER });
    const files = [
      ...[went("a", "one"), came("b", "one"), went("c", "two"), went("d", "two"), came("e", "two")],
      ...[went("f", ""), came("g", ""), went("h", "three"), came("i", "four")],
    ];
    expect(told(toldOfAll(files))).toEqual([
      ...["a -> b", "deleted d", "c -> e", "deleted f", "created g", "deleted h", "created i"],
    ]);
    // From one command to the next: moved on, changed, and moved where something else stands again.
    const next = [went("b", "one"), came("j", "one"), { path: "e", before: FILE, after: FILE }];
    expect(told(toldOfAll(files.slice(0, 5), next))).toEqual(["deleted d", "c -> e", "a -> j"]);
    expect(told(toldOfAll(files.slice(0, 2), [came("a", "new")]))).toEqual(["changed a", "created b"]);
    expect(told(toldOfAll(files.slice(0, 2), [went("b", "one")]))).toEqual(["deleted a"]);
  });

  it("moves only what was there before to what is there now, whatever commands did (property)", () => {
    const path = fc.constantFrom("a", "b", "c", "d");
    const act = fc.oneof(
      fc.record({ is: fc.constant("write"), path, content: fc.constantFrom("one", "two", "") }),
      fc.record({ is: fc.constant("remove"), path, content: fc.constant("") }),
      fc.record({ is: fc.constant("move"), path, content: path }),
    );
    const command = fc.array(act, { maxLength: 3 });
    fc.assert(
      fc.property(fc.array(command, { maxLength: 4 }), (commands) => {
        let files = new Map([
          ["a", "one"],
          ["b", "two"],
        ]);
        const start = files;
        const all = commands.map((acts) => {
          const before = files;
          files = new Map(files);
          for (const { is, path: at, content } of acts) {
            const bytes = files.get(at);
            if (is === "write") files.set(at, content);
            else files.delete(at);
            if (is === "move" && bytes !== undefined) files.set(content, bytes);
          }
          return ["a", "b", "c", "d"].flatMap((at): readonly Replacement[] => {
            const [old, now] = [standing(before, at), standing(files, at)];
            return before.get(at) === files.get(at) ? [] : [{ path: at, before: old, after: now }];
          });
        });
        const known = toldOfAll(...all)?.files ?? [];
        for (const { does, from, path: to } of known) {
          expect(does === "moved").toBe(from !== undefined);
          if (from === undefined)
            expect(does).toBe(start.has(to) ? (files.has(to) ? "changed" : "deleted") : "created");
          else
            expect([start.has(from), files.has(from), start.has(to), files.has(to)]).toEqual([
              true,
              false,
              false,
              true,
            ]);
        }
        const froms = known.flatMap(({ from }) => from ?? []);
        expect(new Set(froms).size).toBe(froms.length);
        const named = known.flatMap(({ path: to, from = to }) => [to, from]);
        for (const at of ["a", "b", "c", "d"])
          if (start.get(at) !== files.get(at)) expect(named).toContain(at);
      }),
    );
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
