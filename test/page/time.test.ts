import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../cli/program.ts";
import { chromiumIsThere, show, startLegion, startPage } from "./kit.ts";

beforeAll(buildProgram, 120_000);

const ROW = ".rows .row";

/** Two agents; the first wrote down one thing, and later another. */
async function workedLegion() {
  const running = await startLegion("2");
  await running.legion("send", "1", "note plan: first this");
  return running;
}

describe.skipIf(!chromiumIsThere)("the page taken back in time", { timeout: 90_000 }, () => {
  it("shows in every area what there was at the time of an event, and now again what there is", async () => {
    const { url, legion } = await workedLegion();
    const { page, until, texts, tabTo } = await show(url);
    await until(`${ROW}:first-child .c-steps`, "2");
    await legion("send", "1", "note later: then that");
    await until(`${ROW}:first-child .c-steps`, "4");
    await page.evaluate(() => (location.hash = "#/agents/1"));
    await until(".beside", "later");
    const before = await page.$$(".entries .entry");
    const places = await texts(".entries .entry .what");
    const index = places.findIndex((text) => text.includes("later: then that"));
    expect(index).toBeGreaterThan(0);
    await (await before[index - 1]!.$(".time-link"))!.click();
    await until(".time-words", "As it was");
    await page.waitForFunction(() => !document.querySelector(".beside")?.textContent?.includes("later"));
    await until(".beside", "plan");
    expect((await texts(".entries .entry .what")).some((text) => text.includes("then that"))).toBe(false);
    expect(await page.$(".desk")).toBe(null);
    await (await page.waitForSelector(".top nav a[href*=legion]"))!.click();
    await until(`${ROW}:first-child .c-steps`, "2");
    await tabTo(".time button");
    await page.keyboard.press("Enter");
    await until(".time-words", "Now");
    await until(`${ROW}:first-child .c-steps`, "4");
    await page.waitForSelector(".desk");
  });

  it("is moved by the keys alone, goes back where it came from, and shows an agent that was not there yet to nobody", async () => {
    const { url, legion } = await workedLegion();
    const { page, until, tabTo, texts } = await show(url);
    await until(".c-name", "Agent 2");
    await tabTo(".top button");
    await page.keyboard.press("Enter");
    await until(".time-words", "Now");
    await tabTo(".time input[type=range]");
    await page.keyboard.press("Home");
    await until(".time-words", "As it was");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("type"))).toBe("range");
    await page.waitForFunction((row) => document.querySelectorAll(row).length < 3, {}, ROW);
    await legion("send", "2", "noop");
    await page.keyboard.press("End");
    await until(".time-words", "Now");
    await until(`${ROW}:nth-child(2) .c-steps`, "1");
    await page.goBack();
    await until(".time-words", "As it was");
    expect(await texts(".link")).toEqual(["● live"]);
  });

  it("also of a legion that nobody runs, and says what cannot be shown", async () => {
    const { cwd, node } = await workedLegion();
    node.child.kill("SIGTERM");
    await node.ended;
    const { page, until } = await show(await startPage(cwd));
    await until(".c-name", "Agent 1");
    await page.evaluate(() => (location.hash = "#/legion?at=2001-01-01T00:00:00.000Z"));
    await until(".time-words", "As it was");
    await page.waitForFunction((row) => document.querySelectorAll(row).length === 0, {}, ROW);
    await page.evaluate(() => (location.hash = "#/agents/1?at=2001-01-01T00:00:00.000Z"));
    await until(".trouble", "there is no agent");
    await page.evaluate(() => (location.hash = "#/agents/1?at=nonsense"));
    await until(".facts", "Agent 1");
    await until(".time-words", "Now");
  });
});
