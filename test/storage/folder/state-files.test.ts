import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { goals } from "../../../modules/goals.ts";
import { notes } from "../../../modules/notes.ts";
import type { Event, NewEvent, StateChange } from "../../../src/domain/event/event.ts";
import { createDisk } from "../../../src/base/files/disk.ts";
import type { Projector } from "../../../src/past/shown/state.ts";
import { createProjections } from "../../../src/storage/folder/state-files.ts";
import { createModuleState, foldState, keysOf, valueOf, type ModuleState } from "../../../src/past/state.ts";
import { decision } from "../../domain/event/event-lines.ts";
import { createTempProject } from "../../temp-project.ts";

let root: string;
let folder: string;
let log: NewEvent[]; // what a log would hold
let state: ModuleState;
let projections: Projector;

beforeEach(async () => {
  root = await createTempProject();
  folder = join(root, "agents", "1");
  log = [];
  start();
});

/** As a new process would begin: with nothing but the log and the files. */
function start(): void {
  projections = createProjections([goals, notes], {
    disk: createDisk(join(root, "tmp")),
    folder,
    corruptFolder: join(root, "corrupt"),
  });
  state = createModuleState();
  for (const event of log) foldState(state, stamped(event));
}

const stamped = (event: NewEvent): Event => ({ seq: 0, epoch: 0, at: "", ...event });

/** Commits an event, and dies before or after its files are written. */
async function commit(event: NewEvent, files: "written" | "not written" = "written"): Promise<void> {
  log.push(event);
  foldState(state, stamped(event));
  if (files === "not written") return;
  if (event.kind === "result") await projections.write(event.state ?? [], state);
  if (event.kind === "edited") await projections.write([[event.module, event.key, event.value]], state);
}

const result = (...changes: readonly StateChange[]): NewEvent => ({
  kind: "result",
  call: "c",
  outcome: "ok",
  content: "",
  state: changes,
});
/** Something after which the files of the commit before it are known to be written. */
const later = decision("later");
const textOf = (key: string): string => String(valueOf(state, "notes", key));
const note = (title: string, content: string | null): StateChange => ["notes", title, content];
const goal = (text: string): StateChange => ["goals", "goals", [{ text, complete: false }]];

/** Starts again and commits what people changed; returns that. */
async function reopen(): Promise<NewEvent[]> {
  start();
  const edits = [...(await projections.reconcile(state))];
  for (const edit of edits) await commit(edit);
  return edits;
}

const read = (path: string): Promise<string> => readFile(join(folder, path), "utf8");
const noteFiles = async (): Promise<string[]> => (await readdir(join(folder, "notes"))).sort();
const put = async (path: string, content: string): Promise<void> => {
  await mkdir(join(folder, "notes"), { recursive: true });
  await writeFile(join(folder, path), content);
};

describe("the files of goals and notes", () => {
  it("show the state, and go when there is none", async () => {
    await commit(result(goal("buy milk"), note("milk", "two litres")));
    expect(await read("goals.json")).toBe(
      `${JSON.stringify({ goals: [{ text: "buy milk", complete: false }] }, null, 2)}\n`,
    );
    expect(await read("notes/milk.txt")).toBe("two litres");
    await commit(result(["goals", "goals", null], note("milk", null)));
    expect(await noteFiles()).toEqual([]);
    await expect(read("goals.json")).rejects.toMatchObject({ code: "ENOENT" });
    expect(await reopen()).toEqual([]);
  });

  it("stay in the folder and come back, whatever the titles", async () => {
    const titles = [
      "../../x",
      "CON",
      "a:b",
      "x".repeat(300),
      "😀 emoji",
      "dot.",
      " ",
      "%41",
      ".hidden",
      "/etc/passwd",
    ];
    for (const title of titles) await commit(result(note(title, `about ${title}`)));
    expect(await readdir(root)).toEqual(["agents", "tmp"]);
    expect(await readdir(folder)).toEqual(["notes"]);
    expect(await noteFiles()).toHaveLength(titles.length);
    expect(await reopen()).toEqual([]);
    expect([...keysOf(state, "notes")].sort()).toEqual([...titles].sort());
  });

  it("tell titles apart that differ in case only, and give the plain name back to the last one", async () => {
    await commit(result(note("Plan", "one")));
    expect(await noteFiles()).toEqual(["Plan.txt"]);
    await commit(result(note("plan", "two")));
    const both = await noteFiles();
    expect(both).toEqual([
      expect.stringMatching(/^Plan%-\w{8}\.txt$/),
      expect.stringMatching(/^plan%-\w{8}\.txt$/),
    ]);
    expect(await Promise.all(both.map((name) => read(`notes/${name}`)))).toEqual(["one", "two"]);
    expect(await reopen()).toEqual([]);
    await commit(result(note("Plan", null)));
    expect(await noteFiles()).toEqual(["plan.txt"]);
    expect(await read("notes/plan.txt")).toBe("two");
  });

  it("stay what the state says under any changes, with any crash (property)", async () => {
    const title = fc.constantFrom("a", "A", "b", "../b", "a%-00000000", "x".repeat(250), "X".repeat(250));
    const step = fc.tuple(
      title,
      fc.option(fc.string(), { nil: null }),
      fc.constantFrom("written", "not written"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        await rm(folder, { recursive: true, force: true });
        log = [];
        start();
        for (const [key, content, files] of steps) {
          await commit(result(note(key, content)), files);
          // A process that died before the files were written does nothing before it starts again.
          if (files === "not written") expect(await reopen()).toEqual([]);
        }
        expect(await reopen()).toEqual([]);
        const shown = await Promise.all(
          (await noteFiles().catch(() => [])).map((name) => read(`notes/${name}`)),
        );
        expect(shown.sort()).toEqual(keysOf(state, "notes").map(textOf).sort());
      }),
      { numRuns: 40 },
    );
  });
});

describe("files that a crash left behind", () => {
  it("are completed where they show what was before the last commit", async () => {
    await commit(result(goal("old"), note("kept", "old"), note("gone", "old")));
    const before = await read("goals.json");
    await commit(result(goal("new"), note("kept", "new"), note("gone", null), note("added", "new")));
    // Only some of them had been written.
    await put("goals.json", before);
    await put("notes/gone.txt", "old");
    await rm(join(folder, "notes/added.txt"));
    expect(await reopen()).toEqual([]);
    expect(await read("goals.json")).toContain("new");
    expect(await noteFiles()).toEqual(["added.txt", "kept.txt"]);
    expect(await read("notes/added.txt")).toBe("new");
  });

  it.each<NewEvent>([
    { kind: "sent", upTo: 1 },
    { kind: "notice", reason: "paused", content: "" },
    { kind: "notice", reason: "gap", content: "" },
  ])("are completed after what others may write to the log meanwhile: $kind $reason", async (meanwhile) => {
    await commit(result(note("a", "first")), "not written");
    await commit(meanwhile);
    expect(await reopen()).toEqual([]);
    expect(await read("notes/a.txt")).toBe("first");
  });

  it("are a person's work where they show what was before that", async () => {
    await commit(result(note("a", "first")));
    await commit(result(note("a", "second")));
    await commit(result(note("a", "third")));
    await put("notes/a.txt", "first");
    expect(await reopen()).toEqual([{ kind: "edited", module: "notes", key: "a", value: "first" }]);
  });

  it.each([result(), later])("are a person's work where the last commit changed nothing", async (last) => {
    await commit(result(note("a", "first")));
    await commit(result(note("a", "second")));
    await commit(last);
    await put("notes/a.txt", "first");
    expect(await reopen()).toHaveLength(1);
  });
});

describe("what a person changed in the files", () => {
  it("wins and is committed, once", async () => {
    await commit(result(goal("buy milk"), note("a", "one"), note("b", "two")));
    await commit(later);
    await put("goals.json", '{"goals":[{"text":"buy bread","complete":true}],"mood":"good"}');
    await put("notes/a.txt", "mine\n");
    await rm(join(folder, "notes/b.txt"));
    await put("notes/my own.txt", "three");
    expect(await reopen()).toEqual([
      { kind: "edited", module: "goals", key: "goals", value: [{ text: "buy bread", complete: true }] },
      { kind: "edited", module: "goals", key: "mood", value: "good" },
      { kind: "edited", module: "notes", key: "a", value: "mine\n" },
      { kind: "edited", module: "notes", key: "b", value: null },
      { kind: "edited", module: "notes", key: "my own", value: "three" },
    ]);
    expect(await reopen()).toEqual([]);
    expect(valueOf(state, "goals", "mood")).toBe("good");
    expect([...keysOf(state, "notes")]).toEqual(["a", "my own"]);
  });

  it("is a deletion where goals.json or all notes are gone", async () => {
    await commit(result(goal("buy milk"), note("a", "one")));
    await commit(later);
    await rm(folder, { recursive: true });
    const edits = await reopen();
    expect(edits.map((edit) => edit.kind === "edited" && edit.value)).toEqual([null, null]);
    expect(await reopen()).toEqual([]);
  });

  it("is nothing where only the form differs", async () => {
    await commit(result(goal("buy milk")));
    await put("goals.json", '{"goals": [{"text":"buy milk","complete":false}]}');
    expect(await reopen()).toEqual([]);
  });

  it("keeps its content under the name that its title has, and the file moves there", async () => {
    await put("notes/a%2fb.txt", "slash");
    await put("notes/what?.txt", "question");
    expect(await reopen()).toHaveLength(2);
    expect(await noteFiles()).toEqual(["a%2Fb.txt", "what%3F.txt"]);
    expect(await reopen()).toEqual([]);
    await commit(result(note("what?", null)));
    expect(await reopen()).toEqual([]);
    expect([...keysOf(state, "notes")]).toEqual(["a/b"]);
  });

  it("is not lost if the process dies before the file has moved", async () => {
    await put("notes/what?.txt", "question");
    start();
    for (const edit of await projections.reconcile(state)) await commit(edit, "not written");
    expect(await reopen()).toEqual([]);
    expect(valueOf(state, "notes", "what?")).toBe("question");
    expect(await noteFiles()).toEqual(["what%3F.txt"]);
  });

  it("may rename a note", async () => {
    await commit(result(note("old", "text")));
    await commit(later);
    await rename(join(folder, "notes/old.txt"), join(folder, "notes/new.txt"));
    expect(await reopen()).toHaveLength(2);
    expect([...keysOf(state, "notes")]).toEqual(["new"]);
  });

  it("leaves out what editors and other systems put beside it", async () => {
    await commit(result(note("a", "one")));
    for (const name of [".a.txt.swp", "a.txt~", "._a.txt", "#a.txt#", "a.bak", ".txt"])
      await put(`notes/${name}`, "x");
    expect(await reopen()).toEqual([]);
  });

  it.each(["", "{", "[]", "null", "7", "\u0000\u0001"])(
    "cannot destroy goals.json: %j is set aside, and the goals are as they were",
    async (text) => {
      await commit(result(goal("buy milk")));
      const before = await read("goals.json");
      await put("goals.json", text);
      const [notice, ...rest] = await reopen();
      expect(rest).toEqual([]);
      const [copy] = await readdir(join(root, "corrupt"));
      expect(notice).toMatchObject({ kind: "notice", content: expect.stringContaining(copy!) as string });
      expect(await readFile(join(root, "corrupt", copy!), "utf8")).toBe(text);
      expect(await read("goals.json")).toBe(before);
      expect(await reopen()).toEqual([]);
    },
  );

  it("keeps every unreadable version", async () => {
    for (const text of ["{", "{{", "{{{"]) {
      await put("goals.json", text);
      expect(await reopen()).toHaveLength(1);
    }
    expect(await readdir(join(root, "corrupt"))).toHaveLength(3);
    await expect(read("goals.json")).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("may name keys that mean something to programs", async () => {
    await put("goals.json", '{"__proto__": {"polluted": true}, "constructor": 1}');
    expect(await reopen()).toMatchObject([{ key: "__proto__" }, { key: "constructor" }]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(await reopen()).toEqual([]);
  });
});
