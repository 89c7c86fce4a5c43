import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram, run } from "../cli/program.ts";
import { createTempProject } from "../temp-project.ts";
import { chromiumIsThere, show, startLegion, startPage } from "./kit.ts";

beforeAll(buildProgram, 120_000);

describe.skipIf(!chromiumIsThere)("what a legion came to, on the page", { timeout: 90_000 }, () => {
  it("stands by first message, agent and model, and grows while the person looks", async () => {
    const { url, legion } = await startLegion("2");
    const { page, press, until, texts } = await show(url);
    await legion("send", "1", "tell 2 note plan: this");
    await until(".rows .row:nth-child(2) .c-steps", "2");
    await press("nav a[href='#/cost']");
    await until("caption", "By first message");
    await until(".bill tbody th", "tell 2 note plan: this");
    expect((await texts(".scroll > .bill tbody th"))[0]).toMatch(/ · Agent 1, Agent 2$/);
    expect(await texts(".bill caption")).toEqual(["By first message", "By agent", "By model"]);
    await until(".course figcaption", "a minute a bar");
    const label = await page.$eval(".course .chart", (chart) => chart.getAttribute("aria-label"));
    expect(label).toMatch(/^Tokens over time. At most .* tokens, from/);
    expect(await page.$$eval(".course .chart canvas", (drawn) => drawn.length)).toBe(1);
    await press(".course summary");
    await until(".course table th", ":00");
    await until(".sentences", "Nothing was served from a provider's cache.");
    expect(await texts(".bill thead th")).not.toContain("Unparsed");
    await legion("send", "2", "noop");
    await until(".bill tbody th", "noop");
    await press(".bill a[href^='#/agents']");
    await until("h1:focus", "Agent");
  });

  it("shows the hundred that cost most, and the others when somebody asks for them", async () => {
    const { url } = await startLegion("103");
    const { press, until, texts } = await show(url);
    await press("nav a[href='#/cost']");
    await until(".scroll > button", "3 more: By agent");
    expect(await texts(".scroll > .bill:nth-of-type(2) tbody tr")).toHaveLength(100);
    await press(".scroll > button");
    await until(".scroll > .bill:nth-of-type(2) tbody tr:nth-child(103) th", "Agent 103");
    expect(await texts(".scroll > button")).toEqual([]);
  });

  it("names the answers that could not be read and the calls that were made again, and the cache's share", async () => {
    const usage = { input: 1_000, output: 10, cacheRead: 750 };
    const answers = [
      { error: { code: "MODEL_BUSY", refused: { status: 429 } } },
      { text: "I shall think about it for a while.", usage },
    ];
    const definition = "---\nname: clumsy\ndescription: Errs.\nprotocol: text\nmodules: [core]\n---\nErr.\n";
    const files = { "agents/clumsy.md": definition, "answers.json": JSON.stringify(answers) };
    const cwd = await createTempProject(files);
    const start = ["start", "1", "--agent", "clumsy", "--model", "scripted:answers.json", "--tick", "0"];
    const node = run([...start, "--task", "Try it."], { cwd });
    await node.until("files ");
    const { press, until, texts } = await show(await startPage(cwd));
    await until(".c-steps", "2");
    await press("nav a[href='#/cost']");
    await until(".sentences", "From 1 answer no action could be read. 1 call came to nothing");
    await until(".sentences", "of all tokens in were served from the provider's cache");
    const heads = await texts(".scroll > .bill:nth-of-type(2) thead th");
    expect(heads).toEqual(expect.arrayContaining(["Unparsed", "Made again"]));
    await until(".bill td .aside", "%");
  });
});
