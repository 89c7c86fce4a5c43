import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../cli/program.ts";
import { chromiumIsThere, show, startLegion } from "./kit.ts";

beforeAll(buildProgram, 120_000);

describe.skipIf(!chromiumIsThere)("one chain of messages, on the page", { timeout: 90_000 }, () => {
  it("stands as a tree and as a list from its first message on, with what each agent came to", async () => {
    const { url, legion } = await startLegion("3");
    await legion("send", "1", "tell 2 tell 3 tell 0 hello");
    await legion("send", "3", "note other: not of it");
    const { page, press, until, texts } = await show(url);
    await until(".c-name", "Agent 3");
    await page.evaluate(() => (location.hash = "#/inbox"));
    await until(".letter .text", "hello");
    await press("::-p-xpath(//li[contains(., 'Agent 3')][contains(., 'hello')]//a[text()='Chain'])");
    await until("h1:focus", "Chain of 0>1#1");
    await until(".bill tfoot", "In all");
    const list = await texts(".letter header span:first-child");
    expect(list.slice(0, 2)).toEqual(["You → Agent 1", "Agent 1 → Agent 2"]);
    expect(list).toContain("Agent 3 → You");
    expect((await texts(".letter")).join()).not.toContain("not of it");
    await until(".fate", "taken in after");
    expect((await texts(".bill tbody th")).toSorted()).toEqual(["Agent 1", "Agent 2", "Agent 3"]);
    const steps = (await texts(".bill td:nth-child(2)")).map(Number);
    expect(steps.at(-1)).toBe(steps.slice(0, -1).reduce((sum, one) => sum + one));
    const boxes = await texts(".box-of b");
    expect(boxes.toSorted()).toEqual(list.toSorted());
    expect(await page.$$(".boxes path")).toHaveLength(boxes.length - 1);
    await press(".box-of");
    await page.waitForSelector(".letter:focus");
    await press(".bill a");
    await until("h1:focus", "Agent");
  });

  it("is reached from the stream, and from a cause in Cost", async () => {
    const { url, legion } = await startLegion("2");
    await legion("send", "1", "tell 2 note plan: this");
    const { page, press, until } = await show(url);
    await until(".c-name", "Agent 2");
    await page.evaluate(() => (location.hash = "#/cost"));
    await until(".bill a", "tell 2 note plan: this");
    await press("::-p-xpath(//table[@class='bill']//a[contains(., 'tell 2')])");
    await until("h1:focus", "Chain of 0>1#1");
    await press(".chain a[href='#/conversation']");
    await until(".letter a", "Chain");
    await press(".letter a[href^='#/chain']");
    await until("h1:focus", "Chain of 0>1#1");
    await until("nav a[aria-current]", "Conversation");
  });

  it("says of a message that nobody knows what would help", async () => {
    const { url } = await startLegion("1");
    const { page, until } = await show(url);
    await until(".c-name", "Agent 1");
    await page.evaluate(() => (location.hash = "#/chain/1%3E2%2399"));
    await until(".trouble", "no log has a message `1>2#99`; `legion log <agent> --json`");
  });
});
