// Who has the word in a run at a terminal, over a real legion: the keys and the screen are elsewhere.

import { describe, expect, it, onTestFinished } from "vitest";
import type { Invitation } from "../../../../src/cli/console/question/invitation.ts";
import { createFloor } from "../../../../src/cli/run/task/floor.ts";
import { takeUp, untilOver } from "../../../../src/legion/run/task.ts";
import { createScriptedModel, type Script } from "../../../../src/model/scripted/scripted.ts";
import type { Mode } from "../../../../src/domain/supervision.ts";
import { agent, deploy, shop } from "../../../agent/act/asking.ts";
import { createWorldInMemory, byHand, type WorldAgent } from "../../../world.ts";
import { story } from "../../../workshop.ts";
import { PATIENCE } from "../../../legion/run/tasks.ts";

/** A run of agent 1, with its person at the terminal. */
async function sit(worker: WorldAgent, { confirmsExit = false, mode = "usual" as Mode } = {}) {
  const world = await createWorldInMemory({ 1: worker });
  const workshop = { legion: world.legion, agent: "1" };
  const floor = createFloor(() => confirmsExit);
  const shown: (Invitation | undefined)[] = [];
  let look = (): void => undefined;
  floor.watch((invitation) => {
    shown.push(invitation);
    look();
  });
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  if (mode !== "usual") await world.legion.control.switchMode(["1"], mode);
  const over = takeUp(workshop, { task: "Begin." }).then(() => {
    floor.open(workshop);
    return untilOver(workshop, stop.signal, PATIENCE, floor.hold);
  });
  return {
    ...{ world, floor, shown, stop, over },
    sees: (title: string) =>
      new Promise<void>((resolve) => {
        look = () => void (shown.at(-1)?.title === title && resolve());
        look();
      }),
    async says(text: string) {
      if (text !== "") await world.say("1", text);
      await floor.heard(text === "" ? "nothing" : "words");
    },
  };
}

const ANSWER = "Done.";

/** A model whose first answer comes when it is cut off, and never else. */
function slow(then: Script): { readonly model: WorldAgent["model"]; readonly asked: Promise<void> } {
  const asked = byHand();
  const rest = createScriptedModel(then);
  const model = createScriptedModel([]);
  let calls = 0;
  return {
    asked: asked.promise,
    model: {
      ...model,
      complete(request, options) {
        if (calls++ > 0) return rest.complete(request, options);
        asked.resolve();
        return new Promise((_, reject) =>
          options.signal.addEventListener("abort", () => reject(options.signal.reason as Error)),
        );
      },
    },
  };
}

describe("a run whose person stops what it is at", () => {
  it("in a model call, has their words read next, and goes on", async () => {
    const { model, asked } = slow([ANSWER]);
    const { world, floor, shown, says, over } = await sit({ model });
    await asked;
    expect(floor.take()).toBe(true);
    expect(shown).toEqual([
      {
        title: "stopped",
        ways: "what you type is read next · Enter: it goes on as it was · Ctrl-C ends the run",
      },
    ]);
    await says("Look at the tests.");
    expect(await over).toMatchObject({ status: "Submitted", submission: ANSWER });
    expect(shown.at(-1)).toBeUndefined();
    const told = (await story(world)).filter((line) => line.startsWith("message"));
    expect(told.slice(-1)).toEqual(["message: Look at the tests."]);
  });

  it("waits for them, however long, and goes on as it was where they say nothing", async () => {
    const { model, asked } = slow([ANSWER]);
    const { world, floor, says, over } = await sit({ model });
    await asked;
    floor.take();
    await world.until((seen) => seen.kind === "live:state" && seen.state === "idle");
    expect((await world.kinds("1", "notice")).map(({ reason }) => reason)).not.toContain("ended");
    await says("");
    expect(await over).toMatchObject({ status: "Submitted" });
    expect(await story(world)).toContain("message: Go on with your task.");
  });

  it("at a question, has it settled: the call does not run", async () => {
    const { done, modules } = shop();
    const worker = agent([deploy("prod"), ANSWER], { modules });
    const { world, floor, says, over } = await sit(worker, { mode: "confirm" });
    await world.until((seen) => seen.kind === "live:state" && seen.state === "asking");
    floor.take();
    await world.until((seen) => seen.kind === "question" && seen.ended !== undefined);
    await says("Not that.");
    expect(await over).toMatchObject({ status: "Submitted" });
    expect(done).toEqual([]);
  });

  it("has no second word to take: that is the end of it, and nothing says how it ended", async () => {
    const { model, asked } = slow([ANSWER]);
    const { world, floor, stop, over } = await sit({ model });
    await asked;
    floor.take();
    expect(floor.take()).toBe(false);
    stop.abort();
    expect(await over).toBeUndefined();
    expect((await world.kinds("1", "notice")).map(({ reason }) => reason)).not.toContain("ended");
  });

  it("goes on also by what is said elsewhere", async () => {
    const { model, asked } = slow([ANSWER]);
    const { world, floor, shown, over } = await sit({ model });
    await asked;
    floor.take();
    await world.until(
      (seen) =>
        seen.kind === "event" && seen.event.kind === "message" && seen.event.message.delivery === "abort",
    );
    await world.idle();
    await world.say("1", "From another terminal.");
    expect(await over).toMatchObject({ status: "Submitted" });
    expect(shown.at(-1)).toBeUndefined();
    expect(floor.take()).toBe(true);
  });

  it("goes on by what was said elsewhere before it had stopped", async () => {
    const { model, asked } = slow([ANSWER]);
    const { world, floor, over } = await sit({ model });
    await asked;
    floor.take();
    await world.say("1", "From another terminal.");
    expect(await over).toMatchObject({ status: "Submitted" });
  });

  it("is none before it has its task", () => {
    expect(createFloor(() => false).take()).toBe(false);
  });
});

describe("a run whose person says the actions", () => {
  const waiting = async () => {
    const at = await sit({ script: [ANSWER] }, { mode: "human" });
    await at.world.until((seen) => seen.kind === "live:state" && seen.state === "asking");
    return at;
  };

  it("is at nothing that could be stopped while it waits for one", async () => {
    const { world, floor, shown } = await waiting();
    expect(floor.take()).toBe(true);
    expect(shown).toEqual([
      {
        title: "stopped",
        ways: "what you type is done · /c or /y: the model goes on · Ctrl-C ends the run",
      },
    ]);
    await floor.heard("command");
    expect(shown.at(-1)).toBeUndefined();
    expect((await story(world)).filter((line) => /top what/.test(line))).toEqual([]);
  });

  it("tells the agent nothing where they enter nothing", async () => {
    const { world, floor, says, shown } = await waiting();
    floor.take();
    await says("");
    expect(shown.at(-1)).toBeUndefined();
    expect(await story(world)).not.toContain("message: Go on with your task.");
  });
});

describe("what is handed in, where that is to be confirmed", () => {
  it("is shown, and ends the run where nothing is said", async () => {
    const { shown, sees, says, over } = await sit({ script: [ANSWER] }, { confirmsExit: true });
    await sees("handed in");
    expect(shown.at(-1)).toEqual({
      title: "handed in",
      text: ANSWER,
      ways: "Enter ends the run · what you type is a new task · Ctrl-C: later, by --resume",
    });
    await says("");
    expect(await over).toMatchObject({ status: "Submitted", submission: ANSWER });
  });

  it("may be answered with a new task", async () => {
    const { world, sees, says, over } = await sit({ script: [ANSWER, "Again."] }, { confirmsExit: true });
    await sees("handed in");
    await says("More.");
    await world.until(
      (seen) => seen.kind === "event" && seen.event.kind === "decision" && seen.event.text === "Again.",
    );
    await sees("handed in");
    await says("");
    expect(await over).toMatchObject({ status: "Submitted", submission: "Again." });
    const ends = (await world.kinds("1", "notice")).filter(({ reason }) => reason === "ended");
    expect(ends).toHaveLength(1);
  });

  it("is not asked about where it ended otherwise", async () => {
    const { shown, over } = await sit({ script: [], limits: { steps: 0 } }, { confirmsExit: true });
    expect(await over).toMatchObject({ status: expect.not.stringMatching("Submitted") as string });
    expect(shown).toEqual([]);
  });
});
