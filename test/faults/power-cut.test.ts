// Images of a real device, taken while a process writes to it. `LEGION_IMAGES` says how many.

import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClock } from "../../src/base/clock.ts";
import { sha256 } from "../../src/past/log/blobs.ts";
import type { Durability } from "../../src/storage/contract/node.ts";
import { legionPaths } from "../../src/storage/folder/paths.ts";
import { createFileReader } from "../../src/storage/files/reader/reader.ts";
import { openFileStore } from "../../src/storage/files/store.ts";
import { UNHOSTED } from "../../src/storage/contract/store.ts";
import { onDevice, whyNoDevices, type Device } from "./device.ts";
import type { Acknowledged } from "./power-writer.ts";

const IMAGES = Number(process.env["LEGION_IMAGES"] ?? 8);
const IMAGES_PER_DEVICE = 8;
const DEVICE_BYTES = 64 * 1_048_576;
const TEST_MS = 60_000 + IMAGES * 5_000;
const obstacle = whyNoDevices();

interface Writing {
  readonly writer: ChildProcess;
  readonly acknowledged: readonly Acknowledged[];
  /** Resolves when so many more were acknowledged. */
  more(count: number): Promise<void>;
}

/** Lets a process write to a new device while `look` looks on. */
async function whileWriting(
  durability: Durability,
  look: (device: Device, writing: Writing) => Promise<void>,
): Promise<void> {
  await onDevice(DEVICE_BYTES, async (device) => {
    const project = join(device.folder, "project");
    await mkdir(project);
    const writer = fork(join(import.meta.dirname, "power-writer.ts"), [project, durability], {
      execArgv: ["--import", "tsx"],
    });
    const exit = once(writer, "exit");
    await look(device, follow(writer, exit)).finally(() => writer.kill("SIGKILL"));
    await exit;
  });
}

function follow(writer: ChildProcess, exit: Promise<unknown>): Writing {
  const acknowledged: Acknowledged[] = [];
  let arrived = (): void => undefined;
  writer.on("message", (message) => {
    acknowledged.push(message as Acknowledged);
    arrived();
  });
  const ended = exit.then(() => Promise.reject(new Error("The writer has ended.")));
  ended.catch(() => undefined);
  const more = async (count: number): Promise<void> => {
    const wanted = acknowledged.length + count;
    while (acknowledged.length < wanted)
      await Promise.race([new Promise<void>((resolve) => (arrived = resolve)), ended]);
  };
  return { writer, acknowledged, more };
}

/** What was acknowledged and is not in the project. */
async function missingIn(
  project: string,
  acknowledged: readonly Acknowledged[],
): Promise<readonly Acknowledged[]> {
  const reader = createFileReader(project);
  const events = new Map<string, string>();
  const mail = new Set<string>();
  for (const agent of ["1", "2"]) {
    for await (const event of reader.events(agent))
      events.set(`${agent} ${event.seq}`, sha256(JSON.stringify(event)));
    for (const { message } of await reader.unread(agent, await reader.ledger(agent))) mail.add(message.id);
  }
  return acknowledged.filter((one) =>
    one.kind === "mail" ? !mail.has(one.id) : events.get(`${one.agent} ${one.seq}`) !== one.hash,
  );
}

/** Opens the project as the next process after a power cut, writes to it, and closes it. */
async function goOn(project: string): Promise<void> {
  const paths = legionPaths(project);
  for (const name of await readdir(paths.lock)) {
    const holder = JSON.parse(await readFile(join(paths.lock, name), "utf8")) as object;
    await writeFile(join(paths.lock, name), JSON.stringify({ ...holder, boot: "the one before" }));
  }
  const options = {
    paths,
    role: "node",
    durability: "disk",
    clock: createClock(),
    hosted: new Set(["1", "2"]),
  } as const;
  const store = await openFileStore({ ...options, inspect: () => undefined });
  const memory = await store.openAgent("1", UNHOSTED);
  await memory.commit({ kind: "notice", reason: "resumed", content: "after the power cut" });
  await memory.close();
  await store.close();
}

describe.skipIf(obstacle)(
  `the power cut of a real device${obstacle ? ` (skipped: ${obstacle})` : ""}`,
  () => {
    it(
      "leaves everything that was acknowledged, in every image, and a project that goes on",
      async () => {
        for (let images = 0; images < IMAGES; images += IMAGES_PER_DEVICE) {
          await whileWriting("disk", async (device, { writer, acknowledged, more }) => {
            for (let image = 0; image < IMAGES_PER_DEVICE; image++) {
              await more(30 + Math.floor(Math.random() * 100));
              const promised = [...acknowledged];
              writer.kill("SIGSTOP");
              await device.cutPower(async (folder) => {
                writer.kill("SIGCONT");
                const project = join(folder, "project");
                expect(await missingIn(project, promised)).toEqual([]);
                await goOn(project);
                expect(await missingIn(project, promised)).toEqual([]);
              });
            }
          });
        }
      },
      TEST_MS,
    );

    it(
      "takes away what was only handed to the operating system",
      async () => {
        await whileWriting("process", async (device, { writer, acknowledged, more }) => {
          await more(300);
          const promised = [...acknowledged];
          writer.kill("SIGSTOP");
          await device.cutPower(async (folder) => {
            expect((await missingIn(join(folder, "project"), promised)).length).toBeGreaterThan(0);
          });
        });
      },
      TEST_MS,
    );
  },
);
