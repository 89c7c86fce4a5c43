import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../cli/program.ts";
import { chromiumIsThere, show, startLegion, startPage } from "./kit.ts";

beforeAll(buildProgram, 120_000);

describe.skipIf(!chromiumIsThere)("the person's word on the page", { timeout: 90_000 }, () => {
  it("reaches the chosen agents with the keyboard alone, and what they answer is in the inbox", async () => {
    const { url } = await startLegion("3");
    const { page, until, tabTo } = await show(url);
    await until(".c-name", "Agent 3");
    await tabTo("#agents");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await until(".to", "To Agent 2, Agent 3");
    await tabTo(".words textarea");
    await page.keyboard.type("tell 0 the sky is blue");
    await page.keyboard.press("Enter");
    await until(".outcome", "Say: Agent 2, Agent 3 done");
    await until(".outcome", "in the mailbox of Agent 2, Agent 3");
    expect(await page.$eval(".words textarea", ({ value }) => value)).toBe("");
    await until("nav .many", "new");
    await page.focus('nav a[href="#/inbox"]');
    await page.keyboard.press("Enter");
    await until(".letter .text", "the sky is blue");
    await until(".letter a", "Agent 2");
    await until(".letter a", "Agent 3");
    await page.waitForSelector("nav .many", { hidden: true });
  });

  it("pauses, resumes and stops, asks before it does what cannot be taken back, and says what came of it", async () => {
    const { url, legion } = await startLegion("2");
    const shown = await show(url);
    const { page, until } = shown;
    const press = (words: string): Promise<void> =>
      shown.press(`::-p-xpath(//button[text()=${JSON.stringify(words)}])`);
    await until(".c-name", "Agent 2");
    await press("Choose all 2");
    await until(".to", "all 2 agents");
    await press("Pause");
    await until(".outcome", "Pause: all 2 agents done");
    await until(".chip", "paused 2");
    await press("Pause");
    await until(".outcome", "Agent 1, Agent 2: already so, nothing changed");
    await press("Resume");
    await until(".chip", "idle 2");
    await press("Abort");
    await press("Abort: sure?");
    await until(".outcome", "nobody was at work");
    await page.select(".orders select", "confirm");
    await until(".c-mode", "confirm");
    await press("Stop");
    expect(await legion("ps")).toContain("idle");
    await press("Stop: sure?");
    await until(".chip", "stopped 2");
  });

  it("says that nobody heard it, and keeps the words", async () => {
    const { url, node } = await startLegion("1");
    const { page, press, until } = await show(url);
    await until(".c-name", "Agent 1");
    await press("#agent-1 .c-chosen");
    node.child.kill("SIGKILL");
    await until("[role=alert]", "Not connected");
    await page.type(".words textarea", "noop\n");
    await until(".outcome", "not heard");
    expect(await page.$eval(".words textarea", ({ value }) => value)).toBe("noop");
  });

  it("only looks where the page was opened to look", async () => {
    const { cwd } = await startLegion("1");
    const { page, press, until } = await show(await startPage(cwd, "--read-only"));
    await until(".c-name", "Agent 1");
    await press("#agent-1 .c-chosen");
    await page.type(".words textarea", "noop\n");
    await until(".outcome", "refused");
    await until(".outcome", "This page only shows");
  });

  it("answers questions: what is approved runs, and what is denied is told why", async () => {
    const { cwd, url, legion } = await startLegion("2", "--policy", "ask run *");
    const { page, press, until } = await show(url);
    await until(".c-name", "Agent 2");
    await legion("send", "1", "run touch approved.txt");
    await until(".c-why", "waits for your answer to 1.");
    await until("nav .many", "1 open");
    await press("#agent-1 .c-name");
    await until(".question", "touch approved.txt");
    await press(".question .main");
    await until(".outcome", "Approve 1.");
    await until(".k-approval", "approved");
    await until(".k-result", "ok");
    expect(existsSync(join(cwd, "approved.txt"))).toBe(true);
    await legion("send", "2", "run touch denied.txt");
    await press('nav a[href="#/questions"]');
    await until(".question", "touch denied.txt");
    await page.type(".question input", "not on a Friday\n");
    await until(".nobody", "No agent waits for your word");
    await press(".outcome button");
    await page.evaluate(() => (location.hash = "#/agents/2"));
    await until(".k-approval", "denied: not on a Friday");
    expect(existsSync(join(cwd, "denied.txt"))).toBe(false);
  });

  it("sends again what could not be delivered", async () => {
    const { url, legion } = await startLegion("1");
    await legion("pause", "1");
    await legion("send", "1", "--follow-up", "goal a later thing");
    await legion("send", "1", "--steer", "noop");
    await legion("resume", "1");
    const { page, press, until } = await show(url);
    await until(".c-name", "Agent 1");
    await press('nav a[href="#/inbox"]');
    await until(".dead h2", "1 message could not be delivered");
    await until(".dead .text", "goal a later thing");
    await press(".dead .letter button");
    await until(".outcome", "done");
    await page.waitForSelector(".dead", { hidden: true });
    await page.evaluate(() => (location.hash = "#/agents/1"));
    await until(".goals li", "a later thing");
  });
});
