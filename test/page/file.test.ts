import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import type { AxeResults } from "axe-core";
import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram, runToEnd } from "../cli/program.ts";
import { chromiumIsThere, show, startLegion, type Shown } from "./kit.ts";

beforeAll(buildProgram, 120_000);

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const HOSTILE = "</script><script>document.title='taken'</script><img src=//example.com/x onerror=alert(1)>";

async function findings({ page }: Shown): Promise<readonly string[]> {
  const realm = page.mainFrame().isolatedRealm();
  await realm.evaluate(`${await readFile(AXE, "utf8")};0`);
  const { violations } = (await realm.evaluate("axe.run()")) as AxeResults;
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id }) => id);
}

/** Of one the time goes on. */
function ageless(text: string): string {
  return text.replace(/\b\d+ ?s\b/g, "");
}

function recordIn(html: string): string {
  const [, packed] =
    /<script id="record" type="application\/octet-stream">([^<]*)<\/script>/.exec(html) ?? [];
  return gunzipSync(Buffer.from(packed!, "base64")).toString("utf8");
}

describe.skipIf(!chromiumIsThere)("a record in a file", { timeout: 120_000 }, () => {
  it("shows in each area what the page of the legion shows, and asks nobody for anything", async () => {
    const { url, legion, cwd } = await startLegion("3", "--policy", "ask run *");
    await legion("send", "1", "goal make it so then note plan: this then tell 2 hello then tell 0 there");
    await legion("send", "2", `tell 0 ${HOSTILE}`);
    await legion("send", "2", "write made.txt: by hand");
    await legion("send", "3", "run true");
    const served = await show(url);
    await served.until(".c-state", "asking");
    await served.page.evaluate(() => (location.hash = "#/inbox"));
    await served.until(".letter .text", "there");
    await served.until(".letter .text", "example.com");
    await served.page.evaluate(() => (location.hash = "#/changes"));
    await served.until(".changes summary", "made.txt");
    expect(await legion("trace", "--format", "html", "--output", "all.html")).toBe("wrote all.html\n");
    const shown = await show(pathToFileURL(join(cwd, "all.html")).href);
    const { page, press, until, texts } = shown;
    const both = async (hash: string, selector: string): Promise<void> => {
      for (const one of [served, shown]) {
        await one.page.evaluate((to) => (location.hash = to), hash);
        await one.page.waitForSelector(selector);
      }
      expect((await texts(selector)).map(ageless)).toEqual((await served.texts(selector)).map(ageless));
      expect(await findings(shown)).toEqual([]);
    };
    await until(".top", "A record of");
    await both("#/legion", ".c-state");
    await both("#/agents/1", ".k-decision .line b");
    await until(".goals li", "make it so");
    await until(".note summary", "plan");
    await press(".k-result .more");
    await press(".k-result .event-more button");
    await until(".k-result .prompt", "the newest prompt by then");
    await press(".timeline-foot button[aria-expanded]");
    await until(".next-prompt", "It would be shown about");
    expect(await page.$(".desk")).toBeNull();
    await both("#/conversation", ".pairs tbody td");
    await until(".graph .name", "Agent 1");
    await both("#/chain/0%3E1%231", ".bill tbody");
    await both("#/inbox", ".letter .text");
    await until(".letter .text", "example.com");
    await both("#/questions", ".question p.dim");
    expect(await page.$(".answering")).toBeNull();
    await both("#/changes", ".changes summary b");
    await press(".changes summary b");
    await until(".difference", "+by hand");
    await both("#/cost", ".bill tbody");
    expect(await page.title()).not.toContain("taken");
  });

  it("holds no secret, and says what is wrong with a file that was cut", async () => {
    const secret = "sk-planted-0123456789abcdefghij";
    const { legion, cwd } = await startLegion("1");
    await legion("send", "1", `note plan: ${secret}`);
    await legion("send", "1", "tell 0 done");
    const order = ["trace", "--format", "html", "--output", "all.html"];
    const { code, err } = await runToEnd(order, { cwd, env: { OPENAI_API_KEY: secret } });
    expect([code, err]).toEqual([0, ""]);
    const html = await readFile(join(cwd, "all.html"), "utf8");
    expect(recordIn(html)).toContain("note plan: [redacted:");
    expect(html + recordIn(html)).not.toContain(secret);
    await writeFile(join(cwd, "cut.html"), html.replace(/(octet-stream">.{200})[^<]*/, "$1"));
    const { until } = await show(pathToFileURL(join(cwd, "cut.html")).href);
    await until(".trouble", "This record cannot be shown: it is damaged");
  });
});
