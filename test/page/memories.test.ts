import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram, run } from "../cli/program.ts";
import { createTempProject } from "../temp-project.ts";
import { chromiumIsThere, show, startPage } from "./kit.ts";

beforeAll(buildProgram, 120_000);

const KEEPER = `---
name: keeper
description: Keeps what it is told.
modules: [core, messaging, memory]
memories: [main/legion]
---
Keep it.
`;
const remember = (text: string) => ({
  calls: [{ action: "remember", parameters: { text, tags: { topic: "sea" } } }],
});
const ANSWERS = [remember("The boat is called <b>Ada</b>."), remember("Tea at four."), "Kept."];

describe.skipIf(!chromiumIsThere)("an agent's long-term memory on its page", { timeout: 90_000 }, () => {
  it("shows the newest of it, finds what it holds by words, and nothing where an agent has none", async () => {
    const files = { "agents/keeper.md": KEEPER, "answers.json": JSON.stringify(ANSWERS) };
    const cwd = await createTempProject(files);
    const start = ["start", "1", "--agent", "keeper", "--model", "scripted:answers.json", "--tick", "0"];
    const node = run([...start, "--task", "Keep it."], { cwd });
    await node.until("files ");
    const { page, press, until, texts } = await show(await startPage(cwd));
    await until(".c-steps", "3");
    await press("#agent-1 .c-name");
    await until(".memories", "2 entries");
    expect(await texts(".remembered .text")).toEqual(["Tea at four.", "The boat is called <b>Ada</b>."]);
    await page.type(".memories input", "boat\n");
    await until(".memories", "1 entry found for “boat”");
    expect(await texts(".remembered .text")).toEqual(["The boat is called <b>Ada</b>."]);
    await until(".remembered .tag", "topic=sea");
    await page.evaluate(() => (location.hash = "#/agents/0"));
    await until(".beside h2", "Branches");
    expect(await texts(".beside h2")).not.toContain("Memory");
  });
});
