// A memory whose files are not what was written: by a broken disk, by hand, or on purpose.

import { execFileSync } from "node:child_process";
import { link, mkdir, readdir, readFile, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { toLine } from "../../../../src/storage/folder/line.ts";
import { createRandom } from "../../../faults/files.ts";
import { numbers } from "../../../mail/letter.ts";
import { context, entry, ID } from "../../contract/memory/memory-letters.ts";
import { filePlace, forgetting, said, type FilePlace } from "./file-place.ts";

let place: FilePlace;

beforeEach(async () => {
  place = await filePlace();
});

const only = async (folder: string): Promise<string> => {
  const [name, ...more] = await readdir(folder);
  expect(more).toEqual([]);
  return join(folder, name!);
};
const segment = (): Promise<string> => only(place.paths.log);
const texts = (): Promise<string> => only(place.paths.texts);
const send = (...ns: readonly number[]): Promise<unknown> =>
  place.visit((memories) => Promise.all(ns.map((n) => memories.receive(ID, entry(n)))));
const entries = async (): Promise<readonly string[]> => said(await place.events());
const setAside = (): Promise<string[]> =>
  readdir(join(place.project, ".ai-legion/corrupt")).catch((): string[] => []);
/** In the first line that has `text`. */
const flip =
  (text: string) =>
  (bytes: Buffer): Buffer => {
    bytes[bytes.indexOf(text) + 1]! ^= 1;
    return bytes;
  };

describe("a memory with a damaged record", () => {
  it("is read without it, and whoever writes next sets it aside, by the name of the memory", async () => {
    await send(1, 2, 3);
    await place.spoil(await segment(), flip('"mail":2'));
    await rm(place.paths.standing);
    expect(await entries()).toEqual(["x 1", "x 3"]);
    expect(await setAside()).toEqual([]);
    await send(4);
    expect(await entries()).toEqual(["x 1", "x 3", "x 4"]);
    const [name, ...more] = await setAside();
    expect(more).toEqual([]);
    expect(name).toMatch(/^memory-main~legion-00000001-000\.jsonl-\d+$/);
    expect(await readFile(join(place.project, ".ai-legion/corrupt", name!), "utf8")).toContain(
      '"kind":"entry"',
    );
  });

  it("at its end takes in again what is offered again, and gives its number to nobody else", async () => {
    await send(1, 2, 3);
    const numbered = (await place.events()).map(({ seq }) => seq);
    await place.spoil(await segment(), flip('"mail":3'));
    await rm(place.paths.standing);
    await send(2);
    // Once more, with what was left when nothing had been written.
    await send(3);
    const events = await place.events();
    expect(said(events)).toEqual(["x 1", "x 2", "x 3"]);
    expect(events.filter(({ seq }) => seq === numbered.at(-1))).toEqual([]);
  });

  it("says to a sender that goes on where it stands, so that nothing is skipped", async () => {
    await send(1, 2, 3);
    await place.spoil(await segment(), flip('"mail":3'));
    await rm(place.paths.standing);
    await place.visit(async (memories) => {
      expect(await memories.receive(ID, entry(4))).toEqual({ status: "gap", expected: 3 });
      expect(await memories.receive(ID, entry(3))).toEqual({ status: "accepted" });
      expect(await memories.receive(ID, entry(4))).toEqual({ status: "accepted" });
    });
    expect(await entries()).toEqual(["x 1", "x 2", "x 3", "x 4"]);
  });

  it("keeps its words where another one is forgotten: what was set aside says where they are", async () => {
    await send(1, 2);
    await place.spoil(await segment(), flip('"mail":2'));
    await rm(place.paths.standing);
    await place.visit((memories) => memories.change(ID, forgetting("x 1")));
    expect(await readFile(await texts(), "utf8")).toContain("x 2");
  });

  it("is read without a wrong word, whatever bit is turned in its log or its texts", async () => {
    await send(...numbers(8));
    const whole = { log: await readFile(await segment()), texts: await readFile(await texts()) };
    const all = numbers(8).map((n) => `x ${n}`);
    const random = createRandom(7);
    for (let flips = 0; flips < 150; flips++) {
      for (const [path, bytes] of [
        [await segment(), whole.log],
        [await texts(), whole.texts],
      ] as const) {
        const spoilt = Buffer.from(bytes);
        spoilt[Math.floor(random() * spoilt.length)]! ^= 1 << Math.floor(random() * 8);
        await writeFile(path, spoilt);
        const found = await entries();
        expect(found.filter((text) => text !== "" && !all.includes(text))).toEqual([]);
        expect(found.filter((text) => text !== "").length).toBeGreaterThanOrEqual(7);
        await writeFile(path, bytes);
      }
    }
  });

  it("goes on behind every record that is whole, wherever its log was cut, and takes in what is offered again", async () => {
    await send(1, 2, 3);
    const path = await segment();
    const whole = await readFile(path);
    const standing = await readFile(place.paths.standing);
    for (let cut = whole.length - 1; cut > 0; cut -= 23) {
      const other = await filePlace();
      await mkdir(join(other.paths.root, ".."), { recursive: true });
      execFileSync("cp", ["-r", place.paths.root, other.paths.root]);
      await truncate(join(other.paths.log, "00000001-000.jsonl"), cut);
      await writeFile(other.paths.standing, standing);
      await other.visit(async (memories) => {
        for (const n of [1, 2, 3]) await memories.receive(ID, entry(n));
      });
      // Nothing was written before this where only a newline was missing.
      await other.visit((memories) => memories.receive(ID, entry(4)));
      const events = await other.events();
      expect({ cut, said: said(events) }).toEqual({ cut, said: ["x 1", "x 2", "x 3", "x 4"] });
    }
  });
});

describe("a memory whose texts are damaged", () => {
  it("keeps the entries and the other words where some were changed, cut off or deleted", async () => {
    await send(1, 2, 3);
    await place.spoil(await texts(), flip("x 2"));
    expect(await entries()).toEqual(["x 1", "", "x 3"]);
    await send(4);
    await truncate(await texts(), 40);
    expect(await entries()).toEqual(["", "", "", ""]);
    await send(5);
    expect((await entries()).at(-1)).toBe("x 5");
    await rm(place.paths.texts, { recursive: true });
    await send(6);
    expect(await entries()).toEqual(["", "", "", "", "", "x 6"]);
    await place.visit((memories) => memories.change(ID, async () => forgottenAt(3, 7)));
    expect(await entries()).toEqual(["", "", "", "", "", "x 6"]);
  });

  it.each([
    ["a link to another file", (path: string, outside: string) => symlink(outside, path)],
    ["another name of a file", (path: string, outside: string) => link(outside, path)],
    ["a pipe", async (path: string) => void execFileSync("mkfifo", [path])],
    ["a folder", async (path: string) => void (await mkdir(join(path, "inside"), { recursive: true }))],
  ])("reads and changes nothing else where %s is in their place", async (_, plant) => {
    await send(1, 2);
    const path = await texts();
    const { size } = { size: (await readFile(path)).length };
    const outside = join(place.project, "outside");
    await rm(path);
    await writeFile(outside, "z".repeat(size));
    await plant(path, outside);
    expect(await entries()).toEqual(["", ""]);
    await send(3);
    expect(await entries()).toEqual(["", "", "x 3"]);
    await place
      .visit((memories) => memories.change(ID, async () => forgottenAt(2)))
      .catch((error: unknown) => expect(error).toMatchObject({ code: "STORAGE" }));
    expect(await readFile(outside, "utf8")).toBe("z".repeat(size));
  });

  it("forgets the rest where something that is no file of ours was put among them", async () => {
    await send(1, 2);
    const outside = join(place.project, "outside");
    await writeFile(outside, "theirs");
    await symlink(outside, join(place.paths.texts, "9-9"));
    await link(outside, join(place.paths.texts, "9-8"));
    await mkdir(join(place.paths.texts, "9-7"));
    await place.visit((memories) => memories.change(ID, forgetting("x 1")));
    expect(await entries()).toEqual(["", "x 2"]);
    expect(await readFile(outside, "utf8")).toBe("theirs");
  });
});

describe("a memory whose standing.json is not what was written", () => {
  const goesOn = async (): Promise<void> => {
    await send(3);
    expect(await entries()).toEqual(["x 1", "x 2", "x 3"]);
    const standing = await (await place.open()).read(ID).standing();
    expect(standing).toMatchObject({ last: (await place.events()).at(-1)!.seq, entries: 3 });
    expect(standing.seen.get("log of x")).toBe(3);
  };

  beforeEach(() => send(1, 2));

  it.each([
    ["deleted", (path: string) => rm(path)],
    ["empty", (path: string) => writeFile(path, "")],
    ["cut off", (path: string) => truncate(path, 50)],
    ["of a form that nobody knows", (path: string) => writeFile(path, toLine({ log: 1 }))],
    ["a link", (path: string) => rename(path, `${path}.old`).then(() => symlink(`${path}.old`, path))],
    ["a folder", (path: string) => rm(path).then(() => mkdir(path))],
    ["a pipe", (path: string) => rm(path).then(() => void execFileSync("mkfifo", [path]))],
  ])("goes on, as it is %s", async (_, spoil) => {
    await spoil(place.paths.standing);
    await goesOn();
  });

  it("goes on, as it is that of another memory", async () => {
    const other = await filePlace();
    await other.visit((memories) => Promise.all([1, 2].map((n) => memories.receive(ID, entry(n)))));
    const theirs = await other
      .visit((memories) => memories.receive(ID, entry(3, { content: "x" })))
      .then(() => readFile(other.paths.standing));
    await writeFile(place.paths.standing, theirs);
    await goesOn();
  });

  it("says what there is, as the log that it is of was deleted", async () => {
    await rm(place.paths.log, { recursive: true });
    await rm(place.paths.context, { force: true });
    expect(await (await place.open()).read(ID).standing()).toMatchObject({ last: 0, entries: 0 });
    await place.visit(async (memories) => {
      expect(await memories.receive(ID, entry(1))).toEqual({ status: "accepted" });
    });
    expect(await entries()).toEqual(["x 1"]);
  });

  it("writes to no file that it names outside of the texts", async () => {
    const outside = join(place.project, "outside");
    await writeFile(outside, "theirs");
    const line = JSON.parse(await readFile(place.paths.standing, "utf8")) as Record<string, unknown>;
    const { crc: _crc, ...rest } = line;
    const file = "../../../../../outside";
    await writeFile(place.paths.standing, toLine({ ...rest, texts: { file, bytes: 6 } }));
    await goesOn();
    expect(await readFile(outside, "utf8")).toBe("theirs");
  });
});

describe("a memory that somebody has had their hands in", () => {
  it("goes on where a segment was deleted, and takes in again what is offered again", async () => {
    await send(1, 2);
    await rm(place.paths.standing);
    await send(3);
    await rm(place.paths.standing);
    await send(4);
    const [, second, third] = await readdir(place.paths.log);
    await rm(join(place.paths.log, third!));
    await place.visit(async (memories) => {
      expect(await memories.receive(ID, entry(5))).toEqual({ status: "gap", expected: 4 });
      await memories.receive(ID, entry(4));
    });
    await rm(join(place.paths.log, second!));
    await send(5);
    expect(await entries()).toEqual(["x 1", "x 2", "x 4", "x 5"]);
  });

  it("goes on where the folder of locks was deleted, whose numbers begin again", async () => {
    for (const n of numbers(4)) {
      await send(n);
      await rm(place.paths.lock, { recursive: true });
      await rm(place.paths.standing);
    }
    expect(await entries()).toEqual(numbers(4).map((n) => `x ${n}`));
  });

  it("is refused untouched where a newer version wrote to it", async () => {
    await send(1);
    const path = await segment();
    const line = JSON.parse((await readFile(path, "utf8")).split("\n")[0]!) as Record<string, unknown>;
    const { crc: _crc, ...opened } = line;
    await writeFile(join(place.paths.log, "00000077-000.jsonl"), toLine({ ...opened, seq: 9, format: 99 }));
    const before = await place.bytes();
    const memories = await place.open();
    await expect(memories.receive(ID, entry(2))).rejects.toMatchObject({ code: "DAMAGED" });
    await expect(memories.change(ID, async () => [])).rejects.toMatchObject({ code: "DAMAGED" });
    await expect(place.events()).rejects.toMatchObject({ code: "DAMAGED" });
    await memories.close();
    expect(await place.bytes()).toBe(before);
  });

  it("shows what its newest context said again where only its words were lost", async () => {
    await place.visit((memories) => memories.receive(ID, context(1, { content: "# One" })));
    await rm(place.paths.texts, { recursive: true });
    await place.visit((memories) => memories.receive(ID, entry(2)));
    expect(said(await place.events(), "context").at(-1)).toBe("# One");
  });
});

function forgottenAt(...seqs: readonly number[]) {
  return [{ kind: "forgotten", seqs, entries: seqs.length, by: "0" }] as const;
}
