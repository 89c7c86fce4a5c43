// A message to an agent that rests, and a machine that stops at any moment of that.

import { describe, expect, it } from "vitest";
import { createLocalEnvironment } from "../../src/environment/local.ts";
import { startLegion, type Legion } from "../../src/legion/legion.ts";
import { createScriptedModel } from "../../src/model/scripted/scripted.ts";
import { readFileLog } from "../../src/storage/files/log.ts";
import { legionPaths } from "../../src/storage/folder/paths.ts";
import { toPlan } from "../world.ts";
import { releaseLock } from "./crashes.ts";
import { createFaultyDisk, type FaultyDisk } from "./faulty-disk.ts";
import { afterKill, afterPowerCut, createRandom, type Files } from "./files.ts";
import { PROJECT } from "./scenario.ts";

const IDS = Array.from({ length: 66 }, (_, index) => String(index + 1));

function start(disk: FaultyDisk): Promise<Legion> {
  const model = createScriptedModel([]);
  return startLegion({
    ...{ project: PROJECT, plans: IDS.map((id) => toPlan(id, { model })), limits: {}, durability: "disk" },
    ...{ delayMs: 0, heartbeatMs: "off", closesIdle: true, disk },
    ...{ environment: createLocalEnvironment(process.env), settings: () => ({}) },
  });
}

const idle = (legion: Legion): Promise<void> => legion.untilIdle(new AbortController().signal);

/** A legion that was used once and stopped. */
async function used(): Promise<Files> {
  const files: Files = new Map();
  const legion = await start(createFaultyDisk({ files }));
  await legion.control.say(["7"], "go");
  await idle(legion);
  await legion.stop();
  return files;
}

/** Says something to agent 7 on a machine that stops at call `at`. */
async function sayUntil(
  files: Files,
  at: number,
): Promise<{ readonly isSaid: boolean; readonly isOver: boolean }> {
  const disk = createFaultyDisk({
    files,
    random: createRandom(at),
    blow: ({ n }) => (n === at ? { kind: "crash", done: 0.5 } : undefined),
  });
  let isSaid = false;
  const play = async (): Promise<void> => {
    const legion = await start(disk);
    await legion.control.say(["7"], "the order");
    if (!disk.crashed) isSaid = true;
    await idle(legion);
    await legion.stop();
  };
  await Promise.race([play(), disk.stopped]);
  return { isSaid, isOver: !disk.crashed };
}

/** Has agent 7 decided since it took the order in? */
async function isDecidedOn(disk: FaultyDisk): Promise<boolean> {
  let isTaken = false;
  for await (const event of readFileLog({ folder: legionPaths(PROJECT).agent("7"), disk })) {
    if (event.kind === "decision" && isTaken) return true;
    if (event.kind === "message") isTaken = event.message.content === "the order";
  }
  return false;
}

describe("a message to an agent that rests", () => {
  it.each(["kill", "power cut"] as const)(
    "is acted on once it was said, whenever a %s comes (Z5, B1)",
    { timeout: 120_000 },
    async (by) => {
      const before = await used();
      for (let at = 1, isOver = false; !isOver; at++) {
        const files = afterKill(before);
        const said = await sayUntil(files, at);
        isOver = said.isOver;
        const left = by === "kill" ? afterKill(files) : afterPowerCut(files, createRandom(at));
        releaseLock(left);
        const disk = createFaultyDisk({ files: left });
        const legion = await start(disk);
        await idle(legion);
        expect({ at, isLost: said.isSaid && !(await isDecidedOn(disk)) }).toEqual({ at, isLost: false });
        await legion.stop();
      }
    },
  );
});
