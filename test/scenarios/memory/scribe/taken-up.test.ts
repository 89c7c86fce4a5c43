// What a scribe was at when a person stopped it, had it go on from an earlier moment, or made another one of it.

import { describe, expect, it } from "vitest";
import type { AgentId } from "../../../../src/domain/message/message.ts";
import { createFileBackend } from "../../../../src/storage/files/backend.ts";
import { createMemoryBackend } from "../../../../src/storage/memory/backend.ts";
import { createHandClock } from "../../../hand-clock.ts";
import { courseOf, POLITE, QUIET } from "../../../observed.ts";
import { byHand, createWorldInMemory, openWorld, temporaryFolder, toPlan } from "../../../world.ts";
import { answerTo, entriesOf, MEMORY, obliging, scribeOf, scripted } from "./listening.ts";

/** A scribe whose model is stopped at its question `index`, from 0, and would wait for ever there. */
async function stoppable(index = 0) {
  const backend = createMemoryBackend();
  const clock = createHandClock();
  const asked = byHand();
  const model = scripted(({ tools }, at) => answerTo(tools[0]?.name, at));
  const complete: typeof model.complete = async (request, options) => {
    const isStopped = model.requests.length === index;
    const answer = await model.complete(request, options);
    if (!isStopped) return answer;
    asked.resolve();
    const { signal } = options;
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  const world = await createWorldInMemory(
    { "1": QUIET, "2": QUIET, scribe: scribeOf({ ...model, complete }) },
    { backend, clock },
  );
  return {
    ...{ world, clock, model, backend },
    async stop() {
      await asked.promise;
      await world.legion.control.say(["scribe"], "", "abort");
      await world.idle();
    },
    course: async () => courseOf(await world.events("scribe")),
    said: async () => (await entriesOf(backend)).map(({ raw }) => raw),
  };
}

describe("a scribe that a person aborts", () => {
  it("stops what it is at, and takes that up again with the next thing that somebody says", async () => {
    const { world, stop, said, course } = await stoppable();
    await world.say("1", "One");
    await stop();
    expect(await said()).toEqual([]);
    await world.say("2", "Two");
    await world.idle();
    expect(await said()).toEqual(["One", "Two"]);
    expect((await course()).slice(4)).toEqual([
      ...["process_message 0,1 1: One", "asked", "model:"],
      ...["process_message 0,1", "asked", "model: add_entry", "rules: Message processed."],
      ...["start_session 0,2", "rules: get_context", "rules: list_entries", "rules:"],
      ...["process_message 0,2 1: Two", "asked", "model: add_entry", "rules: Message processed."],
    ]);
  });

  it("takes it up again when a conversation has been silent for long enough, if nobody says anything", async () => {
    const { world, clock, stop, said, course } = await stoppable();
    await world.say("1", "One");
    await stop();
    clock.advance(30 * 60_000);
    await world.idle();
    expect(await said()).toEqual(["One"]);
    expect((await course()).slice(-5)).toEqual([
      ...["end_session 0,1", "rules: await_consistency", "asked", "model: put_context"],
      "rules: Session ended.",
    ]);
  });

  it("goes on with what waited already, and with a word that it is told itself", async () => {
    const { world, stop, said } = await stoppable();
    await world.say("1", "One");
    await world.say("1", "Two");
    await stop();
    expect(await said()).toEqual(["One", "Two"]);
    const told = await stoppable();
    await told.world.say("1", "One");
    await told.stop();
    await told.world.say("scribe", "Go on");
    await told.world.idle();
    expect(await told.said()).toEqual(["One"]);
  });

  it("asks for the context again that was not made, without a word of what was wrong with it", async () => {
    const { world, clock, stop, model, course } = await stoppable(1);
    await world.say("1", "One");
    await world.idle();
    clock.advance(30 * 60_000);
    await stop();
    await world.say("2", "Two");
    await world.idle();
    const lines = await course();
    expect(lines.slice(lines.indexOf("end_session 0,1"), lines.indexOf("start_session 0,2"))).toEqual([
      ...["end_session 0,1", "rules: await_consistency", "asked", "model:"],
      ...["end_session 0,1", "asked", "model: put_context", "rules: Session ended."],
    ]);
    const [, first, second] = model.requests;
    expect(second!.system).toBe(first!.system);
  });
});

describe("an entry of a message that is there already", () => {
  const open = async () => {
    const project = await temporaryFolder();
    const backend = createFileBackend(project);
    return {
      backend,
      start: (agents: Parameters<typeof openWorld>[1]) => openWorld(project, agents, { backend }),
      said: async () => (await entriesOf(backend)).map(({ raw }) => raw),
    };
  };

  it.each([undefined, "copy"] satisfies readonly (AgentId | undefined)[])(
    "is not kept where the log of the scribe goes on from the middle of it, as %s; what follows is",
    async (as) => {
      const { start, said } = await open();
      const world = await start({ "1": POLITE, scribe: scribeOf(obliging()) });
      await world.say("1", "One");
      await world.idle();
      const heard = (await world.kinds("scribe", "observed")).findLast(({ message }) => message);
      const forked = await world.legion.fork({ agent: "scribe", at: heard!.seq, ...(as && { as }) });
      await forked.done;
      if (as) await world.legion.host(toPlan("copy", scribeOf(obliging(), { observe: ["1"] })));
      await world.idle();
      expect(await said()).toEqual(["One", "You said: One"]);
      await world.say("1", "Two");
      await world.idle();
      expect(await said()).toEqual(["One", "You said: One", "Two", "You said: Two"]);
      const entered = (await world.kinds(as ?? "scribe", "result")).filter(({ sends }) => sends);
      expect(entered.length).toBeGreaterThan(2);
    },
  );

  it("does not come back where it is forgotten, whoever hears it again", async () => {
    const { backend, start, said } = await open();
    const world = await start({ "1": QUIET, scribe: scribeOf(obliging()) });
    await world.say("1", "My number is 7313");
    await world.idle();
    await backend.memories.change(MEMORY, async () => [
      { kind: "forgotten", seqs: [2], entries: 1, by: "0" },
    ]);
    const heard = (await world.kinds("scribe", "observed")).findLast(({ message }) => message);
    const forked = await world.legion.fork({ agent: "scribe", at: heard!.seq });
    await forked.done;
    await world.idle();
    expect((await world.kinds("scribe", "result")).filter(({ sends }) => sends)).toHaveLength(2);
    expect(await said()).toEqual([]);
  });
});
