import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createDisk } from "../../../../src/base/files/disk.ts";
import { numbers } from "../../../mail/letter.ts";
import { context, entry, eventsOf, ID } from "../../contract/memory/memory-letters.ts";
import { watchDisk, type Watch } from "../watched-disk.ts";
import { filePlace, forgetting, said, type FilePlace } from "./file-place.ts";

const CANARY = "canary-7313";

let place: FilePlace;

beforeEach(async () => {
  place = await filePlace();
});

const watched = (watch: Watch) => watchDisk(createDisk(place.paths.tmp, place.project), watch);
const forget = (text = CANARY): Promise<void> =>
  place.visit((memories) => memories.change(ID, forgetting(text)));

describe("what is forgotten", () => {
  it("is in no answer from the event on that says so, also before it is erased (M7)", async () => {
    await place.visit(async (memories) => {
      await memories.receive(ID, entry(1, { content: CANARY }));
      await memories.receive(ID, entry(2));
    });
    let isBroken = true;
    const disk = watched(({ op }) => {
      if (isBroken && op === "overwrite") throw new Error("EIO: i/o error");
    });
    await place.visit(
      async (memories) => {
        await expect(memories.change(ID, forgetting(CANARY))).rejects.toThrow("EIO");
        expect(said(await eventsOf(memories))).toEqual(["", "x 2"]);
        expect(said(await place.events())).toEqual(["", "x 2"]);
      },
      { disk },
    );
    expect(said(await place.events())).toEqual(["", "x 2"]);
    expect(await place.bytes()).toContain(CANARY);
    isBroken = false;
    await place.visit((memories) => memories.receive(ID, entry(3)));
    expect(await place.bytes()).not.toContain(CANARY);
    expect(said(await place.events())).toEqual(["", "x 2", "x 3"]);
  });

  it("does not come back where what the memory adds up to has to be read from its log again (M7)", async () => {
    const note = { of: { log: "l", message: "0>1#1" } };
    await place.visit((memories) => memories.receive(ID, entry(1, { content: CANARY, note })));
    await forget();
    await rm(place.paths.standing);
    await place.visit((memories) => memories.receive(ID, entry(1, { from: "fork", content: CANARY, note })));
    expect(await place.bytes()).not.toContain(CANARY);
    const kinds = (await place.events()).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind !== "opened")).toEqual(["entry", "forgotten", "void"]);
  });

  it("is erased at once where the one who wants it tries again", async () => {
    await place.visit((memories) => memories.receive(ID, entry(1, { content: CANARY })));
    let failures = 1;
    const disk = watched(({ op }) => {
      if (op === "overwrite" && failures-- > 0) throw new Error("EIO: i/o error");
    });
    await place.visit(
      async (memories) => {
        await expect(memories.change(ID, forgetting(CANARY))).rejects.toThrow("EIO");
        await memories.change(ID, async (standing) => {
          expect(standing.entries).toBe(0);
          return [];
        });
        expect(await place.bytes()).not.toContain(CANARY);
      },
      { disk },
    );
  });

  it("is gone also where its words were written twice, as the first time did not count (M7)", async () => {
    let failures = 1;
    const disk = watched(({ op, path }) => {
      if (op === "sync" && path.includes("/log/") && failures-- > 0) throw new Error("EIO: i/o error");
    });
    await place.visit(
      async (memories) => {
        await expect(memories.receive(ID, entry(1, { content: CANARY }))).rejects.toThrow("EIO");
        await memories.receive(ID, entry(1, { content: CANARY }));
      },
      { disk, durability: "disk" },
    );
    const before = await place.bytes();
    expect(before.split(CANARY)).toHaveLength(3);
    await forget();
    expect(await place.bytes()).not.toContain(CANARY);
    expect(said(await place.events())).toEqual([""]);
  });

  it("leaves every other word where it is, however many are forgotten", async () => {
    await place.visit((memories) =>
      Promise.all(
        numbers(300).map((n) =>
          memories.receive(ID, entry(n, { content: `${n % 3 ? "stays" : CANARY} ${n}` })),
        ),
      ),
    );
    let overwrites = 0;
    const disk = watched(({ op }) => void (op === "overwrite" && overwrites++));
    await place.visit((memories) => memories.change(ID, forgetting(CANARY)), { disk });
    const left = said(await place.events()).slice(0, 300);
    expect(left).toEqual(numbers(300).map((n) => (n % 3 ? `stays ${n}` : "")));
    expect(overwrites).toBe(1);
    // What is erased is not erased again.
    await rm(place.paths.standing);
    await place.visit((memories) => memories.receive(ID, entry(301)), { disk });
    expect(overwrites).toBe(1);
    expect(await place.bytes()).not.toContain(CANARY);
  });

  it("takes no notice of a plan that reads what was never acknowledged", async () => {
    let failures = 0;
    const disk = watched(({ op, path }) => {
      if (op === "sync" && path.includes("/log/") && failures-- > 0) throw new Error("EIO: i/o error");
    });
    await place.visit(
      async (memories) => {
        await memories.receive(ID, context(1, { content: CANARY }));
        failures = 1;
        await expect(memories.change(ID, forgetting(CANARY))).rejects.toThrow("EIO");
        // It is still there, for the plan as well as for the log.
        await memories.change(ID, async (standing, reader) => {
          const events = await forgetting(CANARY)(standing, reader);
          expect(events).toMatchObject([{ seqs: standing.contexts }]);
          return events;
        });
      },
      { disk, durability: "disk" },
    );
    expect(await place.bytes()).not.toContain(CANARY);
  });

  it("leaves no word of it in what is said of its time (M7)", async () => {
    await place.visit(async (memories) => {
      const note = { said: `2026-01-01 (${CANARY})` };
      await memories.receive(ID, entry(1, { content: "so", note }));
    });
    expect((await place.events()).map(({ kind }) => kind)).toEqual(["opened", "void"]);
    expect(await place.bytes()).not.toContain(CANARY);
  });

  it("is in no file that was written for a moment and left", async () => {
    await place.visit((memories) => memories.receive(ID, context(1, { content: CANARY })));
    await forget();
    for (const name of await readdir(place.paths.root, { recursive: true }))
      expect(name).not.toMatch(/^tmp\/./);
    expect(await readFile(join(place.paths.standing), "utf8")).not.toContain(CANARY);
  });
});
