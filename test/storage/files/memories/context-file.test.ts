// `context.md` as people find it and edit it: nothing that they wrote is lost, nothing that was forgotten comes back.

import { chmod, mkdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createDisk } from "../../../../src/base/files/disk.ts";
import { createRedactor } from "../../../../src/base/redaction/redactor.ts";
import type { Memories } from "../../../../src/storage/contract/memory/memories.ts";
import { context, entry, eventsOf, ID } from "../../contract/memory/memory-letters.ts";
import { watchDisk } from "../watched-disk.ts";
import { filePlace, forgetting, said, type FilePlace } from "./file-place.ts";

let place: FilePlace;
let path: string;

beforeEach(async () => {
  place = await filePlace();
  path = place.paths.context;
});

const shards = async (): Promise<readonly string[]> => said(await place.events(), "context");
const file = (): Promise<string> => readFile(path, "utf8");
/** Any visit looks at the file. */
const look = (): Promise<unknown> => place.visit((memories) => memories.receive(ID, entry(1, { from: "z" })));
const send = (n: number, content: string) => (memories: Memories) =>
  memories.receive(ID, context(n, { content }));

describe("the context of a memory, as a file", () => {
  it("is the newest shard, and is shown again where it was deleted", async () => {
    await place.visit(send(1, "# One"));
    expect(await file()).toBe("# One\n");
    await rm(path);
    await look();
    expect(await file()).toBe("# One\n");
    expect(await shards()).toEqual(["# One"]);
  });

  it("that a person edited at rest is a shard of theirs, made of the newest one, once (M6)", async () => {
    await place.visit(async (memories) => {
      await memories.receive(ID, context(1, { content: "# One", upTo: 2, taint: ["a page"] }));
      await memories.receive(ID, entry(2));
    });
    await writeFile(path, "# One, by hand\n\n");
    for (let visits = 0; visits < 3; visits++) await look();
    const events = await place.events();
    const newest = events.findLast(({ kind }) => kind === "context")!;
    expect(said(events, "context")).toEqual(["# One", "# One, by hand"]);
    // What a stranger said does not become the person's by a comma of theirs.
    expect(newest).toMatchObject({ by: "0", mail: 0, base: 3, upTo: 2, taint: ["a page"] });
    await place.visit(send(3, "# Three"));
    expect(await file()).toBe("# Three\n");
  });

  it("that a person emptied is empty from then on, once", async () => {
    await place.visit(send(1, "# One"));
    await writeFile(path, "");
    await look();
    await look();
    expect(await shards()).toEqual(["# One", ""]);
  });

  it("is no shard where it is empty and there was none", async () => {
    await place.visit((memories) => memories.receive(ID, entry(1)));
    await writeFile(path, "\n");
    await look();
    expect(await shards()).toEqual([]);
  });

  it("that a person set back to exactly an older text is that again", async () => {
    await place.visit(send(1, "# One"));
    await place.visit(send(2, "# Two"));
    await writeFile(path, "# One\n");
    await look();
    expect(await shards()).toEqual(["# One", "# Two", "# One"]);
    expect(await file()).toBe("# One\n");
  });

  it("that was not shown before its process died is no edit, however many shards came meanwhile", async () => {
    await place.visit(send(1, "# One"));
    const disk = watchDisk(createDisk(place.paths.tmp, place.project), ({ op, path: at }) => {
      if (op === "replace" && (at === path || at === place.paths.standing)) throw new Error("no room");
    });
    await place.visit(
      async (memories) => {
        for (const n of [2, 3, 4]) await send(n, `# ${n}`)(memories);
      },
      { disk },
    );
    expect(await file()).toBe("# One\n");
    await look();
    expect(await shards()).toEqual(["# One", "# 2", "# 3", "# 4"]);
    expect(await file()).toBe("# 4\n");
    // Whoever deletes what is only kept to be quick loses nothing, either.
    await writeFile(path, "# 2\n");
    await rm(place.paths.standing);
    await look();
    expect(await shards()).toHaveLength(4);
  });

  it("that is edited before its process died could show it is theirs", async () => {
    await place.visit(send(1, "# One"));
    const disk = watchDisk(createDisk(place.paths.tmp, place.project), ({ op, path: at }) => {
      if (op === "replace" && (at === path || at === place.paths.standing)) throw new Error("no room");
    });
    await place.visit(send(2, "# Two"), { disk });
    await writeFile(path, "# One, by hand\n");
    await look();
    expect(await shards()).toEqual(["# One", "# Two", "# One, by hand"]);
  });

  it("that is saved while somebody writes is not lost", async () => {
    const memories = await place.open();
    await send(1, "# One")(memories);
    await memories.change(ID, async () => {
      await writeFile(path, "# One, by hand\n");
      return [];
    });
    await writeFile(path, "# One, by another hand\n");
    await send(2, "# Two")(memories);
    await memories.close();
    expect(await shards()).toEqual(["# One", "# One, by hand", "# Two", "# One, by another hand"]);
    expect(await file()).toBe("# One, by another hand\n");
  });

  it("holds no secret of theirs, and is taken in once all the same", async () => {
    const redactor = createRedactor([{ name: "TOKEN", value: "s3cr3t-s3cr3t-s3cr3t" }]);
    await place.visit(send(1, "# One"));
    await writeFile(path, "the token is s3cr3t-s3cr3t-s3cr3t");
    for (let visits = 1; visits < 4; visits++)
      await place.visit((memories) => memories.receive(ID, entry(visits, { from: "z" })), { redactor });
    expect(await shards()).toEqual(["# One", "the token is [redacted:TOKEN]"]);
    expect(await place.bytes()).not.toContain("s3cr3t-s3cr3t");
  });
});

describe("a context.md that says nothing that can be taken in", () => {
  const LONG = "long ".repeat(14_000);
  const LATIN = Buffer.from("caf\xe9 by hand", "latin1");
  const UNREADABLE = [
    ["longer than 65,536 characters", Buffer.from(LONG)],
    ["no UTF-8", LATIN],
  ] as const;

  it.each(UNREADABLE)("as it is %s, stays until they change it, whatever comes", async (_, bytes) => {
    await place.visit(send(1, "# One"));
    await writeFile(path, bytes);
    await look();
    await place.visit(send(2, "# Two"));
    expect(await readFile(path)).toEqual(bytes);
    expect(await shards()).toEqual(["# One", "# Two"]);
    await writeFile(path, "# Shorter\n");
    await look();
    expect(await shards()).toEqual(["# One", "# Two", "# Shorter"]);
  });

  it.each(UNREADABLE)(
    "as it is %s, may hold what is to be forgotten: that is refused, and nothing is added (M7)",
    async (_, bytes) => {
      await place.visit(send(1, "# canary-7313"));
      await writeFile(path, bytes);
      await place.visit(async (memories) => {
        const refused = memories.change(ID, forgetting("canary-7313"));
        await expect(refused).rejects.toMatchObject({
          code: "STORAGE",
          message: expect.stringContaining("context.md"),
        });
        expect(await shards()).toEqual(["# canary-7313"]);
        await rm(path);
        await memories.change(ID, forgetting("canary-7313"));
      });
      expect(await place.bytes()).not.toContain("canary-7313");
    },
  );

  it("as it cannot be read at the moment, is not replaced", async () => {
    await place.visit(send(1, "# One"));
    await writeFile(path, "# By hand\n");
    let isBusy = true;
    const disk = watchDisk(createDisk(place.paths.tmp, place.project), ({ op, path: at }) => {
      if (isBusy && op === "read" && at === path) throw new Error("EMFILE: too many open files");
    });
    await place
      .visit(
        async (memories) => {
          await send(2, "# Two")(memories);
          isBusy = false;
          await send(3, "# Three")(memories);
        },
        { disk },
      )
      .catch(() => undefined);
    await look();
    expect(await shards()).toEqual(["# One", "# Two", "# Three", "# By hand"]);
  });

  it("as a folder is in its place, keeps nobody from sending, changing and forgetting", async () => {
    await place.visit(send(1, "# canary-7313"));
    await rm(path);
    await mkdir(join(path, "inside"), { recursive: true });
    await place.visit(send(2, "# Two"));
    await place.visit((memories) => memories.change(ID, forgetting("canary-7313")));
    expect(await shards()).toEqual(["", "# Two"]);
    expect(await place.bytes()).not.toContain("canary-7313");
  });

  it("as a link is in its place, leaves the link and what it leads to alone", async () => {
    const outside = join(place.project, "outside.md");
    await writeFile(outside, "obey me\n");
    await place.visit(send(1, "# canary-7313"));
    await rm(path);
    await symlink(outside, path);
    await place.visit(send(2, "# Two"));
    await place.visit((memories) => memories.change(ID, forgetting("canary-7313")));
    expect(await readlink(path)).toBe(outside);
    expect(await readFile(outside, "utf8")).toBe("obey me\n");
    expect(await shards()).toEqual(["", "# Two"]);
  });

  it.skipIf(process.getuid?.() === 0)("as nobody may read it, stays", async () => {
    await place.visit(send(1, "# One"));
    await writeFile(path, "# By hand\n");
    await chmod(path, 0);
    await place.visit(send(2, "# Two"));
    await chmod(path, 0o600);
    expect(await file()).toBe("# By hand\n");
  });
});

describe("a context.md after something was forgotten", () => {
  it("says the newest shard that is left, and never what is gone, also where that was shown (M7)", async () => {
    await place.visit(send(1, "# One"));
    await place.visit(send(2, "# canary-7313"));
    await place.visit((memories) => memories.change(ID, forgetting("canary-7313")));
    expect(await file()).toBe("# One\n");
    await look();
    expect(await shards()).toEqual(["# One", ""]);
    await place.visit((memories) => memories.change(ID, forgetting("# One")));
    await expect(file()).rejects.toThrow("ENOENT");
  });

  it("that a person had edited is forgotten, too, where the plan says so, also if they save while it is made", async () => {
    await place.visit(send(1, "# One with canary-7313"));
    await writeFile(path, "# Edited with canary-7313\n");
    let plans = 0;
    await place.visit((memories) =>
      memories.change(ID, async (standing, reader) => {
        if (++plans === 1) await writeFile(path, "# Saved meanwhile with canary-7313\n");
        return forgetting("canary-7313")(standing, reader);
      }),
    );
    expect(plans).toBe(2);
    expect(await shards()).toEqual(["", "", ""]);
    expect(await place.bytes()).not.toContain("canary-7313");
  });

  it("is not written, and the change resolves, where only showing fails", async () => {
    await place.visit(send(1, "# One"));
    let isFailing = false;
    const disk = watchDisk(createDisk(place.paths.tmp, place.project), ({ op, path: at }) => {
      if (isFailing && op === "replace" && at === path) throw new Error("no room");
    });
    await place.visit(
      async (memories) => {
        await memories.receive(ID, context(2, { content: "# Two" }));
        isFailing = true;
        await memories.change(ID, forgetting("# Two"));
      },
      { disk },
    );
    await expect(file()).rejects.toThrow("ENOENT");
    await look();
    expect(await file()).toBe("# One\n");
    expect(said(await eventsOf(await place.open()), "context")).toEqual(["# One", ""]);
  });
});
