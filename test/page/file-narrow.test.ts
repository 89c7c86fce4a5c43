import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AxeResults } from "axe-core";
import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram, run, runToEnd } from "../cli/program.ts";
import { redisIsThere, startRedis } from "../storage/redis/servers.ts";
import { createTempProject } from "../temp-project.ts";
import { chromiumIsThere, show, type Shown } from "./kit.ts";

beforeAll(buildProgram, 120_000);

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

async function findings({ page }: Shown): Promise<readonly string[]> {
  const realm = page.mainFrame().isolatedRealm();
  await realm.evaluate(`${await readFile(AXE, "utf8")};0`);
  const { violations } = (await realm.evaluate("axe.run()")) as AxeResults;
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id }) => id);
}

/** A file made of a legion in Redis by somebody in a folder of their own, while a node runs its agents. */
async function madeOnRedis(): Promise<string> {
  const { url } = await startRedis();
  const [cwd, elsewhere] = [await createTempProject(), await createTempProject()];
  const bus = ["--bus", `${url}/0`] as const;
  const policy = ["--policy", "ask run *"] as const;
  const node = run(["start", "3", "--model", "offline", "--tick", "0", ...policy, ...bus], { cwd });
  await node.until("files ");
  const legion = async (...args: readonly string[]): Promise<void> => {
    const { code, err } = await runToEnd([...args, ...bus], { cwd: elsewhere });
    expect([code, err]).toEqual([0, ""]);
  };
  await legion("send", "1", "goal make it so then note plan: this then tell 2 hello", "--wait");
  await legion("send", "2", "write made.txt: by hand", "--wait");
  await legion("send", "3", "run true");
  await node.until("asks 3.");
  await legion("trace", "--format", "html", "--output", "all.html");
  await legion("trace", "--format", "html", "--output", "one.html", "--agent", "1");
  return elsewhere;
}

describe.skipIf(!chromiumIsThere || !redisIsThere)(
  "a record of Redis in a file",
  { timeout: 180_000 },
  () => {
    it("is used with the keyboard alone, in the dark and at 360 px, without one request", async () => {
      const folder = await madeOnRedis();
      const address = pathToFileURL(join(folder, "all.html")).href;
      const shown = await show(address, { scheme: "dark", width: 360, height: 740 });
      const { page, until, tabTo } = shown;
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      const looksWell = async (): Promise<void> => {
        expect(await findings(shown)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
      };
      const go = async (area: string): Promise<void> => {
        await tabTo(`.top a[href="#/${area}"]`);
        await page.keyboard.press("Enter");
        await page.waitForSelector(`.top a[href="#/${area}"][aria-current]`);
      };
      await until(".top", "A record of");
      await until(".c-state", "asking");
      await looksWell();
      await tabTo("#agents");
      await page.keyboard.press("Home");
      await page.keyboard.press("Enter");
      await until("h1", "Agent 1");
      await until(".goals li", "make it so");
      await tabTo(".timeline-foot button[aria-expanded]");
      await page.keyboard.press("Enter");
      await until(".next-prompt .prompt summary", "System");
      await looksWell();
      await tabTo(".note summary");
      await page.keyboard.press("Enter");
      await until(".note", "this");
      await go("conversation");
      await until(".pairs tbody", "Agent 1 → Agent 2");
      await looksWell();
      await go("inbox");
      await until(".letter .text", "may I call executeCommand");
      await tabTo(".letter a[href*=chain]");
      await page.keyboard.press("Enter");
      await until(".bill tfoot", "In all");
      await looksWell();
      await go("questions");
      await until(".question", "run true");
      expect(await page.$(".answering")).toBeNull();
      await go("changes");
      await tabTo(".changes summary");
      await page.keyboard.press("Enter");
      await until(".difference", "+by hand");
      await looksWell();
      await go("cost");
      await until(".bill caption", "By model");
      await looksWell();
      expect(asked).toEqual([]);
    });

    it("says of a part what it is, and of what was said to others what became of it", async () => {
      const { page, until, texts } = await show(pathToFileURL(join(await madeOnRedis(), "one.html")).href);
      await until(".part", "Of the record it holds what Agent 1 did.");
      await until(".c-name", "Agent 1");
      expect(await texts(".rows .c-name")).toEqual(["Agent 1"]);
      await page.evaluate(() => (location.hash = "#/chain/0%3E1%231"));
      await until(".bill tfoot", "In all");
      const became = await page.$eval("main", ({ textContent }) => textContent);
      expect(became).toContain("Agent 1 → Agent 2");
      expect(became).toContain("taken in after");
      expect(became).not.toContain("not taken in yet");
    });
  },
);
