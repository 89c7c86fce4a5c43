import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileBus } from "../../../src/storage/files/bus.ts";
import { createDisk, type Disk } from "../../../src/base/files/disk.ts";
import type { Durability } from "../../../src/storage/contract/node.ts";
import { toLine } from "../../../src/storage/folder/line.ts";
import { CONTROL, parseMessageId, type AgentId, type LogId } from "../../../src/domain/message/message.ts";
import { createTempProject } from "../../temp-project.ts";
import { watchDisk, type DiskCall, type Watch } from "./watched-disk.ts";
import { describeBus } from "../../mail/bus-contract.ts";
import { contents, letter, type BusStage } from "../../mail/letter.ts";

interface FileStage extends BusStage {
  readonly root: string;
  /** The files of one agent's mailbox. */
  files(agent: AgentId): Promise<string[]>;
  restart(how: "closed" | "killed"): Promise<FileStage>;
}

interface StageOptions {
  readonly durability?: Durability;
  readonly watch?: Watch;
  readonly agents?: readonly AgentId[];
  readonly held?: () => boolean;
}

type Marks = Map<AgentId, { taken: number; held: number; readonly seen: Map<LogId, number> }>;
async function createStage(options: StageOptions = {}): Promise<FileStage> {
  const agents = options.agents ?? ["a", "b", "c", "d", CONTROL];
  const marks = new Map(agents.map((id) => [id, { taken: 0, held: 0, seen: new Map<LogId, number>() }]));
  return openStage({ ...options, root: await createTempProject(), marks, epoch: 1 });
}

interface Opening extends StageOptions {
  readonly root: string;
  readonly marks: Marks;
  readonly epoch: number;
}

function openStage(opening: Opening): FileStage {
  const { root, marks, epoch, durability = "process", watch, held = () => true } = opening;
  const disk: Disk = createDisk(join(root, "tmp"));
  const folder = (agent: AgentId): string => join(root, "agents", agent);
  const bus = createFileBus({
    disk: watch ? watchDisk(disk, watch) : disk,
    lock: { epoch, held },
    durability,
    clock: { now: () => 0 },
    folder,
    corruptFolder: join(root, "corrupt"),
    onDamage: () => undefined,
    watermarks: (agent) => Promise.resolve(marks.get(agent)),
    held: (agent) => marks.get(agent)?.held ?? 0,
  });
  return {
    root,
    bus,
    files: (agent) => disk.list(join(folder(agent), "mailbox")),
    async takeIn(agent, inbox, mail, as) {
      const mark = marks.get(agent)!;
      if (as === "held") mark.held += mail.length;
      for (const { from, message, position } of mail) {
        mark.seen.set(from, parseMessageId(message.id).n);
        mark.taken = position;
      }
      inbox.taken(mark.taken);
    },
    async restart(how) {
      if (how === "closed") await bus.close();
      return openStage({ ...opening, epoch: epoch + 1 });
    },
  };
}

for (const durability of ["disk", "process"] as const)
  describeBus(`a memory bus of durability ${durability}`, () => createStage({ durability }));

describe("a memory bus on files", () => {
  it("touches the files of the recipient only, however many agents there are (B4)", async () => {
    const costs: string[][] = [];
    for (const count of [1, 1_000]) {
      const calls: DiskCall[] = [];
      const agents = Array.from({ length: count }, (_, n) => `agent-${n}`);
      const { bus, root } = await createStage({ agents, watch: (call) => void calls.push(call) });
      await bus.send(letter("agent-0", 1));
      await bus.send(letter("agent-0", 2));
      costs.push(calls.map(({ op, path }) => `${op} ${path.slice(root.length)}`));
    }
    expect(costs[1]).toEqual(costs[0]);
    expect(costs[0]!.filter((call) => call.startsWith("write"))).toHaveLength(2);
  });

  it("creates no file for an agent without mail", async () => {
    const { bus, files } = await createStage();
    await bus.open("a");
    expect([await files("a"), await bus.unread("b")]).toEqual([[], 0]);
  });

  it("shares one flush among messages that come at once (B1)", async () => {
    let syncs = 0;
    const { bus } = await createStage({
      durability: "disk",
      watch: ({ op }) => void (op === "sync" && syncs++),
    });
    await Promise.all(Array.from({ length: 200 }, (_, n) => bus.send(letter("a", n + 1))));
    expect(syncs).toBeLessThanOrEqual(2);
  });

  it("removes the files of mail that was taken", async () => {
    const stage = await createStage();
    const { bus, files, takeIn } = stage;
    const inbox = await bus.open("a");
    const content = "x".repeat(200_000);
    for (let n = 1; n <= 20; n++) await bus.send(letter("a", n, { content }));
    expect((await files("a")).length).toBeGreaterThan(3);
    await takeIn("a", inbox, inbox.peek(Infinity).slice(0, 19));
    await bus.close();
    expect(await files("a")).toHaveLength(1);
    const next = await stage.restart("killed");
    const again = await next.bus.open("a");
    expect(again.unread).toBe(1);
    await next.takeIn("a", again, again.peek(0));
    await next.bus.close();
    expect(await files("a")).toEqual([]);
  });

  it("removes the files that earlier runs left when their mail was taken by then", async () => {
    let stage = await createStage();
    for (const n of [1, 2, 3]) {
      await stage.bus.send(letter("a", n));
      stage = await stage.restart("killed");
    }
    const inbox = await stage.bus.open("a");
    await stage.takeIn("a", inbox, inbox.peek(Infinity));
    await stage.bus.close();
    expect(await stage.files("a")).toEqual([]);
  });

  it("keeps the files of mail as long as nobody says that a log has it", async () => {
    const stage = await createStage();
    await stage.bus.send(letter("a", 1));
    const next = await stage.restart("closed");
    await next.bus.send(letter("a", 2));
    await next.bus.close();
    expect(contents(await (await next.restart("closed")).bus.open("a"))).toEqual(["x 1", "x 2"]);
  });

  it("asks for everything since the log's newest when its folder was deleted (B2)", async () => {
    const stage = await createStage();
    for (const n of [1, 2, 3]) await stage.bus.send(letter("a", n));
    const inbox = await stage.bus.open("a");
    await stage.takeIn("a", inbox, inbox.peek(0));
    await stage.bus.close();
    await rm(join(stage.root, "agents", "a"), { recursive: true });
    const { bus } = await stage.restart("killed");
    expect(await bus.send(letter("a", 4))).toEqual({ status: "gap", expected: 2 });
    for (const n of [2, 3, 4]) expect(await bus.send(letter("a", n))).toEqual({ status: "accepted" });
  });

  it("asks for a message whose line was damaged, and for those after it, and keeps a copy of the line (B2)", async () => {
    const stage = await createStage();
    for (const n of [1, 2, 3]) await stage.bus.send(letter("a", n));
    await stage.bus.send(letter("a", 1, { from: "y" }));
    const [name] = await stage.files("a");
    const path = join(stage.root, "agents", "a", "mailbox", name!);
    await writeFile(path, (await readFile(path, "utf8")).replace("x 2", "x 9"));
    const { bus, root } = await stage.restart("killed");
    expect(contents(await bus.open("a"))).toEqual(["x 1", "y 1"]);
    expect(await bus.send(letter("a", 4))).toEqual({ status: "gap", expected: 2 });
    expect(await readdir(join(root, "corrupt"))).toEqual([expect.stringContaining("a-mailbox-")]);
  });

  it("lets no stale line of an older mailbox lower what its reader has seen (B2)", async () => {
    const stage = await createStage();
    const inbox = await stage.bus.open("a");
    for (const n of [1, 2]) await stage.bus.send(letter("a", n));
    await stage.takeIn("a", inbox, inbox.peek(Infinity));
    const kept = await Promise.all(
      (await stage.files("a")).map(async (name) => {
        const path = join(stage.root, "agents", "a", "mailbox", name);
        return { path, bytes: await readFile(path) };
      }),
    );
    for (const n of [3, 4]) await stage.bus.send(letter("a", n));
    await stage.takeIn("a", inbox, inbox.peek(Infinity));
    await stage.bus.close();
    for (const { path, bytes } of kept) await writeFile(path, bytes);
    const { bus } = await stage.restart("killed");
    expect(await bus.unread("a")).toBe(0);
    expect(await bus.send(letter("a", 4))).toEqual({ status: "duplicate" });
    expect(await bus.send(letter("a", 5))).toEqual({ status: "accepted" });
  });

  it("refuses a mailbox that a newer version wrote", async () => {
    const stage = await createStage();
    await stage.bus.send(letter("a", 1));
    const path = join(stage.root, "agents", "a", "mailbox", (await stage.files("a"))[0]!);
    await writeFile(path, toLine({ seq: 1, epoch: 1, at: "", kind: "opened", format: 2, seals: {} }));
    const { bus } = await stage.restart("killed");
    await expect(bus.send(letter("a", 2))).rejects.toMatchObject({ code: "DAMAGED" });
    expect(await bus.send(letter("b", 1))).toEqual({ status: "accepted" });
  });
});

describe("a memory bus on a disk that fails", () => {
  const failure = { code: "STORAGE" };

  it.each(["write", "sync", "create"] as const)(
    "forgets a message whose %s failed, and takes it when it is sent again (B1, B2)",
    async (op) => {
      let broken = false;
      const stage = await createStage({
        durability: "disk",
        watch(call) {
          if (broken && (call.op === op || (op === "create" && call.op === "write"))) throw new Error("EIO");
        },
      });
      const { bus } = stage;
      const inbox = await bus.open("a");
      await bus.send(letter("a", 1));
      broken = true;
      const sends = [2, 2, 3].map((n) => bus.send(letter("a", n)));
      for (const sent of await Promise.allSettled(sends))
        if (sent.status === "fulfilled") expect(sent.value).toEqual({ status: "gap", expected: 2 });
      await expect(bus.send(letter("a", 2))).rejects.toMatchObject(failure);
      expect(contents(inbox)).toEqual(["x 1"]);
      broken = false;
      expect(await bus.send(letter("a", 3))).toEqual({ status: "gap", expected: 2 });
      for (const n of [2, 3]) expect(await bus.send(letter("a", n))).toEqual({ status: "accepted" });
      expect(contents(inbox)).toEqual(["x 1", "x 2", "x 3"]);
      const next = await stage.restart("killed");
      expect(contents(await next.bus.open("a"))).toEqual(["x 1", "x 2", "x 3"]);
    },
  );

  it("keeps what it accepted before, taken or not, when it goes on after a failure (B1, B2)", async () => {
    let broken = false;
    const stage = await createStage({
      durability: "disk",
      watch({ op }) {
        if (broken && op === "sync") throw new Error("EIO");
      },
    });
    const { bus, takeIn } = stage;
    const inbox = await bus.open("a");
    for (const n of [1, 2]) await bus.send(letter("a", n));
    await bus.send(letter("a", 1, { from: "y" }));
    await takeIn("a", inbox, inbox.peek(0));
    broken = true;
    await expect(bus.send(letter("a", 3))).rejects.toMatchObject(failure);
    broken = false;
    expect(await bus.send(letter("a", 1))).toEqual({ status: "duplicate" });
    expect(await bus.send(letter("a", 2))).toEqual({ status: "duplicate" });
    expect(await bus.send(letter("a", 1, { from: "y" }))).toEqual({ status: "duplicate" });
    expect(await bus.send(letter("a", 3))).toEqual({ status: "accepted" });
    const next = await stage.restart("killed");
    expect(contents(await next.bus.open("a"))).toEqual(["x 2", "y 1", "x 3"]);
  });

  it("loses nothing that it accepted, and repeats nothing, whichever calls fail (B1, B2)", async () => {
    for (let failing = 1; failing < 40; failing += 3) {
      let calls = 0;
      const stage = await createStage({
        durability: "disk",
        watch({ op }) {
          if ((op === "write" || op === "sync") && ++calls % 7 === failing % 7 && calls > failing)
            throw new Error("EIO");
        },
      });
      const told: number[] = [];
      for (let n = 1, tries = 0; n <= 12; tries++) {
        expect(tries).toBeLessThan(100);
        const receipts = await Promise.allSettled(
          [n, n + 1].map((number) => stage.bus.send(letter("a", number))),
        );
        receipts.forEach((receipt, index) => {
          if (receipt.status === "fulfilled" && receipt.value.status === "accepted") told.push(n + index);
        });
        const last = receipts.findLastIndex(
          (receipt) => receipt.status === "fulfilled" && /accepted|duplicate/.test(receipt.value.status),
        );
        n += last + 1;
      }
      expect(told).toEqual(told.map((_, index) => index + 1));
      const next = await stage.restart("killed");
      expect(contents(await next.bus.open("a"))).toEqual(told.map((n) => `x ${n}`));
    }
  });

  it("does not go on once another process has taken over (B1)", async () => {
    let held = true;
    const { bus, files } = await createStage({ held: () => held });
    await bus.send(letter("a", 1));
    held = false;
    for (let attempt = 0; attempt < 3; attempt++)
      await expect(bus.send(letter("a", 2))).rejects.toMatchObject(failure);
    expect(await files("a")).toHaveLength(1);
  });
});
