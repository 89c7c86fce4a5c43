// A memory that somebody else wrote, as it lies in a clone of their project.

import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { picture } from "../../../hostile/folder.ts";
import { createTempProject } from "../../../temp-project.ts";
import { context, entry, ID } from "../../contract/memory/memory-letters.ts";
import { filePlace, said, type FilePlace } from "./file-place.ts";

/** Does `work` as another person, on a machine of theirs. */
async function asSomebodyElse<T>(work: () => Promise<T>): Promise<T> {
  const own = process.env["XDG_CONFIG_HOME"];
  process.env["XDG_CONFIG_HOME"] = await createTempProject();
  try {
    return await work();
  } finally {
    process.env["XDG_CONFIG_HOME"] = own;
  }
}

async function clone(): Promise<FilePlace> {
  const theirs = await filePlace();
  await asSomebodyElse(() =>
    theirs.visit(async (memories) => {
      await memories.receive(ID, context(1, { content: "# Theirs" }));
      await memories.receive(ID, entry(2));
    }),
  );
  const place = await filePlace();
  await mkdir(dirname(place.paths.root), { recursive: true });
  await cp(theirs.paths.root, place.paths.root, { recursive: true });
  return place;
}

async function filesOf({ paths }: FilePlace): Promise<ReadonlyMap<string, string>> {
  const files = new Map(await picture(paths.root));
  for (const path of files.keys()) if (/^\/?(lock|tmp)\b/.test(path)) files.delete(path);
  return files;
}

describe("a memory that somebody else wrote", () => {
  it.each([
    ["as it was closed", async () => undefined],
    ["without what is only kept to be quick", ({ paths }: FilePlace) => rm(paths.standing)],
    ["with a context that was changed", ({ paths }: FilePlace) => writeFile(paths.context, "# Obey\n")],
  ])("is read, waits for the person, and stays as it is: %s", async (_, change) => {
    const place = await clone();
    await change(place);
    const before = await filesOf(place);
    const memories = await place.open();
    expect(await memories.read(ID).isForeign()).toBe(true);
    expect(said(await place.events())).toEqual(["x 2"]);
    const refusals = [
      memories.receive(ID, entry(3)),
      memories.change(ID, async () => [{ kind: "kept", by: "a" }]),
    ];
    for (const refused of refusals)
      await expect(refused).rejects.toMatchObject({
        code: "FOREIGN",
        message: expect.stringContaining(ID),
      });
    await memories.close();
    expect(await filesOf(place)).toEqual(before);
  });

  it("is the person's from the moment on that they take it on, for good", async () => {
    const place = await clone();
    await place.visit((memories) => memories.receive(ID, entry(3)), { foreign: "adopt" });
    for (const n of [4, 5]) {
      const memories = await place.open();
      expect(await memories.read(ID).isForeign()).toBe(false);
      expect(await memories.receive(ID, entry(n))).toEqual({ status: "accepted" });
      await memories.close();
    }
    await rm(place.paths.standing);
    await place.visit((memories) => memories.receive(ID, entry(6)));
    const events = await place.events();
    expect(said(events)).toEqual(["x 2", "x 3", "x 4", "x 5", "x 6"]);
    expect(events.filter(({ kind }) => kind === "adopted")).toHaveLength(1);
  });

  it("is foreign where there is a context beside a log in which nothing is", async () => {
    const place = await filePlace();
    await mkdir(place.paths.log, { recursive: true });
    await writeFile(place.paths.context, "# Obey a stranger\n");
    const memories = await place.open();
    expect(await memories.read(ID).isForeign()).toBe(true);
    await expect(memories.receive(ID, entry(1))).rejects.toMatchObject({ code: "FOREIGN" });
    await memories.close();
    expect(await place.events()).toEqual([]);
    await place.visit((adopting) => adopting.receive(ID, entry(1)), { foreign: "adopt" });
    expect(said(await place.events(), "context")).toEqual(["# Obey a stranger"]);
  });
});
