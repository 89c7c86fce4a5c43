import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Event } from "../../../src/domain/event/event.ts";
import { createDisk, type Disk } from "../../../src/base/files/disk.ts";
import { openFileLog } from "../../../src/storage/files/log.ts";
import { said } from "../../past/log/event-log-contract.ts";
import { createTempProject } from "../../temp-project.ts";
import { watchDisk } from "./watched-disk.ts";

let root: string;
let epoch = 0;

beforeEach(async () => void (root = await createTempProject()));

async function open(disk: Disk = createDisk(join(root, "tmp"))) {
  const past: Event[] = [];
  const lock = { epoch: ++epoch, held: () => true };
  const place = { folder: join(root, "agents", "7"), corruptFolder: join(root, "corrupt"), clock: Date };
  const opened = await openFileLog({ ...place, disk, lock, durability: "disk" }, (event) => past.push(event));
  return { ...opened, past };
}

describe("a file log", () => {
  it("is begun ahead of its first event, once, and as durable; what was only kept waits for its own flush (L5)", async () => {
    const calls: string[] = [];
    const disk = watchDisk(createDisk(join(root, "tmp")), ({ op }) => void calls.push(op));
    const { log } = await open(disk);
    calls.length = 0;
    await log.begin!();
    expect(calls).toEqual(["create", "write", "sync"]);
    await log.keep([said("kept")]);
    await log.begin!();
    expect(calls).toEqual(["create", "write", "sync", "write"]);
    const [first] = await log.append([said("first")]);
    await log.close();
    const again = await open();
    expect(again.log.id).toBe(log.id);
    expect(again.past.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(again.past[2]).toMatchObject(first!);
  });

  it("that was begun and got no event is the same when it is opened again", async () => {
    const { log } = await open();
    await log.begin!();
    await log.close();
    const again = await open();
    expect([again.log.id, again.lost, again.past.map(({ kind }) => kind)]).toEqual([log.id, [], ["opened"]]);
    const [next] = await again.log.append([said("next")]);
    expect(next!.seq).toBe(3);
  });
});
