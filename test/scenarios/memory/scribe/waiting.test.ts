// What a scribe does not take in yet: what may still be lost, and what comes before it is done with something else.

import { expect, it } from "vitest";
import { createDisk, type AppendFile, type Disk } from "../../../../src/base/files/disk.ts";
import { aborted } from "../../../../src/base/process/signals.ts";
import { createFileBackend } from "../../../../src/storage/files/backend.ts";
import { legionPaths } from "../../../../src/storage/folder/paths.ts";
import { byHand, createWorldInMemory, openWorld, temporaryFolder, type World } from "../../../world.ts";
import { courseOf, QUIET } from "../../../observed.ts";
import { answerTo, scribeOf, scripted } from "./listening.ts";

const heard = async (world: World): Promise<readonly string[]> =>
  (await world.kinds("scribe", "observed")).flatMap(({ message }) => message?.content ?? []);

/** A disk on which what says `text` is written, and not flushed before `opened` has resolved. */
function holding(disk: Disk, text: string, opened: Promise<void>) {
  const written = byHand();
  const watch = (file: AppendFile): AppendFile => {
    let isHeld = false;
    return {
      ...file,
      write(bytes) {
        file.write(bytes);
        const isIt = Buffer.from(bytes).includes(text) && Buffer.from(bytes).includes('"kind":"message"');
        if (!isIt) return;
        isHeld = true;
        written.resolve();
      },
      async sync() {
        if (isHeld) await opened;
        await file.sync();
      },
    };
  };
  return {
    written: written.promise,
    disk: {
      ...disk,
      create: (path: string) => watch(disk.create(path)),
      extend: (path: string) => watch(disk.extend(path)),
    },
  };
}

it("a scribe takes in nothing that its log would name and a power cut would take: that is flushed first (A2)", async () => {
  const project = await temporaryFolder();
  const [asked, answered, opened] = [byHand(), byHand(), byHand()];
  const model = scripted(async ({ tools }, index) => {
    asked.resolve();
    if (index === 0) await answered.promise;
    return answerTo(tools[0]?.name, index);
  });
  const { disk, written } = holding(createDisk(legionPaths(project).tmp), "Third", opened.promise);
  const agents = { "1": QUIET, "2": QUIET, scribe: scribeOf(model) };
  const backend = createFileBackend(project);
  const world = await openWorld(project, agents, { backend, disk, durability: "disk" });
  await world.say("1", "First");
  await asked.promise;
  await world.say("1", "Second");
  await world.until((seen) => isHeardBy("1", "Second", seen));
  await world.say("1", "Third");
  await written;
  answered.resolve();
  await world.say("2", "Fourth");
  await world.until(
    (seen) => seen.kind === "event" && seen.event.kind === "observed" && seen.event.thread === "0,2",
  );
  expect(await heard(world)).not.toContain("Third");
  opened.resolve();
  await world.idle();
  expect((await heard(world)).toSorted()).toEqual(["First", "Fourth", "Second", "Third"]);
});

function isHeardBy(agent: string, content: string, seen: World["seen"][number]): boolean {
  return (
    seen.kind === "event" &&
    seen.agent === agent &&
    seen.event.kind === "message" &&
    seen.event.message.content === content
  );
}

it("a scribe that is stopped in the middle of a message goes on with it before it takes in the next one", async () => {
  const asked = byHand();
  const model = scripted(async ({ tools }, index) => {
    asked.resolve();
    if (index === 0) await aborted(new AbortController().signal);
    return answerTo(tools[0]?.name, index);
  });
  const world = await createWorldInMemory({ "1": QUIET, scribe: scribeOf(model) });
  await world.say("1", "First");
  await asked.promise;
  await world.legion.control.say(["scribe"], "Stop", "abort");
  await world.say("1", "Second");
  await world.idle();
  const course = courseOf(await world.events("scribe"));
  expect(course.filter((line) => /process_message|add_entry|processed/.test(line))).toEqual([
    "process_message 0,1 1: First",
    // What was stopped goes on where it was.
    "process_message 0,1",
    ...["model: add_entry", "rules: Message processed."],
    "process_message 0,1 2: Second",
    ...["model: add_entry", "rules: Message processed."],
  ]);
});
