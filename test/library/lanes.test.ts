import { describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import { byHand } from "../world.ts";
import { NOOP, call, openInMemory } from "./programs.ts";

describe("an agent that is at work", () => {
  it("is steered: what it would do next is left, and the prompt has what comes of the new words", async () => {
    const [asked, told] = [byHand(), byHand<ScriptedAnswer>()];
    const legion = await openInMemory((request, index) => {
      if (index > 0) return JSON.stringify(request.turns).includes("To the left.") ? "Left." : "Right.";
      asked.resolve();
      return told.promise;
    });
    const agent = await legion.spawn();
    const answer = agent.prompt("Go.");
    await asked.promise;
    await agent.steer("To the left.");
    told.resolve(call("addGoal", { goal: "right" }));
    expect((await answer).text).toBe("Left.");
    const results = agent.messages().flatMap((turn) => (turn.role === "results" ? turn.results : []));
    expect(results.map(({ content }) => content)).toEqual([expect.stringContaining("new instructions")]);
  });

  it("follows up when it would rest, one after the other, before the prompt is over", async () => {
    const asked = byHand();
    const legion = await openInMemory((request, index) => {
      if (index === 0) asked.resolve();
      const seen = request.turns.flatMap((turn) =>
        turn.role === "user" ? turn.text.split("\n").at(-1)! : [],
      );
      return `answer to ${seen.at(-1)}`;
    });
    const agent = await legion.spawn();
    const heard: string[] = [];
    agent.subscribe((event) => event.kind === "turn:end" && heard.push(event.text));
    const answer = agent.prompt("one");
    await asked.promise;
    await Promise.all([agent.followUp("two"), agent.followUp("three")]);
    expect((await answer).text).toMatch(/^answer to /);
    await legion.runtime.untilIdle(new AbortController().signal);
    expect(heard).toEqual(["answer to one", "answer to two", "answer to three"]);
  });

  it.each(["steer", "followUp"] as const)(
    "has no %s that says nothing, nor one after `stop`",
    async (way) => {
      const legion = await openInMemory([NOOP]);
      const agent = await legion.spawn();
      await expect(agent[way](" ")).rejects.toMatchObject({
        code: "USAGE",
        message: expect.stringContaining(way),
      });
      await legion.stop();
      await expect(agent[way]("Hi.")).rejects.toMatchObject({
        code: "REFUSED",
        message: "Agent 1 is stopped",
      });
    },
  );
});
