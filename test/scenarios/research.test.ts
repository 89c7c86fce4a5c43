// What a researcher does, with everything real but the model: search, read, summarise, note, report.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { core } from "../../modules/core.ts";
import { goals } from "../../modules/goals.ts";
import { messaging } from "../../modules/messaging.ts";
import { notes } from "../../modules/notes.ts";

import type { ModelRequest } from "../../src/domain/model.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import { web } from "../modules/web/from-source.ts";
import { NOOP } from "../workshop.ts";
import { createWorld, type WorldOptions } from "../world.ts";

const MODULES = [core, goals, notes, messaging, web];
/** Small enough that the page is too long to be shown whole. */
const WINDOW = 8_000;

/** A small web: a SearXNG at `/search` that finds one page, and that page, long. */
async function startWeb() {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
    requests.push(url.pathname);
    const isSearch = url.pathname === "/search";
    response.setHeader("content-type", isSearch ? "application/json" : "text/html; charset=utf-8");
    response.end(isSearch ? found(new URL("/trees", url).href) : LONG_PAGE);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = {
    browser: "off",
    allowPrivate: ["127.0.0.1"],
    search: { provider: "searxng", baseUrl: url },
  };
  const options: WorldOptions = { settings: (module) => (module === "web" ? settings : {}) };
  return { page: `${url}/trees`, requests, options };
}

function found(url: string): string {
  return JSON.stringify({ results: [{ title: "Old trees", url, content: "What it is about." }] });
}

const paragraph = (n: number): string =>
  `<p>Tree number ${n} stands at the old road, is ${n * 7} years old, and has seen more winters than any house near it.</p>`;
const LONG_PAGE = `<title>Old trees</title><article><h1>Old trees</h1>${Array.from({ length: 200 }, (_, n) => paragraph(n)).join("\n")}</article>`;

const isSummary = ({ system }: ModelRequest): boolean => system === "";
const promptOf = ({ turns }: ModelRequest): string => JSON.stringify(turns);

function call(action: string, parameters: Readonly<Record<string, unknown>>): ScriptedAnswer {
  return { calls: [{ action, parameters }] };
}

/** Takes one step after the other, and shortens what it is asked to shorten. */
function researcher(steps: readonly ScriptedAnswer[]) {
  const left = [...steps];
  return createScriptedModel(
    (request) => (isSummary(request) ? "In short: trees." : (left.shift() ?? NOOP)),
    { window: WINDOW },
  );
}

describe("a researcher", () => {
  it("searches, reads, has a long page summarised, notes what it learned and reports it", async () => {
    const { page: url, requests, options } = await startWeb();
    const model = researcher([
      call("searchWeb", { query: "trees" }),
      call("readPage", { url, question: "How old do they get?" }),
      call("writeNote", { title: "trees", content: `In short: trees. Source: ${url}` }),
      call("sendMessage", { targetAgentId: "0", message: `Trees, says ${url}` }),
      NOOP,
    ]);
    const world = await createWorld({ 1: { model, modules: MODULES } }, options);
    await world.say("1", "Find out about trees.");
    await world.idle();

    const [searched, read, noted] = await world.kinds("1", "result");
    expect(searched).toMatchObject({ outcome: "ok", taint: [expect.stringMatching(/^search by /)] });
    expect(searched!.content).toContain(`1. [Old trees](${url})\n   What it is about.`);
    expect(read).toMatchObject({ outcome: "ok", taint: [url] });
    expect(read!.content).toContain("=== SUMMARIZED CHUNK === (part 1, 4 tokens)\nIn short: trees.");
    expect(noted).toMatchObject({ outcome: "ok" });

    const summaries = model.requests.filter(isSummary);
    expect(summaries.length).toBeGreaterThan(1);
    expect(read!.content.split("=== SUMMARIZED CHUNK ===")).toHaveLength(summaries.length + 1);
    for (const [index, request] of summaries.entries()) {
      expect(promptOf(request)).toContain(`Shorten part ${index + 1} of ${summaries.length}`);
      expect(promptOf(request)).toContain("The reader wants to know: How old do they get?");
      expect(request.maxOutput * summaries.length).toBeLessThanOrEqual(0.9 * (WINDOW / 4));
    }
    // Metered like every other call, and charged to the result that they are part of.
    expect(read!.usage!.output).toBeGreaterThan(0);
    expect(world.legion.budget.spent().steps).toBe(model.requests.length);

    const [report] = await world.kinds("0", "message");
    expect(report!.message).toMatchObject({
      content: `Trees, says ${url}`,
      taint: [...(searched!.taint as readonly string[]), url],
    });
    const note = join(world.project, ".ai-legion/agents/1/notes/trees.txt");
    expect(await readFile(note, "utf8")).toContain(url);
    expect(requests).toEqual(["/search", "/trees"]);
  });

  it("reads what another one has read before without a new request, also at the same time", async () => {
    const { page, requests, options } = await startWeb();
    const read = call("readPage", { url: `${page}#oldest`, page: 1 });
    const world = await createWorld(
      Object.fromEntries(
        ["1", "2", "3"].map((id) => [id, { model: researcher([read, NOOP]), modules: MODULES }]),
      ),
      options,
    );
    await world.say("all", "Read.");
    await world.idle();
    const contents = await Promise.all(
      ["1", "2", "3"].map(async (id) => (await world.kinds(id, "result"))[0]!.content),
    );
    expect(new Set(contents).size).toBe(1);
    expect(contents[0]).toContain("--- FROM OUTSIDE");
    expect(requests).toEqual(["/trees"]);
  });

  it("gets as much of a summary as its limit allows, and can read the rest part by part", async () => {
    const { page: url, options } = await startWeb();
    const read = [
      { action: "readPage", parameters: { url } },
      { action: "readPage", parameters: { url, page: 4 } },
    ];
    const model = researcher([{ calls: read }]);
    const world = await createWorld({ 1: { model, modules: MODULES, limits: { steps: 5 } } }, options);
    await world.say("1", "Read.");
    await world.idle();
    const [summary, part] = await world.kinds("1", "result");
    expect(summary).toMatchObject({ outcome: "ok", taint: [url] });
    expect(summary!.content.match(/In short: trees\./g)).toHaveLength(3);
    expect(summary!.content).toMatch(/\nNot summarised: part 4\. the last call is kept for a decision\.\n/);
    expect(part).toMatchObject({ outcome: "ok", taint: [url] });
    expect(part!.content).toMatch(/This is part 4 of 4\./);
    expect(part!.content).toContain("Tree number 199 ");
  });

  it("is told so when its limit allows no summary at all", async () => {
    const { page: url, options } = await startWeb();
    const model = researcher([call("readPage", { url })]);
    const world = await createWorld({ 1: { model, modules: MODULES, limits: { steps: 1 } } }, options);
    await world.say("1", "Read.");
    await world.idle();
    const [result] = await world.kinds("1", "result");
    expect(result).toMatchObject({ outcome: "error" });
    expect(result!.content).toMatch(/^The page was read, but not summarised: .*`page: 1` shows the first/);
  });
});
