import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../src/index.ts";
import { call, openInMemory } from "./programs.ts";

const SCRIPT = [
  { ...call("addGoal", { goal: "look" }), text: "I look.", usage: { input: 10, output: 2 } },
  { text: "Nothing.", usage: { input: 20, output: 3 } },
];
const STORY = [
  "agent:start",
  ...["turn:start", "text:delta", "call:start", "call:running", "call:end", "result", "turn:end"],
  ...["turn:start", "text:delta", "turn:end"],
  "agent:end",
];

describe("what happens to an agent", () => {
  it("is told to a listener while it happens, and summed up as the prompt is", async () => {
    const agent = await (await openInMemory(SCRIPT)).spawn();
    const seen: AgentEvent[] = [];
    const stop = agent.subscribe((event) => seen.push(event));
    const { usage, cost } = await agent.prompt("Look.");
    expect(seen.map(({ kind }) => kind)).toEqual(STORY);
    expect(seen.at(-1)).toEqual({
      agent: "1",
      kind: "agent:end",
      reason: "completed",
      usage: { ...usage, cost },
    });
    stop();
    await agent.prompt("Again.");
    expect(seen).toHaveLength(STORY.length);
  });

  it("is given to a reader at its own pace, until the agent is stopped", async () => {
    const legion = await openInMemory(SCRIPT);
    const agent = await legion.spawn();
    const events = agent.events();
    await agent.prompt("Look.");
    await legion.stop();
    const seen: AgentEvent[] = [];
    for await (const event of events) seen.push(event);
    expect(seen.map(({ kind }) => kind)).toEqual(STORY);
  });

  it("is nothing any more once the agent is stopped: nobody waits for it", async () => {
    const legion = await openInMemory(SCRIPT);
    const agent = await legion.spawn();
    await legion.stop();
    expect(await agent.events().next()).toEqual({ done: true, value: undefined });
  });

  it("has what the model reads of a result, and the details that it does not", async () => {
    const agent = await (
      await openInMemory([call("writeFile", { path: "a.txt", content: "hello\n" }), "Written."])
    ).spawn();
    const results: AgentEvent[] = [];
    agent.subscribe((event) => event.kind === "result" && results.push(event));
    await agent.prompt("Write.");
    const diff = "--- /dev/null\n+++ a.txt\n@@ -0,0 +1,1 @@\n+hello\n";
    const content = expect.stringContaining("Wrote to a.txt.") as string;
    expect(results).toMatchObject([{ outcome: "ok", content, details: { created: true, diff } }]);
    expect(JSON.stringify(agent.messages())).not.toContain("/dev/null");
  });

  it("goes on whatever a listener does", async () => {
    const agent = await (await openInMemory(SCRIPT)).spawn();
    const heard: string[] = [];
    agent.subscribe(({ kind }) => {
      heard.push(kind);
      throw new Error("I break.");
    });
    agent.subscribe(() => Promise.reject(new Error("So do I.")));
    const others: string[] = [];
    agent.subscribe(({ kind }) => others.push(kind));
    expect((await agent.prompt("Look.")).text).toBe("Nothing.");
    expect(heard).toEqual(["agent:start"]);
    expect(others).toEqual(STORY);
  });
});
