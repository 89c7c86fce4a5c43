// A person ends the sessions that there are.

import { describe, expect, it } from "vitest";
import { createFileBackend } from "../../../../src/storage/files/backend.ts";
import { createHandClock } from "../../../hand-clock.ts";
import { openWorld, temporaryFolder, type WorldAgent } from "../../../world.ts";
import { courseOf, QUIET } from "../../../observed.ts";
import { answerTo, contextsOf, entriesOf, obliging, scribeOf, scripted } from "./listening.ts";

async function open() {
  const project = await temporaryFolder();
  const backend = createFileBackend(project);
  const clock = createHandClock();
  return {
    ...{ backend, clock },
    start: (agents: Readonly<Record<string, WorldAgent>>) => openWorld(project, agents, { backend, clock }),
  };
}

/** Somebody comes to it, and waits until it is opened. */
function gate() {
  let reach!: () => void;
  let open!: () => void;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { reach, reached, open, opened };
}

describe("a scribe", () => {
  it("ends its sessions when a person says so, with all that was said until then, and begins new ones", async () => {
    const { start, backend, clock } = await open();
    const world = await start({ "1": QUIET, scribe: scribeOf(obliging()) });
    await world.say("1", "One");
    await world.idle();
    await world.say("scribe", "Flush");
    await world.idle();
    expect(await contextsOf(backend)).toHaveLength(1);
    clock.advance(1_000);
    await world.say("1", "Two");
    await world.idle();
    const sessions = courseOf(await world.events("scribe")).filter((line) => line.includes("session"));
    expect(sessions.join()).toBe("start_session 0,1,end_session 0,1,start_session 0,1");
    expect((await entriesOf(backend)).map(({ raw }) => raw)).toEqual(["One", "Two"]);
  });

  it("ends its sessions where a person said so also if more is said before it comes to that", async () => {
    const { start, backend, clock } = await open();
    const questions = [gate(), gate()];
    const model = scripted(async ({ tools }, index) => {
      questions[index]?.reach();
      await questions[index]?.opened;
      return answerTo(tools[0]?.name, index);
    });
    const world = await start({ "1": QUIET, scribe: scribeOf(model) });
    await world.say("1", "One");
    await questions[0]!.reached;
    await world.say("1", "Two");
    await world.say("scribe", "flush");
    questions[0]!.open();
    await questions[1]!.reached;
    clock.advance(1_000);
    await world.say("1", "Three");
    questions[1]!.open();
    await world.idle();
    const course = courseOf(await world.events("scribe")).filter((line) =>
      /^(?:start|process|end)/.test(line),
    );
    expect(course).toEqual([
      ...["start_session 0,1", "process_message 0,1 1: One", "end_session 0,1"],
      ...["start_session 0,1", "process_message 0,1 1: Two", "end_session 0,1"],
      ...["start_session 0,1", "process_message 0,1 1: Three"],
    ]);
    expect(await contextsOf(backend)).toHaveLength(2);
  });
});
