import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram, run } from "../cli/program.ts";
import { createTempProject } from "../temp-project.ts";
import { chromiumIsThere, show, startLegion, startPage, typing } from "./kit.ts";

beforeAll(buildProgram, 120_000);

describe.skipIf(!chromiumIsThere)("the page of an agent", { timeout: 90_000 }, () => {
  it("streams its events, with its goals, its notes and the prompt of a decision beside them", async () => {
    const { url, legion } = await startLegion("2");
    const { press, until } = await show(url);
    await until(".c-name", "Agent 2");
    await press("#agent-2 .c-name");
    await until("h1", "Agent 2");
    await legion("send", "2", "note plan: first this then goal make it so");
    await until(".k-message", "note plan: first this");
    await until(".k-decision .action", "writeNote");
    await until(".k-decision .call", "title: plan");
    await until(".k-result", "ok");
    await until(".goals li", "make it so");
    await until(".note summary", "plan");
    await press(".note summary");
    await until(".note .text", "first this");
    await press(".k-decision .line button");
    await until(".prompt", "It was shown about");
    await until(".prompt summary", "System");
    await until(".prompt", "no prompt before it");
    await press(".timeline-foot input");
    await until(".k-prompted", "offline");
  });

  it("shows what an agent wrote as text, and what nobody would see written out", async () => {
    const { url, legion } = await startLegion("1");
    const { page, press, until } = await show(`${url}`);
    await until(".c-name", "Agent 1");
    await press("#agent-1 .c-name");
    const hostile = `<img src=x onerror="document.title='taken'"> [x](javascript:alert(1)) https://evil.test \u202egpj`;
    await legion("send", "1", `note <b>bold</b>: ${hostile}`);
    await until(".k-result", "ok");
    await until(".k-message .text", `onerror="document.title='taken'"`);
    await until(".k-message .text", "\\u{202e}gpj");
    await until(".note summary", "<b>bold</b>");
    expect(
      await page.$$eval(
        "main img, main a[href^=http], main a[href^=javascript], main b > b",
        (a) => a.length,
      ),
    ).toBe(0);
    expect(await page.title()).toBe("AI Legion");
  });

  it("reads older events as the person scrolls up, stays there while more come, and misses none", async () => {
    const { url, legion } = await startLegion("1");
    const words = Array.from({ length: 30 }, (_, n) => `goal number ${n + 1}`).join(" then ");
    for (let round = 0; round < 10; round++) await legion("send", "1", words);
    const { page, press, until, texts } = await show(url);
    await until(".c-name", "Agent 1");
    await press("#agent-1 .c-name");
    await until(".facts .state", "idle");
    await until(".entry.k-message", "#10");
    await press(".timeline-foot input");
    await page.waitForFunction(
      () => {
        document.querySelector(".timeline .scroll")!.scrollTo({ top: 0 });
        return document.querySelector(".older") === null;
      },
      { polling: 50 },
    );
    await until(".k-opened", "log");
    const sizes = (await texts(".entry .seq")).map(Number);
    expect(sizes).toEqual(sizes.map((_, index) => index + 1));
    await legion("send", "1", "note last: the very last");
    await until(".timeline-foot button", "To the newest");
    expect(await page.$eval(".timeline .scroll", ({ scrollTop }) => scrollTop)).toBe(0);
    await press(".timeline-foot .spring + button");
    await until(".k-message", "the very last");
    await page.waitForFunction(() => {
      const { scrollTop, scrollHeight, clientHeight } = document.querySelector(".timeline .scroll")!;
      return scrollHeight - scrollTop - clientHeight < 48;
    });
  });

  it("lets the person go from its end while it is drawn anew", async () => {
    const { url, legion } = await startLegion("1");
    await legion("send", "1", Array.from({ length: 30 }, (_, n) => `goal number ${n + 1}`).join(" then "));
    const { page, press, until } = await show(url);
    await press("#agent-1 .c-name");
    await until(".facts .state", "idle");
    await until(".k-result", "30");
    // Both before the browser tells that it was scrolled.
    await page.evaluate(() => {
      document.querySelector(".timeline .scroll")!.scrollTo({ top: 0 });
      document.querySelector<HTMLElement>(".timeline-foot input")!.click();
    });
    await until(".timeline-foot button", "To the newest");
    expect(await page.$eval(".timeline .scroll", ({ scrollTop }) => scrollTop)).toBe(0);
  });

  it("goes on where it was when the node is killed and started again: nothing is missing, nothing twice", async () => {
    const cwd = await createTempProject();
    const legion = typing(cwd);
    const start = async () => {
      const node = run(["start", "2", "--model", "offline", "--tick", "0"], { cwd });
      await node.until("files ");
      return node;
    };
    const first = await start();
    const { press, until, texts } = await show(await startPage(cwd));
    await until(".c-name", "Agent 2");
    await press("#agent-2 .c-name");
    await legion("send", "2", "note before: said before");
    await until(".k-result", "ok");
    first.child.kill("SIGKILL");
    await first.ended;
    await until(".facts", "no node runs it");
    await legion("send", "2", "note after: said after");
    await start();
    await until(".note summary", "after");
    await until(".k-message", "said after");
    await press(".timeline-foot input");
    const log = (await legion("log", "2", "--json")).trim().split("\n");
    const seqs = log.map((line) => String((JSON.parse(line) as { seq: number }).seq));
    await until(".entry .seq", seqs.at(-1)!);
    expect(await texts(".entry .seq")).toEqual(seqs);
  });

  it.skipIf(process.platform === "win32")("shows what a command prints while it runs", async () => {
    const { cwd, url, legion } = await startLegion("1", "--yes");
    execFileSync("mkfifo", [join(cwd, "gate")]);
    const { page, press, until } = await show(url);
    await until(".c-name", "Agent 1");
    await press("#agent-1 .c-name");
    await until("h1", "Agent 1");
    await legion("send", "1", "run echo it has begun; cat gate");
    await until(".live .call", "it has begun");
    await until(".facts .state", "acting");
    await writeFile(join(cwd, "gate"), "and ended");
    await until(".k-result .text", "and ended");
    await page.waitForSelector(".live", { hidden: true });
  });

  it("shows the branches of its log, and which events stand on one that was left", async () => {
    const { url, legion } = await startLegion("1");
    await legion("send", "1", "goal the first");
    const { press, until, texts } = await show(url);
    await until(".c-name", "Agent 1");
    await press("#agent-1 .c-name");
    await until(".goals li", "the first");
    await until(".facts .state", "idle");
    const [mail] = await texts(".k-message .seq");
    await legion("fork", "1", "--at", mail!);
    await until(".branches b", "goes on");
    await until(".entry.left", "on a branch that was left");
    expect((await texts(".branches li"))[0]).toMatch(/^○ 1 to \d+\s*compare$/);
    await press(".branches li:first-child button");
    await until(".branch-bar", "A branch that was left");
    await until(".k-result", "ok");
    expect(await texts(".entry.left, .k-branch")).toEqual([]);
    await press(".branch-bar button");
    await until(".k-branch", "goes on from event");
    await until(".entry.left", "on a branch that was left");
  });

  it("holds no connection in a tab that nobody sees, and has missed nothing when somebody does again", async () => {
    const { url, legion } = await startLegion("1");
    const { page, press, until, texts } = await show(url);
    await until(".c-name", "Agent 1");
    await press("#agent-1 .c-name");
    await legion("send", "1", "goal one");
    await until(".goals li", "one");
    const turn = (state: "hidden" | "visible"): Promise<void> =>
      page.evaluate((to) => {
        Object.defineProperty(document, "hidden", { configurable: true, value: to === "hidden" });
        document.dispatchEvent(new Event("visibilitychange"));
      }, state);
    const left = new Set<string>();
    page.on("requestfailed", (request) => left.add(new URL(request.url()).pathname));
    await turn("hidden");
    await expect.poll(() => [...left].sort()).toEqual(["/v1/agents/1/events", "/v1/overview"]);
    await legion("send", "1", "goal two");
    await turn("visible");
    await until(".goals li", "two");
    await until(".facts", "4 steps");
    await press(".timeline-foot input");
    const seqs = (await texts(".entry .seq")).map(Number);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  });

  it("says that there is no such agent, and names those that there are", async () => {
    const { url } = await startLegion("2");
    const { page, until } = await show(url);
    await until(".c-name", "Agent 2");
    await page.evaluate(() => (location.hash = "#/agents/9"));
    await until("[role=alert]", "there is no agent `9`; known: 1, 2");
  });
});
