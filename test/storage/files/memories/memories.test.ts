import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { memoryPaths } from "../../../../src/storage/folder/memory-paths.ts";
import { describeMemories } from "../../contract/memory/memories-contract.ts";
import { entry, ID } from "../../contract/memory/memory-letters.ts";
import { filePlace } from "./file-place.ts";

describeMemories("files", () => filePlace());

it("lists the memories that there are beside what only looks like one", async () => {
  const { project, paths, visit } = await filePlace();
  await visit((memories) => memories.receive(ID, entry(1)));
  await mkdir(join(paths.root, "../other"), { recursive: true });
  await writeFile(join(paths.root, "../other/log"), "a file");
  await writeFile(join(paths.root, "../../stray"), "a file");
  expect(await (await filePlace(project)).visit((memories) => memories.known())).toEqual([ID]);
});

it("sets the damaged lines of no two memories aside under one name", () => {
  expect(memoryPaths("/p", "a-b/c").corrupt).not.toBe(memoryPaths("/p", "a/b-c").corrupt);
  expect(memoryPaths("/p", "a.b/c").corrupt).not.toBe(memoryPaths("/p", "a/b.c").corrupt);
});

it("reads nothing of what it was when it is opened again after a clean close", async () => {
  const { paths, visit } = await filePlace();
  await visit((memories) => memories.receive(ID, entry(1)));
  const standing = await readFile(paths.standing, "utf8");
  expect(JSON.parse(standing)).toMatchObject({ last: 2, entries: 1, journal: { goesOn: true } });
  expect(standing).not.toContain("Ada asked");
});
