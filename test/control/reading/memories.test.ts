import { expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { memory } from "../../../modules/memory/index.ts";
import { readMemories } from "../../../src/control/reading/memories.ts";
import { createFileBackend } from "../../../src/storage/files/backend.ts";
import { openWorld, temporaryFolder } from "../../world.ts";

const ID = "main/legion";
const remember = (text: string, topic: string) => ({
  calls: [{ action: "remember", parameters: { text, tags: { topic } } }],
});

it("what an agent's memories hold is told newest first, or as some words find it", async () => {
  const project = await temporaryFolder();
  const backend = createFileBackend(project);
  const script = [remember("The boat is called Ada.", "boats"), remember("Tea at four.", "tea"), "Done."];
  const agent = { script, protocol: "tools", modules: [core, memory], memories: [ID] } as const;
  const world = await openWorld(project, { "1": agent, "2": { script: [] } }, { backend });
  await world.say("1", "Keep it");
  await world.idle();
  const { memories: reached } = await backend.reader.record("1");
  expect(reached).toEqual([ID]);
  const { memories } = await readMemories(backend.memories, reached);
  expect(memories).toMatchObject([{ memory: ID, entries: 2, keeper: null, context: null, problem: null }]);
  expect(memories[0]!.found.map(({ text, tags, cut }) => [text, tags["topic"], cut])).toEqual([
    ["Tea at four.", "tea", 0],
    ["The boat is called Ada.", "boats", 0],
  ]);
  const sought = await readMemories(backend.memories, reached, "boat");
  expect(sought.memories[0]!.found.map(({ text }) => text)).toEqual(["The boat is called Ada."]);
  const { memories: none } = await backend.reader.record("2");
  expect(await readMemories(backend.memories, none)).toEqual({ memories: [] });
});

it("a text beyond measure is cut around what it was found for", async () => {
  const project = await temporaryFolder();
  const backend = createFileBackend(project);
  const script = [remember(`${"calm sea. ".repeat(2_000)}Then the storm.`, "sea"), "Done."];
  const agent = { script, protocol: "tools", modules: [core, memory], memories: [ID] } as const;
  const world = await openWorld(project, { "1": agent }, { backend });
  await world.say("1", "Keep it");
  await world.idle();
  const [found] = (await readMemories(backend.memories, [ID], "storm")).memories[0]!.found;
  expect(found!.text).toContain("Then the storm.");
  expect(found!.text.length + found!.cut).toBe(20_015);
  expect(found!.text.length).toBeLessThanOrEqual(4_000);
});
