import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AxeResults } from "axe-core";
import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../cli/program.ts";
import { chromiumIsThere, show, startLegion, type Shown } from "./kit.ts";

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
});
