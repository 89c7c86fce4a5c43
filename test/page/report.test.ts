import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AxeResults } from "axe-core";
import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../cli/program.ts";
import { chromiumIsThere, show, startLegion, startPage, type Shown } from "./kit.ts";

beforeAll(buildProgram, 120_000);

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const HOSTILE = "<img src=x onerror=alert(1)>.txt";

async function findings({ page }: Shown): Promise<readonly string[]> {
  const realm = page.mainFrame().isolatedRealm();
  await realm.evaluate(`${await readFile(AXE, "utf8")};0`);
  const { violations } = (await realm.evaluate("axe.run()")) as AxeResults;
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id }) => id);
}

describe.skipIf(!chromiumIsThere)("the report on a page", { timeout: 120_000 }, () => {
  it("is an area of the dashboard, and one file that opens offline and holds nothing else", async () => {
    const { url, legion, cwd } = await startLegion("2", "--policy", "ask run *");
    await legion("send", "1", `write ${HOSTILE}: three then tell 0 it is written`);
    await legion("send", "2", "run true");
    const served = await show(url);
    await served.until(".c-state", "asking");
    await served.page.evaluate(() => (location.hash = "#/report"));
    await served.until(".report section[aria-label='Waits for you'] li", "asks");
    await served.until(".report summary code", HOSTILE);
    expect(await legion("report", "--html", "night.html")).toBe("wrote night.html\n");
    for (const look of [{}, { scheme: "dark" }, { width: 360 }] as const) {
      const shown = await show(pathToFileURL(join(cwd, "night.html")).href, look);
      const { page, until } = shown;
      await until(".top", "A report, from a file");
      await until(".report blockquote", "it is written");
      // What it is called is text.
      expect(await page.$("img")).toBeNull();
      expect(await page.$(".report a, nav")).toBeNull();
      await page.focus(".report summary");
      await page.keyboard.press("Enter");
      await until(".report .difference", "+three");
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      expect(await findings(shown)).toEqual([]);
    }
  });

  it("takes back what was done to files for a message, once it has shown what that comes to", async () => {
    const { url, legion, cwd } = await startLegion("2");
    await writeFile(join(cwd, "mine.txt"), "before");
    await legion("send", "1", `write mine.txt: three then write ${HOSTILE}: four then tell 0 it is written`);
    for (const look of [{ width: 360, height: 740 }, { scheme: "dark" }] as const) {
      const shown = await show(url, { ...look, area: undefined });
      const { page, press, until, texts } = shown;
      await until(".report li", "2 files changed");
      await press(".report .aside button");
      await until(".taking-back p", "Would take back 2 changes:");
      expect(
        (await texts(".taking-back div:first-child li")).map((line) => line.replaceAll(/, [0-9a-f]{8}/g, "")),
      ).toEqual([`${HOSTILE}: 4 bytes -> nothing`, "mine.txt: 5 bytes -> 6 bytes"]);
      expect(await page.$("img")).toBeNull();
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      expect(await findings(shown)).toEqual([]);
      await press(".taking-back .answering button:not(.main)");
      await until(".report .aside button", "Take back…");
    }
    const { page, press, until } = await show(url, { area: undefined });
    await press(".report .aside button");
    await press(".taking-back .main");
    await until(".taking-back p", "Took back 2 changes; legion undo 0.");
    expect(await readFile(join(cwd, "mine.txt"), "utf8")).toBe("before");
    expect(existsSync(join(cwd, HOSTILE))).toBe(false);
    await press(".taking-back button");
    await press(".report .aside button");
    await until(".taking-back p", "Nothing would be taken back.");
    expect(existsSync(join(cwd, HOSTILE))).toBe(false);
    await until(".report summary", "(taken back)");
    await page.evaluate(() => (location.hash = "#/changes"));
    await until(".changes summary", "(taken back)");
  });

  it("takes nothing back where it was opened to look, and offers it neither in the past nor in a file", async () => {
    const { legion, cwd } = await startLegion("1");
    await legion("send", "1", "write mine.txt: three then tell 0 it is written");
    const { page, press, until } = await show(await startPage(cwd, "--read-only"), { area: undefined });
    await press(".report .aside button");
    await press(".taking-back .main");
    await until(".taking-back p", "This page only shows");
    expect(existsSync(join(cwd, "mine.txt"))).toBe(true);
    await page.evaluate((at) => (location.hash = `#/report?at=${at}`), new Date().toISOString());
    await until(".report .way", "legion undo '0>1#1' --dry-run");
    expect(await page.$(".report .aside button")).toBeNull();
  });
});
