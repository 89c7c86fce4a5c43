// What a program that runs a legion sees of the questions of its agents.

import { describe, expect, it } from "vitest";
import type { Inspection } from "../../src/domain/inspection.ts";
import { createHandClock } from "../hand-clock.ts";
import { agent, asking, questionOf } from "../agent/act/asking.ts";
import type { World } from "../world.ts";

type SeenQuestion = Extract<Inspection, { readonly kind: "question" }>;

const isQuestion = (seen: Inspection): seen is SeenQuestion => seen.kind === "question";
const isOver = (seen: Inspection): boolean => isQuestion(seen) && seen.ended !== undefined;

/** What was seen of questions so far. */
function questionsOf({ seen }: World): readonly SeenQuestion[] {
  return seen.filter(isQuestion);
}

const DAY_MS = 86_400_000;

describe("a watcher of a legion", () => {
  it("sees a question come with the whole call, and until when it waits", async () => {
    const { world, question } = await asking();
    const [seen] = questionsOf(world);
    expect(seen).toMatchObject({
      agent: "1",
      question: {
        id: question,
        agent: "1",
        action: "deploy",
        parameters: { to: "prod" },
        rule: "profile workspace",
        touches: [{ kind: "anything", call: 'deploy {"to":"prod"}' }],
      },
    });
    expect(seen!.ended).toBeUndefined();
    const { since, expires } = seen!.question;
    expect(Date.parse(expires) - Date.parse(since)).toBe(DAY_MS);
    expect(world.legion.questions()).toEqual([{ ...seen!.question, isAnswered: false }]);
  });

  it.each<[string, (world: World, question: string) => Promise<unknown>, object]>([
    ["approved", ({ legion }, id) => legion.approve(id), { verdict: "approved" }],
    ["denied", ({ legion }, id) => legion.deny(id, "not today"), { verdict: "denied", reason: "not today" }],
    ["stopped", ({ legion }) => legion.control.say(["1"], "stop", "abort"), { verdict: "superseded" }],
    [
      "overtaken by a word of the person",
      (world) => world.say("1", "do something else"),
      { verdict: "superseded", reason: "New instructions came first." },
    ],
  ])("sees it go once it is %s", async (_, act, ended) => {
    const { world, question } = await asking();
    await act(world, question);
    await world.until(isOver);
    const [opened, closed, ...more] = questionsOf(world);
    expect(more).toEqual([]);
    expect(closed!.question).toEqual(opened!.question);
    expect(closed!.ended).toMatchObject(ended);
    expect(world.legion.questions()).toEqual([]);
  });

  it("sees it go when nobody answers in time", async () => {
    const clock = createHandClock();
    const { world } = await asking({}, { clock, questions: { mode: "wait", expireMs: DAY_MS } });
    await clock.asleep(DAY_MS);
    clock.advance(DAY_MS);
    await world.until(isOver);
    expect(questionsOf(world)[1]!.ended).toEqual({ verdict: "expired" });
  });

  it("sees no end of one whose node ends, and sees it come again in the next", async () => {
    const { world, question, modules } = await asking();
    await world.stop();
    expect(questionsOf(world).map(({ ended }) => ended)).toEqual([undefined]);
    const again = await world.restart({ "1": agent([], { modules }) });
    const notices = (await again.kinds("1", "notice")).map(({ content }) => content);
    expect(notices).toContain("The process was told to end while deploy waited for an answer.");
    expect(await questionOf(again)).toBe(question);
    expect(questionsOf(again).at(-1)).toMatchObject({ question: { id: question } });
  });

  it.each(["abort", "steer"] as const)(
    "sees it end in the next node where the person said something else meanwhile, and nothing is asked twice (A6): %s",
    async (delivery) => {
      const { world, question, modules, done } = await asking();
      const without = await world.restart({ "2": agent([]) });
      const [by] = await without.legion.control.say(["1"], "Leave that.", delivery);
      const again = await without.restart({ "1": agent([], { modules }) });
      await again.idle();
      const ended = { verdict: "superseded", by };
      expect(questionsOf(again).at(-1)).toMatchObject({ question: { id: question }, ended });
      expect(await again.kinds("1", "approval")).toMatchObject([{}, {}, ended]);
      expect(done).toEqual([]);
    },
  );
});
