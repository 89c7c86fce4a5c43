import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../cli/program.ts";
import { chromiumIsThere, show, startLegion } from "./kit.ts";

beforeAll(buildProgram, 120_000);

const ROW = ".rows .row";

describe.skipIf(!chromiumIsThere)("the page of a legion", { timeout: 90_000 }, () => {
  it("shows every agent and what it does, and takes the token out of the address at once", async () => {
    const { url, legion } = await startLegion("3");
    const { page, press, until, texts } = await show(url, { area: undefined });
    await until(".report .sums", "Nothing was asked");
    expect(page.url()).toBe(url.replace(/#.*/, ""));
    await press("nav a[href='#/legion']");
    await until(".c-name", "Agent 3");
    expect(await page.evaluate(() => [document.cookie, history.length])).toEqual(["", 3]);
    expect(await texts(`${ROW} .c-state`)).toEqual(["idle", "idle", "idle"]);
    expect(await texts(`${ROW} .c-why`)).toEqual(Array(3).fill("waits for mail"));
    await legion("send", "2", "note plan: first this");
    await until(`${ROW}:nth-child(2) .c-steps`, "2");
    await until(".activity", "steps/min");
    const activity = await page.$eval(".activity .chart", (chart) => chart.getAttribute("aria-label"));
    expect(activity).toMatch(/^Activity: \d steps? in this minute, at most \d in one of the last 30$/);
    await legion("pause", "3");
    await until(`${ROW} .c-state`, "paused");
    expect(await texts(".chip")).toEqual(["idle 2", "paused 1"]);
  });

  it("is found through and opened with the keyboard alone, and keeps its place over updates", async () => {
    const { url, legion } = await startLegion("12");
    const { page, until, texts, tabTo } = await show(url);
    await until(".c-name", "Agent 12");
    await page.keyboard.press("/");
    await page.keyboard.type("11");
    await until(".finding", "1 of 12 agents");
    await page.keyboard.press("Enter");
    const focused = (): Promise<string | null> =>
      page.evaluate(() => document.activeElement?.getAttribute("aria-activedescendant") ?? null);
    expect(await focused()).toBe("agent-11");
    await page.keyboard.press("/");
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toBe("agent-3");
    await tabTo(".head .c-name button");
    for (let step = 0; step < 6; step++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await until(".head [aria-sort=descending]", "Steps");
    await legion("send", "7", "noop");
    await until(`${ROW}:first-child .c-name`, "Agent 7");
    expect((await texts(`${ROW} .c-name`))[0]).toBe("Agent 7");
    await page.focus("#agents");
    expect(await focused()).toBe("agent-3");
    await page.keyboard.press("Enter");
    await until("h1", "Agent 3");
    await until("h1:focus", "Agent 3");
    await page.goBack();
    await until("h1", "Legion");
    await page.waitForSelector("#agents:focus");
    expect(await focused()).toBe("agent-3");
  });

  it("has few rows in the document, however many agents there are", async () => {
    const { url } = await startLegion("120");
    const { page, until } = await show(url);
    await until(".sums", "120");
    await until(".c-name", "Agent 1");
    const rows = (): Promise<number> => page.$$eval(ROW, ({ length }) => length);
    expect(await rows()).toBeLessThan(60);
    await page.focus("#agents");
    await page.keyboard.press("End");
    await until(".row.current .c-name", "Agent 120");
    expect(await rows()).toBeLessThan(60);
    expect(await page.$eval("#agents", (grid) => grid.getAttribute("aria-rowcount"))).toBe("121");
  });

  it("says what is missing in a tab without a token, and with one of another start", async () => {
    const { url } = await startLegion("1");
    const bare = await show(url.replace(/#.*/, ""));
    await bare.until("[role=alert]", "This tab has no token. Open the address");
    const stale = await show(url.replace(/#.*/, `#token=${"0".repeat(64)}`));
    await stale.until("[role=alert]", "The token of this tab counts no more");
  });

  it("says so when the program is gone, and shows what was", async () => {
    const { url, node } = await startLegion("2");
    const { until, texts } = await show(url);
    await until(".c-name", "Agent 2");
    node.child.kill("SIGKILL");
    await until("[role=alert]", "Not connected");
    expect(await texts(`${ROW} .c-name`)).toEqual(["Agent 1", "Agent 2"]);
  });
});
