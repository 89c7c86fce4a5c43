import { fork, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createDisk, type Disk } from "../../../src/base/files/disk.ts";
import { lockHolder, takeLock, type Holder, type Lock } from "../../../src/storage/folder/lock.ts";
import { createTempProject } from "../../temp-project.ts";
import { byHand } from "../../world.ts";
import type { LockAnswer, LockOrder } from "./lock-process.ts";
import { watchDisk } from "../files/watched-disk.ts";

let root: string;
let folder: string;
let disk: Disk;

beforeEach(async () => {
  root = await createTempProject();
  folder = join(root, "lock");
  disk = createDisk(join(root, "tmp"));
});

async function take(role: Holder["role"] = "node", waitMs = 0, on = disk): Promise<Lock> {
  const lock = await takeLock(folder, on, { role, waitMs });
  onTestFinished(() => lock.release().catch(() => undefined));
  return lock;
}

function startProcess(): ChildProcess {
  const child = fork(join(import.meta.dirname, "lock-process.ts"), { execArgv: ["--import", "tsx"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function order(child: ChildProcess, role: Holder["role"] = "node", at = root): Promise<LockAnswer> {
  const answer = once(child, "message") as Promise<[LockAnswer]>;
  child.send({ root: at, role } satisfies LockOrder);
  return (await answer)[0];
}

async function end(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

/** Puts a holder's file there that differs from one of this process. */
async function leaveHolder(difference: Partial<Record<keyof Holder, unknown>>, at = folder): Promise<string> {
  const other = join(root, "other");
  const own = await takeLock(other, disk, { role: "node", waitMs: 0 });
  const holder = JSON.parse(await readFile(join(other, String(own.epoch)), "utf8")) as Holder;
  await own.release();
  await mkdir(at, { recursive: true });
  const path = join(at, "1");
  await writeFile(path, JSON.stringify({ ...holder, ...difference }));
  return path;
}

describe("the lock of a directory", () => {
  it("counts its holders, and lets the next one in after a release", async () => {
    for (const epoch of [1, 2, 3]) {
      const lock = await take();
      expect(lock.epoch).toBe(epoch);
      expect(lock.held()).toBe(true);
      expect(await lockHolder(folder, disk)).toMatchObject({ pid: process.pid, role: "node" });
      await lock.release();
      expect(lock.held()).toBe(false);
      expect(await lockHolder(folder, disk)).toBeUndefined();
    }
    expect(await readdir(folder)).toEqual(["3"]);
  });

  it("refuses a second live process and names the first", async () => {
    const child = startProcess();
    expect(await order(child)).toEqual({ epoch: 1 });
    await expect(take()).rejects.toMatchObject({
      code: "LOCKED",
      message: `This directory is in use by process ${child.pid} on ${hostname()}; other commands talk to it, and \`legion stop\` ends it.`,
    });
    await expect(take("command", 60_000)).rejects.toMatchObject({ code: "LOCKED" });
    expect(await lockHolder(folder, disk)).toMatchObject({ pid: child.pid });
  });

  it("is taken over from a process that was killed", async () => {
    const child = startProcess();
    await order(child);
    await end(child);
    expect((await take()).epoch).toBe(2);
  });

  it("stays with a process that is only stopped", async () => {
    const child = startProcess();
    await order(child);
    child.kill("SIGSTOP");
    await expect(take()).rejects.toMatchObject({ code: "LOCKED" });
  });

  it.runIf(process.platform === "linux")(
    "is taken over from a process that ended unnoticed by its parent",
    async () => {
      // `exec` makes a parent of it that never asks how its child ended.
      const shell = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      onTestFinished(() => void shell.kill("SIGKILL"));
      const [line] = (await once(shell.stdout, "data")) as [Buffer];
      const pid = Number(line.toString());
      const stat = await readFile(`/proc/${pid}/stat`, "utf8");
      const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
      await leaveHolder({ pid, start });
      await expect(take()).rejects.toMatchObject({ code: "LOCKED" });
      process.kill(pid, "SIGKILL");
      for (let state = ""; state !== "Z";) {
        const now = await readFile(`/proc/${pid}/stat`, "utf8");
        state = now.slice(now.lastIndexOf(")") + 2, now.lastIndexOf(")") + 3);
      }
      expect((await take()).epoch).toBe(2);
    },
  );

  it.runIf(process.platform === "linux")(
    "is taken over where another process has got the pid since",
    async () => {
      await leaveHolder({ start: "1" });
      expect((await take()).epoch).toBe(2);
    },
  );

  it.runIf(process.platform === "linux")("is taken over after the machine started again", async () => {
    await leaveHolder({ boot: "another boot" });
    expect((await take()).epoch).toBe(2);
  });

  it("stays with a process of another container as long as that touches it", async () => {
    const path = await leaveHolder({ pidns: "pid:[1]", host: "elsewhere" });
    await expect(take()).rejects.toMatchObject({ code: "LOCKED" });
    const long = new Date(Date.now() - 16_000);
    await utimes(path, long, long);
    expect((await take()).epoch).toBe(2);
  });

  it.each(["", "not JSON", "null", "{}", '{"pid":"1"}', "[1]"])(
    "is taken over where its file says %j",
    async (text) => {
      await mkdir(folder);
      await writeFile(join(folder, "4"), text);
      expect((await take()).epoch).toBe(5);
    },
  );

  it("takes no notice of other files", async () => {
    await mkdir(folder);
    for (const name of ["-1", "1.5", "1e3", "x", "0x10", ".5"]) await writeFile(join(folder, name), "");
    expect((await take()).epoch).toBe(1);
  });

  it("is waited for while a command holds it, and not longer than allowed", async () => {
    const command = await take("command");
    const looked = byHand();
    const watched = watchDisk(disk, ({ op }) => void (op === "read" && looked.resolve()));
    await expect(take("command", 0)).rejects.toMatchObject({ code: "LOCKED" });
    const next = take("node", 60_000, watched);
    await looked.promise;
    await command.release();
    expect((await next).epoch).toBe(2);
  });

  it("is lost when another takes over, and when its folder is deleted", async () => {
    const lock = await take();
    await writeFile(join(folder, "2"), "{}");
    expect(lock.held()).toBe(false);
    await rm(join(folder, "2"));
    expect(lock.held()).toBe(true);
    await rm(folder, { recursive: true });
    expect(lock.held()).toBe(false);
    await lock.release();
    expect(await disk.list(folder)).toEqual([]);
  });

  it("has one winner in each of ten races of eight processes", async () => {
    const children = Array.from({ length: 8 }, startProcess);
    for (let race = 0; race < 10; race++) {
      const at = join(root, `race-${race}`);
      // Every other race is for a lock that a dead process left.
      if (race % 2 === 1) await leaveHolder({ start: "1" }, join(at, "lock"));
      const answers = await Promise.all(children.map((child) => order(child, "node", at)));
      expect(answers.filter(({ epoch }) => epoch !== undefined)).toEqual([{ epoch: race % 2 === 1 ? 2 : 1 }]);
      expect(answers.filter(({ refusal }) => refusal?.includes("is in use by process"))).toHaveLength(7);
    }
  });

  it("keeps nobody out after it could not be taken", async () => {
    let claimed = false;
    const failing = watchDisk(disk, ({ op }) => {
      claimed ||= op === "claim";
      if (claimed && op === "list") throw new Error("EIO");
    });
    await expect(take("node", 0, failing)).rejects.toThrow("EIO");
    expect(claimed).toBe(true);
    expect((await take()).epoch).toBe(1);
  });

  it("is still held when it cannot be touched for a while", async () => {
    vi.useFakeTimers({ toFake: ["setInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const lock = await take("node", 0, { ...disk, touch: () => Promise.reject(new Error("EROFS")) });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lock.held()).toBe(true);
  });

  it("is not won by a claim that others have passed meanwhile", async () => {
    const claiming = byHand();
    const passed = byHand();
    const slow = watchDisk(disk, ({ op }) => {
      if (op !== "claim") return;
      claiming.resolve();
      return passed.promise;
    });
    const late = take("node", 0, slow);
    await claiming.promise;
    for (let holder = 0; holder < 3; holder++) await (await take()).release();
    const owner = await take();
    expect(await readdir(folder)).toEqual(["4"]);
    passed.resolve();
    await expect(late).rejects.toMatchObject({ code: "LOCKED" });
    expect(owner.held()).toBe(true);
  });
});
