import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram, runToEnd } from "../cli/program.ts";
import { chromiumIsThere, show, startLegion, startPage } from "./kit.ts";
import { createTempProject } from "../temp-project.ts";

beforeAll(buildProgram, 120_000);

/** A session of that name, to its end. */
async function runSession(cwd: string, name: string, ...args: readonly string[]): Promise<void> {
  const { code } = await runToEnd(["run", "--model", "offline", "--session", name, ...args], { cwd });
  expect(code).toBe(0);
}

describe.skipIf(!chromiumIsThere)("the page of differences", { timeout: 120_000 }, () => {
  it("shows a fork beside its origin from where they part, chosen by hand or by a link", async () => {
    const { url, legion } = await startLegion("1");
    await legion("send", "--wait", "1", "goal make it so");
    await legion("send", "--wait", "1", "note plan: this");
    const events = (await legion("log", "1", "--json")).trim().split("\n");
    const mail = events
      .map((line) => JSON.parse(line) as { seq: number; kind: string })
      .filter(({ kind }) => kind === "message");
    const { seq } = mail[1]!;
    await legion("fork", "1", "--at", String(seq), "--as", "1b", "--content", "note plan: that");
    const { page, press, until, texts } = await show(url);
    await until(".c-name", "1b");
    await press('nav a[href="#/differences"]');
    await until(".nobody", "Choose two pasts");
    await page.select(".choose fieldset:nth-of-type(1) label:nth-of-type(2) select", "1");
    await page.select(".choose fieldset:nth-of-type(2) label:nth-of-type(2) select", "1b");
    await press(".choose .main");
    await until(".shared", "are the same, until event");
    await until(".first-difference h2", "message: content");
    expect(await texts(".first-difference .difference .removed")).toEqual(["- note plan: this"]);
    expect(await texts(".first-difference .difference .added")).toEqual(["+ note plan: that"]);
    expect(await texts(".side h2")).toEqual(["− Agent 1", "+ 1b"]);
    await until(".side .parts", "differs first");
    await until(".side p.dim", "since then");
    await page.setViewport({ width: 360, height: 740 });
    const [one, other] = await page.$$eval(".side", (sides) =>
      sides.map((side) => side.getBoundingClientRect().top),
    );
    expect(other).toBeGreaterThan(one!);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await page.setViewport({ width: 1_280, height: 800 });
    await press(".shared a");
    await until(".entry .seq", String(seq));
    await page.waitForFunction(() => {
      const [, , , event] = location.hash.split("/");
      const box = document.querySelector(".timeline .scroll")?.getBoundingClientRect();
      const entry = document.querySelector(`.timeline [data-seq="${event}"]`)?.getBoundingClientRect();
      return box && entry && entry.top >= box.top && entry.bottom <= box.bottom;
    });
  });

  it("shows two runs, and says what is wrong with an address", async () => {
    const cwd = await createTempProject();
    await runSession(cwd, "first", "goal make it so");
    await runSession(cwd, "second", "goal make it good");
    const { page, until } = await show(await startPage(cwd));
    await page.evaluate(() => (location.hash = "#/differences?one=1&oneRun=first&other=1&run=second"));
    await until(".first-difference .removed", "goal make it so");
    await until(".first-difference .added", "goal make it good");
    await until(".side h2", "of run second");
    await page.evaluate(() => (location.hash = "#/differences?one=1&oneRun=first&other=1&run=third"));
    await until(".trouble", "there is no run or session");
    await page.evaluate(
      () => (location.hash = "#/differences?one=1&oneRun=first&other=1&otherAt=999&run=second"),
    );
    await until(".trouble", "there is no event 999");
  });

  it("replays an agent: identical, and, after its definition was changed, the first difference in its place", async () => {
    const cwd = await createTempProject();
    const define = (words: string): Promise<void> =>
      writeFile(join(cwd, "agents/mine.md"), `---\nname: mine\ndescription: Does it.\n---\n\n${words}\n`);
    await mkdir(join(cwd, "agents"), { recursive: true });
    await define("You are calm.");
    await runSession(cwd, "calm", "goal make it so", "--agent", "mine");
    const { page, press, until } = await show(await startPage(cwd, "--run", "calm"));
    await until(".c-name", "Agent 1");
    await press("#agent-1 .c-name");
    await until(".k-result", "ok");
    const replay = ".timeline-foot button[title^=Against]";
    await press(replay);
    await until(".verdict", "identical");
    await define("You are in a hurry.");
    await press(replay);
    await until(".verdict.differs", "Differs at decision");
    await until(".replayed .removed", "You are calm.");
    await until(".replayed .added", "You are in a hurry.");
    await press(".verdict button");
    const before = await page.$eval(".replayed", (place) => place.previousElementSibling?.className ?? "");
    expect(before).toContain("entry");
  });
});
