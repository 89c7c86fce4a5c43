import { expect, it } from "vitest";
import { headStart } from "../../../src/legion/opening/head-start.ts";
import { createOpenAiModel } from "../../../src/model/openai/openai.ts";
import { createScriptedModel } from "../../../src/model/scripted/scripted.ts";
import { createHandClock } from "../../hand-clock.ts";
import { openProgram } from "../../library/programs.ts";
import { useLoopback } from "../../model/loopback.ts";
import { createTempProject } from "../../temp-project.ts";

const profile = createScriptedModel([]).profile;
const never = new AbortController().signal;
const loopback = useLoopback();

it("a node that starts is alone with its first request until that has left, and waits for no answer", async () => {
  const asked = new Promise<void>((resolve) => loopback.server.reply(() => resolve()));
  const baseUrl = `${loopback.server.url}/v1`;
  const model = createOpenAiModel({ id: "m", profile, apiKey: "key", baseUrl });
  const { spawn, runtime } = await openProgram({ project: await createTempProject(), model });
  await spawn();
  const clock = createHandClock();
  await runtime.control.say(["1"], "Begin.");
  await headStart(runtime, clock, never);
  await asked;
  expect(clock.sleeping()).toEqual([]);
});

it("where nobody has anything to ask, a node that starts waits for nothing", async () => {
  const { runtime } = await openProgram({ project: await createTempProject() });
  const clock = createHandClock();
  await headStart(runtime, clock, never);
  expect(clock.sleeping()).toEqual([]);
});

it("where nothing leaves soon, a node that starts goes on, and also where it is to end", async () => {
  const model = createScriptedModel(() => new Promise<string>(() => undefined));
  const { spawn, runtime } = await openProgram({ project: await createTempProject(), model });
  await spawn();
  await runtime.control.say(["1"], "Begin.");
  const clock = createHandClock();
  const late = headStart(runtime, clock, never);
  clock.advance(await clock.asleep());
  await late;
  const ending = new AbortController();
  const cut = headStart(runtime, clock, ending.signal);
  await clock.asleep();
  ending.abort();
  await cut;
  expect(clock.sleeping()).toEqual([]);
});
