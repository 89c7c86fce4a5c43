import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createDisk } from "../../../../src/base/files/disk.ts";
import { numbers } from "../../../mail/letter.ts";
import { entry, ID } from "../../contract/memory/memory-letters.ts";
import { watchDisk } from "../watched-disk.ts";
import { filePlace, said, type FilePlace } from "./file-place.ts";

let place: FilePlace;

beforeEach(async () => {
  place = await filePlace();
});

const entries = async (): Promise<readonly string[]> => said(await place.events());

describe("a process that writes to a memory", () => {
  it("takes in what comes at whatever moment after a refusal", async () => {
    let isBroken = true;
    const disk = watchDisk(createDisk(place.paths.tmp, place.project), ({ op }) => {
      if (isBroken && op === "claim") throw new Error("EIO: i/o error");
    });
    for (const turns of numbers(40)) {
      isBroken = true;
      const memories = await place.open({ disk });
      await expect(memories.receive(ID, entry(turns))).rejects.toThrow("EIO");
      isBroken = false;
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      expect(await memories.receive(ID, entry(turns))).toEqual({ status: "accepted" });
      await memories.close();
    }
    expect(await entries()).toEqual(numbers(40).map((n) => `x ${n}`));
  });

  it("lets others have it, also after its lock could not be given back", async () => {
    let failures = 0;
    const disk = watchDisk(createDisk(place.paths.tmp, place.project), ({ op, path }) => {
      if (op === "replace" && path.startsWith(place.paths.lock) && failures-- > 0)
        throw new Error("ENOSPC: no space left on device");
    });
    const memories = await place.open({ disk });
    failures = 2;
    await memories.receive(ID, entry(1));
    const others = await place.open();
    expect(await others.receive(ID, entry(2))).toEqual({ status: "accepted" });
    expect(failures).toBeLessThan(1);
    failures = 2;
    await memories.receive(ID, entry(3));
    await memories.close();
    expect(await place.visit((next) => next.receive(ID, entry(4)))).toEqual({ status: "accepted" });
  });

  it("goes on after a failure where it had begun to write (M5)", async () => {
    for (const [at, op] of (["sync", "write", "create"] as const).entries()) {
      for (const where of ["/texts/", "/log/"]) {
        let failures = 1;
        const disk = watchDisk(createDisk(place.paths.tmp, place.project), (call) => {
          if (call.op === op && call.path.includes(where) && failures-- > 0)
            throw new Error("EIO: i/o error");
        });
        const from = `${at}${where.at(1)!}`;
        const memories = await place.open({ disk, durability: "disk" });
        const first = memories.receive(ID, entry(1, { from }));
        await first.catch((error: unknown) => expect(error).toMatchObject({ message: /EIO/ }));
        for (const n of [1, 2]) await memories.receive(ID, entry(n, { from }));
        await memories.close();
        expect((await entries()).filter((text) => text.startsWith(from))).toEqual([`${from} 1`, `${from} 2`]);
      }
    }
  });

  it("keeps no file open and no lock when it is closed", async () => {
    const memories = await place.open();
    await memories.receive(ID, entry(1));
    await memories.close();
    const [name, ...more] = await readdir(place.paths.lock);
    expect(more).toEqual([]);
    expect(await readFile(join(place.paths.lock, name!), "utf8")).toContain('"released":true');
    const open = await readdir("/proc/self/fd").catch((): string[] => []);
    const paths = await Promise.all(open.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")));
    expect(paths.filter((path) => path.startsWith(place.paths.root))).toEqual([]);
  });

  it("holds back nobody who came meanwhile, however much it has to write", async () => {
    const [busy, other] = [await place.open(), await place.open()];
    let isOver = false;
    const writing = (async () => {
      for (let n = 1; !isOver; n++) await busy.receive(ID, entry(n, { from: "busy" }));
    })();
    expect(await other.receive(ID, entry(1, { from: "other" }))).toEqual({ status: "accepted" });
    isOver = true;
    await writing;
    expect(await entries()).toContain("other 1");
  });
});
