// Group commit: 32 appenders to one log, written and on the disk.

import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { figure, load, report, round, temporaryFolder } from "./bench.mjs";

const { createDisk } = await load("src/base/files/disk.js");
const { openJournal } = await load("src/storage/files/journal/journal.js");
const text = "x".repeat(180);

/** @param {"disk" | "process"} durability @param {number} appenders @param {number} total */
async function run(durability, appenders, total) {
  const folder = temporaryFolder();
  const journal = openJournal(
    {
      folder,
      disk: createDisk(join(folder, "tmp")),
      lock: { epoch: 1, held: () => true },
      durability,
      clock: { now: Date.now },
      maxPartBytes: 8_388_608,
      opening: { log: "bench" },
    },
    { last: 0, segments: [] },
  );
  const started = performance.now();
  const appender = async () => {
    for (let n = 0; n < total / appenders; n++) {
      journal.write([{ kind: "notice", reason: "said", content: text }]);
      await journal.commit();
    }
  };
  await Promise.all(Array.from({ length: appenders }, appender));
  const perSecond = (total / (performance.now() - started)) * 1_000;
  await journal.close();
  return perSecond;
}

function floor() {
  const fd = openSync(join(temporaryFolder(), "floor"), "a");
  const started = performance.now();
  for (let n = 0; n < 300; n++) {
    writeSync(fd, `${text}${text}\n`);
    fdatasyncSync(fd);
  }
  closeSync(fd);
  return 300 / ((performance.now() - started) / 1_000);
}

await run("process", 32, 20_000);
const written = await run("process", 32, 200_000);
const synced = await run("disk", 32, 20_000);
const single = await run("disk", 1, 500);
const each = floor();
report([
  figure("7", "append, 32 at once, written", `${round(written / 1_000, 0)} k/s`, {
    goal: ">= 100 k/s",
    met: written >= 100_000,
  }),
  figure("7", "append, 32 at once, on the disk", `${round(synced / 1_000)} k/s`, {
    beside: `one flush each ${round(each / 1_000, 2)} k/s`,
    goal: ">= 15 times that",
    met: synced >= 15 * each,
  }),
  figure("7", "append, one at a time, on the disk", `${round(1_000 / single, 2)} ms`, {
    beside: `one flush ${round(1_000 / each, 2)} ms`,
    goal: "<= 1.5 flushes",
    met: each / single <= 1.5,
  }),
]);
