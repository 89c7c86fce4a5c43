import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { beforeAll, describe, expect, it } from "vitest";
import {
  readDigest,
  readStanding,
  type DigestedLog,
} from "../../../../src/storage/contract/digests/digests.ts";
import { createDigestThreads } from "../../../../src/storage/files/reader/digest-threads.ts";
import { createDigestedLog } from "../../../../src/storage/files/reader/digested-log.ts";
import { digestFile, digestFolder } from "../../../../src/storage/folder/cache/digest-file.ts";
import { buildProgram } from "../../../cli/program.ts";
import { createKept, STEPS } from "./kept-log.ts";

beforeAll(buildProgram, 120_000);

const COMPILED = new URL("../../../../dist/src/storage/files/reader/digest-worker.js", import.meta.url);
const LONG = 1_000_000_000;

/** Threads that run this, and how many there were. */
function counted(program: URL | string = COMPILED) {
  const workers: Worker[] = [];
  const threads = createDigestThreads(() => {
    const worker = new Worker(program, { eval: typeof program === "string" });
    workers.push(worker);
    return worker;
  });
  return { threads, workers };
}

describe("a thread that folds", () => {
  it("keeps what the log comes to, which is what it comes to here", async () => {
    const { project, reader, kept } = await createKept();
    const here = await reader.digest("1");
    const { head, rest } = linesOf(await readFile(kept, "utf8"));
    await rm(kept);
    const { threads } = counted();
    expect(await threads.fold({ project, home: reader.paths.root, agent: "1" }, LONG)).toBe(true);
    const there = linesOf(await readFile(kept, "utf8"));
    expect(there.head.head).toEqual(head.head);
    expect(there.head.binding).toEqual(head.binding);
    expect(there.rest).toEqual(rest);
    expect(here.ledger.spent.steps).toBe(STEPS);
    expect(await reader.digest("1")).toEqual(here);
  });

  it("is started for nobody whose log is folded here in the time in which it starts", async () => {
    const { project, reader } = await createKept();
    const { threads, workers } = counted();
    for (let asked = 0; asked < 4; asked++)
      expect(await threads.fold({ project, home: reader.paths.root, agent: "1" }, 1_048_576)).toBe(false);
    expect(workers).toEqual([]);
    expect(await threads.fold({ project, home: reader.paths.root, agent: "1" }, 1)).toBe(true);
  });

  it("serves one after the other, and there are no more of them than processors, or four", async () => {
    const { project, reader } = await createKept(40);
    const { threads, workers } = counted();
    const order = { project, home: reader.paths.root, agent: "1" };
    const all = await Promise.all(Array.from({ length: 40 }, () => threads.fold(order, LONG)));
    expect(all).toEqual(Array(40).fill(true));
    expect(workers.length).toBeLessThanOrEqual(4);
  });

  it("says so where nothing can be kept, and where the log cannot be read", async () => {
    const { project, reader, kept } = await createKept();
    const order = { project, home: reader.paths.root, agent: "1" };
    const { threads, workers } = counted();
    await rm(join(kept, ".."), { recursive: true, force: true });
    await mkdir(join(kept, "../.."), { recursive: true });
    await writeFile(join(kept, ".."), "in the way");
    expect(await threads.fold(order, LONG)).toBe(false);
    expect((await reader.digest("1")).ledger.spent.steps).toBe(STEPS);
    await rm(join(reader.paths.agent("1"), "log"), { recursive: true });
    await writeFile(join(reader.paths.agent("1"), "log"), "in the way");
    expect(await threads.fold(order, LONG)).toBe(false);
    expect(workers).toHaveLength(1);
  });

  it("that ends, at work or at rest, is asked for nothing more, nor is another one", async () => {
    const { project, reader } = await createKept();
    const order = { project, home: reader.paths.root, agent: "1" };
    const dying = counted(`require("worker_threads").parentPort.on("message", () => process.exit(1))`);
    expect(await dying.threads.fold(order, LONG)).toBe(false);
    expect(await dying.threads.fold(order, LONG)).toBe(false);
    expect(dying.workers).toHaveLength(1);
    const missing = counted(new URL("nothing.js", COMPILED));
    expect(await missing.threads.fold(order, LONG)).toBe(false);
    const resting = counted();
    expect(await resting.threads.fold(order, LONG)).toBe(true);
    await resting.workers[0]!.terminate();
    expect(await resting.threads.fold(order, LONG)).toBe(false);
    expect(resting.workers).toHaveLength(1);
  });

  it("ends when it has had nothing to do for a while, and keeps no process alive before", async () => {
    const { project, reader } = await createKept();
    const order = { project, home: reader.paths.root, agent: "1" };
    const { threads, workers } = counted();
    await threads.fold(order, LONG);
    await new Promise((ended) => workers[0]!.once("exit", ended));
    expect(await threads.fold(order, LONG)).toBe(true);
    expect(workers).toHaveLength(2);

    const program = join(project, "folds.mjs");
    const compiled = new URL("digest-threads.js", COMPILED).href;
    await writeFile(
      program,
      `const { digestThreads } = await import(${JSON.stringify(compiled)});
       const order = ${JSON.stringify(order)};
       console.log(await digestThreads.fold(order, ${LONG}), process.uptime());
       process.on("exit", () => console.log(process.uptime()));`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, [program]);
    expect(stdout).toMatch(/^true /);
  });
});

describe("whoever asks what a long log comes to", () => {
  it.each(["digest", "standing"] as const)(
    "reads nothing of it here where a thread has kept its %s",
    async (what) => {
      const { project, reader, folder } = await createKept();
      const order = { project, home: reader.paths.root, agent: "1" };
      const { threads } = counted();
      const read = { digest: readDigest, standing: readStanding }[what];
      const real = createDigestedLog({ folder, disk: reader.disk });
      const log: DigestedLog = {
        ...real,
        events(from) {
          if (from === 1) throw new Error("It is read here.");
          return real.events(from);
        },
      };
      const place = digestFile(digestFolder(reader.paths), "1");
      const nobody = { log, place, elsewhere: () => Promise.resolve(false) };
      await expect(read(nobody)).rejects.toThrow("It is read here.");
      const told = await read({ log, place, elsewhere: () => threads.fold(order, LONG) });
      expect(told.ledger.spent.steps).toBe(STEPS);
      // Once it is kept, nobody else is asked.
      expect(
        (await read({ log, place, elsewhere: () => Promise.reject(new Error("asked")) })).ledger,
      ).toEqual(told.ledger);
    },
  );
});

function linesOf(text: string) {
  const [head = "", rest = ""] = text.split("\n");
  const { binding, head: said } = JSON.parse(head) as { binding: unknown; head: unknown };
  return { head: { binding, head: said }, rest };
}
