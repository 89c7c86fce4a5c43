// What is forgotten, and what is secret, is in no file that has to do with a long-term memory, and in no prompt of those who were
// shown it by the memory alone.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { core } from "../../../modules/core.ts";
import { memory } from "../../../modules/memory/index.ts";
import { createRedactor } from "../../../src/base/redaction/redactor.ts";
import type { ModelRequest } from "../../../src/domain/model.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { createFileBackend } from "../../../src/storage/files/backend.ts";
import { indexFolder } from "../../../src/storage/folder/memory-paths.ts";
import { openSearch } from "../../../src/storage/search/open.ts";
import { createSearchThread } from "../../../src/storage/search/thread.ts";
import { startSearchWorker } from "../../storage/search/start-worker.ts";
import { memory as command } from "../../cli/memory/kit.ts";
import { QUIET } from "../../observed.ts";
import { NOOP } from "../../workshop.ts";
import { openWorld, temporaryFolder, type WorldAgent } from "../../world.ts";
import { scribeOf, scripted } from "./scribe/listening.ts";

const ID = "main/legion";
const CANARY = "Falkenstein";
const SECRET = "correct-horse-battery-staple";

/** The files of memories and of what is kept to search them, that hold `text` in any writing. */
function filesWith(project: string, text: string): readonly string[] {
  const folders = ["memory", "cache"].map((name) => join(project, ".ai-legion", name));
  return folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => {
      const bytes = readFileSync(path);
      return [bytes.toString("utf8"), bytes.toString("utf16le")].some((all) =>
        all.toLowerCase().includes(text.toLowerCase()),
      );
    });
}

/** Searches the memory through the index on the disk, as another process would. */
async function indexOf(project: string) {
  const reader = createFileBackend(project).memories.read(ID);
  const thread = createSearchThread(startSearchWorker);
  thread.enter();
  const log = async () => (await reader.standing()).log;
  const folder = indexFolder(project, ID);
  const search = openSearch({ folder, memory: { log, events: reader.events }, thread });
  onTestFinished(() => search.close());
  return async (text: string) => (await search.search({ text, limit: 10 })).map(({ seq }) => seq);
}

const call = (action: string, parameters: Readonly<Record<string, unknown>> = {}): ScriptedAnswer => ({
  calls: [{ action, parameters }],
});

/** What its model is asked, in one text each. */
const shownTo = (requests: readonly ModelRequest[]): readonly string[] =>
  requests.map((request) => JSON.stringify(request));

function agentWith(...script: readonly ScriptedAnswer[]) {
  const left = [...script];
  const model = createScriptedModel(() => left.shift() ?? NOOP);
  const agent: WorldAgent = { model, modules: [core, memory], memories: [ID] };
  return { agent, model, shown: () => shownTo(model.requests) };
}

/** The scribe's summaries and contexts are pieces of what was said: they hold what is to be forgotten. */
const scribe = () => {
  const model = scripted([], { summarises: false });
  return { agent: scribeOf(model), model };
};

describe("a canary that is forgotten", () => {
  it("is in no file of the memory and its index, and in no later prompt of those whom the memory had shown it", async () => {
    const project = await temporaryFolder();
    const writer = agentWith(call("remember", { text: `The harbour is called ${CANARY}.` }), NOOP);
    const finder = agentWith(call("searchMemory", { query: CANARY }), NOOP);
    const first = await openWorld(
      project,
      { "1": writer.agent, "2": finder.agent, "3": QUIET, scribe: scribe().agent },
      { backend: createFileBackend(project) },
    );
    await first.say("1", `Keep ${CANARY} in mind`);
    await first.say("3", "The boat is called Ada.");
    await first.idle();
    await first.say("2", "What do we know?");
    await first.idle();
    expect((await first.kinds("2", "result"))[0]!.content).toContain(CANARY);
    for (const word of ["flush", "flush"]) {
      await first.say("3", `Before ${word}`);
      await first.idle();
      await first.say("scribe", word);
      await first.idle();
    }
    await first.stop();
    const indexed = await indexOf(project);
    expect(await indexed(CANARY)).not.toEqual([]);
    expect(filesWith(project, CANARY).length).toBeGreaterThan(2);
    expect(filesWith(project, CANARY).some((path) => path.includes("/cache/"))).toBe(true);

    // They start anew, are shown the context, and run on.
    const shown = agentWith();
    const searching = agentWith(NOOP, call("searchMemory", { query: "harbour" }));
    const again = await openWorld(
      project,
      { "4": shown.agent, "5": searching.agent, "3": QUIET, scribe: scribe().agent },
      { backend: createFileBackend(project) },
    );
    await again.say(["4", "5"], "Hello");
    await again.idle();
    for (const { requests } of [shown.model, searching.model]) expect(requests[0]!.system).toContain(CANARY);
    const { exitCode } = await command(project, ["forget", "--query", CANARY, "--yes"]);
    expect(exitCode).toBe(0);
    expect(filesWith(project, CANARY)).toEqual([]);
    // Whoever has had the index open all the time builds another one.
    expect(await indexed(CANARY)).toEqual([]);
    expect(await indexed("Ada")).not.toEqual([]);
    expect(filesWith(project, CANARY)).toEqual([]);

    await again.say(["4", "5"], "And now?");
    await again.idle();
    const searched = (await again.kinds("5", "result")).filter(({ outcome }) => outcome === "ok");
    expect(searched.map(({ content }) => content)).toEqual([
      expect.stringContaining("Nothing in memory is like"),
    ]);
    for (const { shown: texts } of [shown, searching])
      for (const text of texts().slice(1)) expect(text).not.toContain(CANARY);
    await again.say("3", "What is said next");
    await again.idle();
    await again.say("scribe", "flush");
    await again.idle();
    await again.stop();
    expect(filesWith(project, CANARY)).toEqual([]);

    // A start after that, whose index has to be built again.
    const last = agentWith(call("searchMemory", { query: `harbour ${CANARY}` }), call("readContext"));
    const third = await openWorld(project, { "6": last.agent }, { backend: createFileBackend(project) });
    await third.say("6", "What is the harbour called?");
    await third.idle();
    const [found, read] = await third.kinds("6", "result");
    expect(found!.content).toContain("Nothing in memory is like");
    expect(read!.content).toContain("What is said next");
    expect(read!.content).not.toContain(CANARY);
    await third.stop();
    const anew = await indexOf(project);
    expect(await anew("next")).not.toEqual([]);
    expect(await anew(CANARY)).toEqual([]);
    expect(filesWith(project, CANARY)).toEqual([]);
  });
});

describe("a secret that is known", () => {
  it("is in no file of the memory and its index, and in no prompt, whoever says it or keeps it", async () => {
    const project = await temporaryFolder();
    const redactor = createRedactor([{ name: "TOKEN", value: SECRET }]);
    const writer = agentWith(
      call("remember", { text: `It is ${SECRET}`, summary: `so ${SECRET}`, tags: { token: SECRET } }),
      call("searchMemory", { query: SECRET }),
    );
    const teller = createScriptedModel([{ text: `It says ${SECRET}.` }]);
    const other = scribe();
    const world = await openWorld(
      project,
      { "1": writer.agent, "2": { ...QUIET, model: teller }, scribe: other.agent },
      { backend: createFileBackend(project, { redactor }), redactor },
    );
    await world.say(["1", "2"], `Keep ${SECRET}`);
    await world.idle();
    await world.say("scribe", "flush");
    await world.idle();
    await world.stop();
    expect(filesWith(project, "[redacted:TOKEN]").some((path) => path.includes("/texts/"))).toBe(true);
    expect(filesWith(project, SECRET)).toEqual([]);
    const reader = agentWith(call("listEntries"), call("readContext"));
    const later = await openWorld(
      project,
      { "3": reader.agent },
      { backend: createFileBackend(project, { redactor }), redactor },
    );
    await later.say("3", "What do we know?");
    await later.idle();
    const texts = [...reader.shown(), ...writer.shown(), ...shownTo(other.model.requests)];
    expect(texts.some((text) => text.includes("[redacted:TOKEN]"))).toBe(true);
    for (const text of texts) expect(text).not.toContain(SECRET);
  });
});
