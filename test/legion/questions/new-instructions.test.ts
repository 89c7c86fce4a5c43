import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createScriptedModel } from "../../../src/model/scripted/scripted.ts";
import { createTempProject } from "../../temp-project.ts";
import { NOOP, story, textOf } from "../../workshop.ts";
import { openWorld } from "../../world.ts";
import type { Death } from "./dying-process.ts";
import { doneIn, yardIn } from "./yard.ts";

async function kill(death: Death): Promise<void> {
  const child = fork(join(import.meta.dirname, "dying-process.ts"), { execArgv: ["--import", "tsx"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.send(death);
  expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
}

it.each([
  ["the person said it", '"content":"Leave that."', "0", 1],
  ["the question was given up", '"verdict":"superseded"', "1", 1],
  ["the asked call got its result", "Not run: new instructions came first.", "1", 1],
  ["the call after it got one, too", "Not run: new instructions came first.", "1", 2],
  ["the word was taken in", '"content":"Leave that."', "1", 1],
])(
  "a person's word instead of an answer is heard, and nothing else is run, also where kill -9 comes right after %s (A2, A3, A6)",
  async (_, after, of, nth) => {
    const project = await createTempProject();
    await kill({ project, after, of, nth });
    const model = createScriptedModel([NOOP]);
    const world = await openWorld(project, { "1": { model, policy: [], modules: yardIn(project) } });
    await world.idle();
    expect(await doneIn(project)).toEqual(["look"]);
    const told = (await story(world)).filter((line) => !["approval", "notice: restarted"].includes(line));
    expect(told).toEqual([
      "message: Go.",
      "decision: 3 calls",
      "ok: looked",
      "idle: Not run: new instructions came first.",
      "idle: Not run: new instructions came first.",
      "message: Leave that.",
      "decision: 1 calls",
      expect.stringMatching(/^idle:/),
    ]);
    expect((await story(world)).filter((line) => line.startsWith("notice"))).toEqual([]);
    expect(textOf(model.requests[0]!)).toContain("Leave that.");
    expect(world.legion.questions()).toEqual([]);
  },
);

it("the word of another program is none: the question waits for the person, and it is read afterwards", async () => {
  const project = await createTempProject();
  const model = createScriptedModel([
    { calls: [{ action: "deploy", parameters: { to: "prod" } }] },
    NOOP,
    NOOP,
  ]);
  const world = await openWorld(project, { "1": { model, policy: [], modules: yardIn(project) } });
  await world.say("1", "Go.");
  await world.until(({ kind }) => kind === "question");
  const [question] = world.legion.questions();
  await world.legion.control.relay({ targets: ["1"], content: "Leave that.", request: "r-1" });
  await world.legion.approve(question!.id);
  await world.idle();
  expect(await doneIn(project)).toEqual(["prod"]);
  const told = (await story(world)).filter((line) => line.startsWith("message") || line.startsWith("ok"));
  expect(told).toEqual([
    "message: Go.",
    "ok: deployed to prod",
    "message: Leave that.",
    `message: approved ${question!.id}`,
  ]);
});
