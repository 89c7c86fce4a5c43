import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../cli/program.ts";
import { chromiumIsThere, show, startLegion, type Look, type Shown } from "./kit.ts";

beforeAll(buildProgram, 120_000);

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What it finds that keeps somebody out. The policy of the page lets no script in, so it looks from a world of its own. */
async function findings({ page }: Shown): Promise<readonly string[]> {
  const frame = page.mainFrame();
  const { readFileSync } = await import("node:fs");
  await frame.isolatedRealm().evaluate(`${readFileSync(AXE, "utf8")};0`);
  const { violations } = (await frame.isolatedRealm().evaluate("axe.run()")) as AxeResults;
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("\n")}`);
}

/** What of the line at the top is not to be seen without scrolling. */
async function beyondTheEdge({ page }: Shown): Promise<readonly (string | null)[]> {
  return page.$$eval(".top, .top nav, .top a, .top button, .top .link", (all) =>
    all
      .filter(
        (one) => one.getBoundingClientRect().right > innerWidth || one.scrollWidth > one.clientWidth + 1,
      )
      .map(({ textContent }) => textContent),
  );
}

const LOOKS: readonly Look[] = [
  { scheme: "light", width: 1_280 },
  { scheme: "dark", width: 1_280 },
  { scheme: "light", width: 360, height: 740 },
  { scheme: "dark", width: 360, height: 740 },
];

describe.skipIf(!chromiumIsThere)("everybody", { timeout: 180_000 }, () => {
  it.each(LOOKS)("can use each area, %o", async (look) => {
    const { url, legion } = await startLegion("4", "--policy", "ask run *");
    await legion("send", "1", "goal make it so then note plan: this then tell 0 hello");
    await legion("send", "2", "run true");
    await legion("send", "4", "write made.txt: by hand");
    await legion("pause", "3");
    const shown = await show(url, look);
    const { page, press, until } = shown;
    await until(".c-state", "asking");
    expect(await beyondTheEdge(shown)).toEqual([]);
    await press("#agent-4 .c-chosen");
    expect(await findings(shown)).toEqual([]);
    await page.evaluate(() => (location.hash = "#/agents/1"));
    await until(".k-result", "ok");
    await press(".k-decision .line button");
    await until(".prompt summary", "System");
    await press(".k-result .more");
    await press(".event-more button:last-of-type");
    await until(".go-on", "What was done outside stays done");
    await press(".timeline-foot button[aria-expanded]");
    await until(".next-prompt .prompt summary", "= same");
    await press(".timeline-foot button[title^=Against]");
    await until(".verdict", "identical");
    expect(await findings(shown)).toEqual([]);
    await page.evaluate(() => (location.hash = "#/conversation"));
    await until(".graph .name", "Agent 1");
    await press(".pairs tbody button");
    await until(".saying .chip", "Only");
    expect(await findings(shown)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(look.width!);
    await page.evaluate(() => (location.hash = "#/chain/0%3E1%231"));
    await until(".bill tfoot", "In all");
    expect(await findings(shown)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(look.width!);
    await page.evaluate(() => (location.hash = "#/inbox"));
    await until(".letter .text", "hello");
    expect(await findings(shown)).toEqual([]);
    await page.evaluate(() => (location.hash = "#/questions"));
    await until(".question", "run true");
    expect(await findings(shown)).toEqual([]);
    await page.evaluate(() => (location.hash = "#/changes"));
    await until(".changes summary", "made.txt");
    await press(".changes summary b");
    await until(".difference", "+by hand");
    expect(await findings(shown)).toEqual([]);
    await page.evaluate(() => (location.hash = "#/cost"));
    await until(".bill caption", "By model");
    expect(await findings(shown)).toEqual([]);
    await page.evaluate(() => (location.hash = "#/differences?one=1&other=2"));
    await until(".first-difference .added", "+ run true");
    expect(await findings(shown)).toEqual([]);
    const at = new Date().toISOString();
    await page.evaluate((time) => (location.hash = `#/agents/1?at=${time}`), at);
    await until(".time-words", "As it was");
    await until(".k-result", "ok");
    expect(await findings(shown)).toEqual([]);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(look.width!);
  });
});
