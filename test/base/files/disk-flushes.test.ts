// What a power cut leaves is what was flushed: a file is only there if each folder on the way to it is.

import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import { createDisk, type Disk } from "../../../src/base/files/disk.ts";
import { createGrowingFile } from "../../../src/base/files/growing-file.ts";
import { openPersonFolder } from "../../../src/storage/folder/person/folder.ts";
import { grant, grantsOf } from "../../../src/storage/folder/person/trust.ts";
import { createTempProject } from "../../temp-project.ts";

const flushed = vi.hoisted(() => [] as string[]);

vi.mock("node:fs/promises", async (importOriginal) => {
  const original = await importOriginal<typeof import("node:fs/promises")>();
  const open: typeof original.open = async (path, ...how) => {
    const file = await original.open(path, ...how);
    const sync = file.sync.bind(file);
    file.sync = async () => {
      await sync();
      flushed.push(String(path));
    };
    return file;
  };
  return { ...original, open };
});

let project: string;
let folder: string;
let disk: Disk;

beforeEach(async () => {
  project = await createTempProject();
  folder = join(project, ".ai-legion", "agents", "1", "log");
  disk = createDisk(join(project, ".ai-legion", "tmp"));
  flushed.length = 0;
});

/** Every folder from the one that a file lies in up to the project. */
function wayTo(at: string): string[] {
  return at === project ? [at] : [at, ...wayTo(dirname(at))];
}

it("a growing file that is kept is flushed with its name, and one that is seen is not", async () => {
  const file = createGrowingFile(join(project, "out", "run.json"));
  await (await file.next("anew")).place("[]", "seen");
  expect(flushed).toEqual([]);
  await (await file.next("anew")).place("[]", "kept");
  expect(flushed).toEqual([expect.stringContaining("run.json"), join(project, "out")]);
  await file.close();
});

it("a new file is flushed with the whole way to it", async () => {
  const file = disk.create(join(folder, "a"));
  expect(flushed).toEqual([]);
  await file.sync();
  expect(flushed).toEqual(wayTo(folder));
  await file.sync();
  expect(flushed).toEqual(wayTo(folder));
  file.close();
});

it("a file is flushed with a way that another one made and has not flushed", async () => {
  const first = disk.create(join(folder, "a"));
  const second = disk.create(join(folder, "b"));
  await second.sync();
  expect(flushed).toEqual(wayTo(folder));
  flushed.length = 0;
  await disk.replace(join(folder, "..", "goals.json"), "{}");
  expect(flushed).toEqual([dirname(folder)]);
  first.close();
  second.close();
});

it("two that need the same way are told no sooner than it is flushed", async () => {
  const paths = [join(folder, "a"), join(folder, "..", "notes", "b")];
  await Promise.all(
    paths.map(async (path) => {
      await disk.replace(path, "");
      expect(flushed).toEqual(expect.arrayContaining(wayTo(dirname(path))));
    }),
  );
});

it("a way that an earlier process left is flushed once", async () => {
  await mkdir(folder, { recursive: true });
  await disk.claim(join(folder, "a"), "");
  expect(flushed).toEqual(wayTo(folder));
  flushed.length = 0;
  await disk.claim(join(folder, "b"), "");
  expect(flushed).toEqual([folder]);
  await disk.sync(join(folder, "b"));
  expect(flushed).toEqual([folder, join(folder, "b"), folder]);
  await disk.sync(join(folder, "b"));
  expect(flushed).toEqual([folder, join(folder, "b"), folder, join(folder, "b")]);
});

it("nothing above the project is touched", async () => {
  const outside = await createTempProject();
  await disk.replace(join(outside, "a"), "");
  expect(flushed).toEqual([outside]);
});

it("what a person grants is flushed with its name, and the lock that is held for it is not", async () => {
  const person = openPersonFolder({ XDG_CONFIG_HOME: project });
  await grant(person, project, { what: "code", value: "before" });
  flushed.length = 0;
  await grant(person, project, { what: "code", value: "now" });
  const temporary: unknown = expect.stringContaining(join(person.path, "."));
  expect(flushed).toEqual([temporary, person.path]);
  expect(await grantsOf(person, project)).toEqual(new Map([["code", "now"]]));
});
