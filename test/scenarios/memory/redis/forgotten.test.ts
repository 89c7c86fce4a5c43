// What a person has a memory in Redis forget while two nodes run, and what may never get there.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { core } from "../../../../modules/core.ts";
import { memory } from "../../../../modules/memory/index.ts";
import { createRedactor } from "../../../../src/base/redaction/redactor.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../../../src/model/scripted/scripted.ts";
import { indexFolder } from "../../../../src/storage/folder/memory-paths.ts";
import { createRedisMemories } from "../../../../src/storage/redis/memories/memories.ts";
import { openSearch } from "../../../../src/storage/search/open.ts";
import { createSearchThread } from "../../../../src/storage/search/thread.ts";
import { legion } from "../../../cli/legion.ts";
import { QUIET } from "../../../observed.ts";
import { keptIn } from "../../../storage/redis/memories/memories-place.ts";
import { openTestLink } from "../../../storage/redis/members.ts";
import { newLegion } from "../../../storage/redis/places.ts";
import { openNode } from "../../../storage/redis/redis-world.ts";
import { redisIsThere, startRedis, until, type Server } from "../../../storage/redis/servers.ts";
import { startSearchWorker } from "../../../storage/search/start-worker.ts";
import { createTempProject } from "../../../temp-project.ts";
import { temporaryFolder, type WorldAgent } from "../../../world.ts";
import { answerTo, MEMORY, scribeOf, scripted } from "../scribe/listening.ts";
import { contextIn, entriesIn } from "./heard.ts";

let server: Server;
beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());

// Words that share no beginning with others: an index keeps those once.
const CANARY = "xylocanary";
const SECRET = "qjsecret0815";

/** A scribe's model whose documents hold what it was shown of the canary. */
const telling = () =>
  scripted(({ tools, system }, index) =>
    tools[0]?.name === "put_context"
      ? { calls: [{ action: "put_context", parameters: { content: `# Facts\n${knownIn(system)}` } }] }
      : answerTo("add_entry", index),
  );

const knownIn = (system: string): string => (system.includes(CANARY) ? `The bird is ${CANARY}.` : "Nothing.");

const search: ScriptedAnswer = { calls: [{ action: "searchMemory", parameters: { query: "bird" } }] };

/** One that looks for the bird whenever it is talked to. */
function searching() {
  const model = createScriptedModel(({ turns }) => {
    const last = turns.at(-1);
    return last?.role === "user" && last.text.includes("Look") ? search : { text: "Done." };
  });
  return { model, agent: { model, modules: [core, memory], memories: [MEMORY] } satisfies WorldAgent };
}

/** Every key of the memory, with what it holds. */
const memoryOf = async (name: string): Promise<string> =>
  (await keptIn([server.port], name)).filter((kept) => kept.includes(`{${name}:${MEMORY}}`)).join("\n");

/** All that there is below the folder; files that are gone by then are not. */
async function bytesIn(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const texts = names
    .filter((each) => each.isFile())
    .map((each) => readFile(join(each.parentPath, each.name), "latin1").catch(() => ""));
  return (await Promise.all(texts)).join("\n");
}

const thread = createSearchThread(startSearchWorker);
thread.enter();

async function begin(more: Parameters<typeof openNode>[3] = {}) {
  const name = newLegion();
  const place = { link: await openTestLink(server.url), name };
  const start = (agents: Readonly<Record<string, WorldAgent>>) => openNode(server.url, name, agents, more);
  const cwd = await createTempProject();
  const typed = (...argv: readonly string[]) =>
    legion(["memory", ...argv, "--bus", server.url, "--name", name], { cwd });
  const reader = createRedisMemories({ link: place.link, legion: name }).read(MEMORY);
  const folder = indexFolder(await temporaryFolder(), MEMORY, name);
  const log = async () => (await reader.standing()).log;
  const index = openSearch({ folder, thread, memory: { log, events: reader.events } });
  onTestFinished(() => index.close());
  /** Whether the files of an index that was asked just now hold it. */
  const isIndexed = async (text: string): Promise<boolean> => {
    await index.search({ text: "bird", limit: 10 });
    return (await bytesIn(folder)).includes(text);
  };
  return { name, place, start, typed, isIndexed };
}

describe.runIf(redisIsThere)("what a memory in Redis forgets while two nodes run", () => {
  it("is in no key of it, in no index, and in no later prompt on either node", async () => {
    const { name, place, start, typed, isIndexed } = await begin();
    const [one, two] = [searching(), searching()];
    const ears = telling();
    const here = await start({ 1: one.agent, scribe: scribeOf(ears, { observe: ["3"] }) });
    const there = await start({ 2: two.agent, 3: QUIET });
    await there.say("3", `The bird is ${CANARY}.`);
    await until(async () => (await entriesIn(place)).length === 1);
    await typed("flush");
    await until(async () => (await contextIn(place))?.includes(CANARY) === true);
    for (const [node, agent] of [
      [here, "1"],
      [there, "2"],
    ] as const) {
      await node.say(agent, "Look");
      await until(async () => (await node.kinds(agent, "decision")).length === 2);
    }
    for (const { model } of [one, two]) expect(model.requests[0]!.system).toContain(CANARY);
    expect(await memoryOf(name)).toContain(CANARY);
    expect(await isIndexed(CANARY)).toBe(true);

    expect(await typed()).toMatchObject({ exitCode: 0, err: "" });
    expect((await typed("search", "bird")).out).toContain(CANARY);
    expect(await typed("forget", "--query", CANARY, "--yes")).toMatchObject({ exitCode: 0, err: "" });
    expect(await memoryOf(name)).not.toContain(CANARY);
    expect((await typed("search", "bird")).out).not.toContain(CANARY);
    const asked = [one.model, two.model, ears].map(({ requests }) => requests.length);
    for (const [node, agent] of [
      [here, "1"],
      [there, "2"],
    ] as const) {
      await node.say(agent, "Look");
      await until(async () => (await node.kinds(agent, "decision")).length === 4);
      expect((await node.kinds(agent, "result")).at(-1)!.content).not.toContain(CANARY);
    }
    await there.say("3", "Hello");
    await until(async () => (await entriesIn(place)).length === 1);
    await typed("flush");
    await until(async () => (await contextIn(place)) === "# Facts\nNothing.");
    for (const [index, { requests }] of [one.model, two.model, ears].entries()) {
      const later = requests.slice(asked[index]);
      expect(later.length).toBeGreaterThan(0);
      for (const { system } of later) expect(system).not.toContain(CANARY);
    }
    expect(await memoryOf(name)).not.toContain(CANARY);
    expect(await isIndexed(CANARY)).toBe(false);
  });

  it("and a known secret never was in any key of the legion, or any index of a node", async () => {
    const redactor = createRedactor([{ name: "PLANTED", value: SECRET }]);
    const { name, place, start, isIndexed } = await begin({ redactor, home: { redactor } });
    const reader = searching();
    const here = await start({ 1: QUIET, scribe: scribeOf(telling()) });
    const there = await start({ 2: reader.agent });
    await here.say("1", `The bird knows ${SECRET}, xylophone.`);
    await until(async () => (await entriesIn(place)).length === 1);
    await there.say("2", "Look");
    await until(async () => (await there.kinds("2", "decision")).length === 2);
    expect((await there.kinds("2", "result"))[0]!.content).toContain(
      "The bird knows [redacted:PLANTED], xylophone.",
    );
    expect(await isIndexed("xylophone")).toBe(true);
    expect(await isIndexed(SECRET)).toBe(false);
    expect((await keptIn([server.port], name)).join("\n").includes(SECRET)).toBe(false);
  });
});
