import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../cli/program.ts";
import { chromiumIsThere, show, startLegion, type Shown } from "./kit.ts";

beforeAll(buildProgram, 120_000);

/** The page of agent 1, after `words` were said to it and done. */
async function agentAfter(words: string): Promise<Shown & Awaited<ReturnType<typeof startLegion>>> {
  const started = await startLegion("1");
  const shown = await show(started.url);
  await shown.until(".c-name", "Agent 1");
  await shown.press("#agent-1 .c-name");
  await shown.until(".facts .state", "idle");
  await started.legion("send", "1", words);
  await shown.until(".k-result", "ok");
  await shown.until(".facts .state", "idle");
  return { ...started, ...shown };
}

describe.skipIf(!chromiumIsThere)("an agent's past on its page", { timeout: 90_000 }, () => {
  it("has the prompt of any event and that of now, and says what changed in it, line by line", async () => {
    const { page, press, until, texts } = await agentAfter("goal make it so then note plan: this");
    await until(".note summary", "plan");
    await press(".timeline-foot button[aria-expanded]");
    await until(".next-prompt", "It would be shown about");
    await until(".next-prompt .tag", "+ new");
    await press(".timeline-foot button[aria-expanded]");
    await (await page.$$(".k-decision .line button")).at(-1)!.click();
    await until(".k-decision .tag", "~ changed");
    await press(".k-decision summary:has(.change-changed)");
    await until(".k-decision .difference .added", "+ - plan");
    await press(".k-message .more");
    await press(".event-more button");
    await until(".event-more .trouble", "the model of Agent 1 was shown nothing");
    await press(".k-result .more");
    await press(".k-result .event-more button");
    await until(".k-result .prompt", "the newest prompt by then");
    expect(await texts(".k-result .prompt .call-sums dt")).toContain("from the cache");
  });

  it("asks before the agent goes on from an earlier event, and shows what came of it", async () => {
    const { page, press, until } = await agentAfter("goal make it so then note plan: this");
    await until(".goals li", "make it so");
    await press(".k-message .more");
    await press(".event-more button:last-of-type");
    await until(".go-on", "What was done outside stays done");
    await press(".go-on button.main");
    await until(".outcome.done", "Agent 1 goes on from event");
    await until(".outcome.done", "on a new branch");
    await until(".k-branch", "goes on from event");
    await until(".entry.left", "on a branch that was left");
    await page.waitForSelector(".go-on", { hidden: true });
  });

  it("makes a new agent of an earlier event to whom something else was said; held it runs, and acts only with a word", async () => {
    const { page, press, until, legion } = await agentAfter("goal make it so");
    await press(".k-message .more");
    await press(".event-more button:last-of-type");
    await press(".go-on label:nth-of-type(2) input");
    expect(await page.$eval<string>(".new-id input", (box) => (box as HTMLInputElement).value)).toBe("1b");
    await page.$eval(".what-if textarea", (box) => (box as HTMLTextAreaElement).select());
    await page.keyboard.type("write made.txt: by 1b");
    await press(".go-on button.main");
    await until(".outcome.done", "1b is a new agent with its past");
    await until(".outcome.done", "it runs");
    await page.evaluate(() => (location.hash = "#/agents/1b"));
    await until(".question", "writeFile");
    await until(".facts", "mode held");
    await until(".k-message", "write made.txt: by 1b");
    await press(".question button.main");
    await until(".k-result", "made.txt");
    expect(await legion("goals", "1")).toContain("make it so");
    expect(await legion("mode", "1b")).toContain("held");
  });
});
