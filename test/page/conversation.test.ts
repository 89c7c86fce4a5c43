import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../cli/program.ts";
import { chromiumIsThere, show, startLegion, type Shown } from "./kit.ts";

beforeAll(buildProgram, 120_000);

const POLL = { timeout: 20_000 };

/** What a person who cannot see it is told of each pair. */
async function pairs({ texts }: Shown): Promise<readonly string[]> {
  const names = await texts(".pairs tbody th");
  const many = await texts(".pairs tbody td:nth-child(2)");
  return names.map((name, index) => `${name} ${many[index]}`);
}

describe.skipIf(!chromiumIsThere)("the conversation, on the page", { timeout: 90_000 }, () => {
  it("shows who talks to whom, drawn and as a table, and what is said, and grows while the person looks", async () => {
    const { url, legion } = await startLegion("3");
    const shown = await show(url);
    const { page, press, until, texts } = shown;
    await until(".c-name", "Agent 3");
    await press("nav a[href='#/conversation']");
    await until(".nobody", "Nobody has said anything yet.");
    await legion("send", "1", "tell 2 tell 0 hello");
    await until(".pairs tbody th", "Agent 2 → You");
    await until(".letter .text", "hello");
    expect(await pairs(shown)).toContain("Agent 1 → Agent 2 1");
    await until(".graph .name", "Agent 2");
    expect((await texts(".graph .name")).toSorted()).toEqual(["Agent 1", "Agent 2", "You"]);
    expect(await page.$$(".graph .party rect")).toHaveLength(1);
    const places = (): Promise<readonly string[]> =>
      page.$$eval(".graph circle", (all) =>
        all.map((one) => `${one.getAttribute("cx")} ${one.getAttribute("cy")}`),
      );
    const before = await places();
    await legion("send", "1", "tell 2 tell 0 again");
    await until(".letter .text", "again");
    await expect.poll(async () => (await pairs(shown)).includes("Agent 1 → Agent 2 2"), POLL).toBe(true);
    expect((await places()).toSorted()).toEqual(before.toSorted());
    await legion("send", "3", "tell 1 note later: this");
    await until(".graph .name", "Agent 3");
    await until(".pairs tbody th", "Agent 3 → Agent 1");
  });

  it("shows whose messages the person chooses: by a circle, a row or the list, and with the keyboard alone", async () => {
    const { url, legion } = await startLegion("3");
    await legion("send", "1", "tell 2 note a: one");
    await legion("send", "3", "note b: two");
    const { page, until, texts, tabTo } = await show(url);
    await until(".c-name", "Agent 3");
    await page.evaluate(() => (location.hash = "#/conversation"));
    await until(".pairs tbody th", "You → Agent 3");
    await until(".graph .name", "Agent 3");
    const told = (): Promise<readonly string[]> => texts(".letter .text");
    expect((await told()).join()).toContain("a: one");
    await page.evaluate(() =>
      [...document.querySelectorAll(".party")]
        .find((party) => party.textContent.startsWith("Agent 3"))!
        .dispatchEvent(new MouseEvent("click", { bubbles: true })),
    );
    await until(".chip", "Only Agent 3");
    await until(".saying .dim", "all 2");
    expect(new Set((await told()).map((text) => text.includes("b: two")))).toEqual(new Set([true]));
    await page.waitForSelector(".line.faded");
    await tabTo(".saying .chip");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".saying .chip", { hidden: true });
    await tabTo(".pairs tbody button");
    const [, second] = await texts(".pairs tbody button");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await until(".chip", `Only ${second}`);
    await page.waitForSelector(".pairs tbody button[aria-pressed=true]");
    await page.select(".saying select", "2");
    await until(".chip", "Only Agent 2");
  });

  it("shows what agents wrote as text, all of it where the person wants it", async () => {
    const { url, legion } = await startLegion("2");
    const hostile = `<img src=x onerror="document.title='taken'"> \u202egpj`;
    await legion("send", "1", `tell 2 note x: ${hostile} ${"long ".repeat(100)}the very end`);
    const { page, press, until } = await show(url);
    await until(".c-name", "Agent 2");
    await page.evaluate(() => (location.hash = "#/conversation"));
    await until(".letter .text", `onerror="document.title='taken'"`);
    await until(".letter .text", "\\u{202e}gpj");
    await press(".letter .text button");
    await until(".letter .text", "the very end");
    expect(await page.$$eval("main img, main svg image, main svg script", (found) => found.length)).toBe(0);
    expect(await page.title()).toBe("AI Legion");
  });

  it("lays the graph out in a worker, beside the page", async () => {
    const { url, legion } = await startLegion("2");
    await legion("send", "1", "tell 2 note a: one");
    const { page, until } = await show(url);
    const workers: string[] = [];
    page.on("workercreated", (worker) => workers.push(new URL(worker.url()).pathname));
    await until(".c-name", "Agent 2");
    await page.evaluate(() => (location.hash = "#/conversation"));
    await until(".graph .name", "Agent 2");
    expect(new Set(workers)).toEqual(new Set(["/layout.js"]));
  });

  it("lays it out itself where no worker can be started", async () => {
    const { url, legion } = await startLegion("2");
    await legion("send", "1", "tell 2 note a: one");
    const { page, until } = await show(url);
    await until(".c-name", "Agent 2");
    await page.evaluate(() => {
      Object.defineProperty(globalThis, "Worker", { value: undefined });
      location.hash = "#/conversation";
    });
    await until(".graph .name", "Agent 2");
  });
});
