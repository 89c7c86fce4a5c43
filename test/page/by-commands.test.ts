// What commands changed in a repository, on the page.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../cli/program.ts";
import { bubblewrapIsThere } from "../environment/opened.ts";
import { createRepositoryYard, run } from "../legion/undo/repository-yard.ts";
import { REST, write } from "../legion/undo/yard.ts";
import { chromiumIsThere, show, startPage, typing } from "./kit.ts";

beforeAll(buildProgram, 120_000);

const HOSTILE = "<img src=x onerror=alert(1)>.txt";

describe.runIf(chromiumIsThere && bubblewrapIsThere)("what commands changed", { timeout: 120_000 }, () => {
  it("is shown with the command in Changes, in the report, in its file and below the result, as text", async () => {
    const world = await createRepositoryYard(
      { "a.txt": "a\n", "make.sh": `touch '${HOSTILE}'\n` },
      {
        1: [
          { calls: [run("touch $(seq 103)"), write("b.txt", "by hand\n")] },
          { calls: [run("sed -i s/a/A/ a.txt"), run("sh make.sh")] },
          { calls: [run("git commit -qam two")] },
          REST,
        ],
      },
    );
    await world.say("1", "Tidy up.");
    await world.idle();
    await world.stop();
    const { project } = world;
    const { page, press, until, texts } = await show(await startPage(project), { area: undefined });
    await until(".report summary", "changed by a command a.txt");
    await until(".report li", "changes not known");
    await until(".report .dim", "not known: branches or other refs were moved");
    await until(".report li", "changed 103 files");
    await until(".report li", "at least 103 files changed, 4 commands");
    await page.evaluate(() => (location.hash = "#/changes"));
    await until(".changes summary", `created ${HOSTILE}`);
    await until(".changes summary", "by a command of Agent 1");
    await press(".changes summary b");
    await until(".changes details p", "No difference is recorded; to take back: legion undo 1.");
    await press(".changes + button");
    await until(".changes summary", "it changed 3 more");
    await until(".changes summary", "changed a.txt by a command of Agent 1");
    await until(".changes summary", "created b.txt by Agent 1");
    await page.evaluate(() => (location.hash = "#/agents/1"));
    await until(".k-result summary", "Changed 1 file");
    await until(".k-result summary", "Changed 103 files");
    await until(".k-result .dim", "Which files it changed is not known: branches or other refs were moved");
    await press(".k-result .code + details summary");
    expect(await page.$("img")).toBeNull();
    expect((await texts(".k-result details .code")).join("\n")).toContain("changed a.txt");
    expect(await typing(project)("report", "--all", "--html", "night.html")).toBe("wrote night.html\n");
    const file = await show(pathToFileURL(join(project, "night.html")).href, { width: 360 });
    await file.until(".report summary", HOSTILE);
    await file.press(".report details:has(p) summary, .report summary");
    await file.until(".report details p", "No difference is recorded");
    expect(await file.page.$("img, .report a")).toBeNull();
    expect(await file.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  });
});
