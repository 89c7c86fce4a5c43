import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../cli/program.ts";
import { againstLimits } from "../../page/parts/limit.tsx";
import { chromiumIsThere, show, startLegion } from "./kit.ts";

beforeAll(buildProgram, 120_000);

describe("what is spent against a limit", () => {
  it("says how much of how much, and by word where it is near or at the limit", () => {
    const limits = { steps: 10, tokens: 20_000, cost: 2, timeMs: 3_600_000 };
    const said = againstLimits(limits, { steps: 8, tokens: 900, cost: 2.1, timeMs: 60_000 });
    expect(said.map(({ words, standing }) => [words, standing])).toEqual([
      ["8 of 10 steps", "near its limit"],
      ["900 of 20k tokens", ""],
      ["$2.10 of $2.00", "at its limit"],
      ["1m of 1h", ""],
    ]);
    expect(againstLimits(null, { steps: 8 })).toEqual([]);
    expect(againstLimits({ cost: 2 }, { cost: 0 })).toMatchObject([{ words: "$0.00 of $2.00" }]);
  });
});

describe.skipIf(!chromiumIsThere)("limits on the page", { timeout: 90_000 }, () => {
  it("stand beside what is spent: of the legion, of each agent, and where the costs are", async () => {
    const { url, legion } = await startLegion("2", "--limits", "steps=3,tokens=900000,time=1h");
    const { page, press, until, texts } = await show(url);
    await until(".sums .limit", "0 of 900k tokens");
    await legion("send", "1", "goal one");
    await until("#agent-1 .c-steps", "2");
    await legion("send", "1", "noop");
    await until("#agent-1 .c-why", "3 of 3 steps: at its limit");
    expect(await page.$eval("#agent-1 .c-steps", (cell) => cell.getAttribute("title"))).toBe("3 of 3 steps");
    await press("nav a[href='#/cost']");
    await until(".limits dt", "This legion");
    await until(".limits .limit.tight", "3 of 3 steps at its limit");
    expect(await texts(".limits dt")).toEqual(["This legion", "Agent 1"]);
    await press(".limits a");
    await until(".facts .limit", "3 of 3 steps at its limit");
  });

  it("are changed where they stand: the agent that stood still goes on, and what is no limit is named", async () => {
    const { url, legion } = await startLegion("2", "--limits", "steps=3,tokens=900000");
    const { page, press, until } = await show(url);
    await until("#agent-1", "Agent 1");
    await press("#agent-1 .c-name");
    await legion("send", "1", "goal one");
    await until(".facts", "2 of 3 steps");
    await legion("send", "1", "noop");
    await legion("send", "1", "note later");
    await until(".facts", "3 of 3 steps at its limit");
    await until(".facts .why", "legion limits 1 steps=+100");
    await press("button[aria-label='Change the limit of steps']");
    await page.keyboard.type("many");
    await page.keyboard.press("Enter");
    await until(".raise .trouble", '"many" is no limit; write a whole number above 0, or none');
    await page.keyboard.press("Escape");
    await press("button[aria-label='Change the limit of steps']");
    expect(await page.$eval(".raise input", (field) => field.value)).toBe("6");
    await page.keyboard.type("40");
    await page.keyboard.press("Enter");
    await until(".facts .limit", "of 40 steps");
    await until(".facts .state", "idle");
    await press("nav a[href='#/cost']");
    await until(".limits dt", "This legion");
    await press(".limits button[aria-label='Change the limit of tokens']");
    await page.keyboard.type("1000000");
    await page.keyboard.press("Enter");
    await until(".limits .limit", "of 1m tokens");
    await page.waitForSelector(".limits .raise", { hidden: true });
    expect(await legion("limits")).toMatch(/^all together +\d+ +\d+ of 1000000 /m);
  });
});
