import { describe, expect, it } from "vitest";
import type { EventOf } from "../../../src/domain/event/event.ts";
import { fieldsOf } from "../../../src/base/text/json.ts";
import { readKnots } from "../../../src/legion/knots/reading.ts";
import { recordedStandings } from "../../../src/legion/knots/sources.ts";
import { core } from "../../../modules/core.ts";
import { messaging } from "../../../modules/messaging.ts";
import { system } from "../../../modules/system/index.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { createHandClock } from "../../hand-clock.ts";
import { NOOP } from "../../workshop.ts";
import { createWorld, type World } from "../../world.ts";

const ask = (to: string, more: Readonly<Record<string, unknown>> = {}) => ({
  calls: [
    {
      action: "sendMessage",
      parameters: { targetAgentId: to, message: "Which one?", needsAnswer: true, ...more },
    },
  ],
});
const answer = (to: string, ...answers: readonly string[]) => ({
  calls: [{ action: "sendMessage", parameters: { targetAgentId: to, message: "The first.", answers } }],
});
const plain = (text: string) => ({ text, calls: [] });

/** Of what Control was told of knots: the messages that were open. */
async function told(world: World): Promise<readonly unknown[]> {
  const notices = (await world.kinds("0", "notice")) as readonly EventOf<"notice">[];
  return notices.flatMap(({ details }) => {
    const { knot } = fieldsOf(details);
    return knot === undefined ? [] : [knot];
  });
}

const open = async ({ legion }: World) => (await legion.knots()).map((knot) => knot.open);

describe("a knot", () => {
  it("is told of once, with what is open, when the last of it comes to rest, and after a restart no more (W9)", async () => {
    const world = await createWorld({
      "1": { script: [ask("2"), NOOP, NOOP] },
      "2": { script: [ask("1"), NOOP, NOOP] },
      "3": { script: [ask("1"), NOOP] },
    });
    await world.say(["1", "2"], "Settle it");
    await world.idle();
    expect(await open(world)).toEqual([["1>2#1", "2>1#1"]]);
    expect(await told(world)).toEqual([["1>2#1", "2>1#1"]]);
    const [notice] = await world
      .kinds("0", "notice")
      .then((all) => all.filter(({ reason }) => reason === "announced"));
    expect(notice!.content).toBe(
      "Agent 1, Agent 2 wait for each other's answers, and none of them goes on by itself: Agent 1 for Agent 2 (1>2#1), " +
        "Agent 2 for Agent 1 (2>1#1). A word of yours to one of them unties it.",
    );
    const again = await world.restart({
      "1": { script: () => NOOP },
      "2": { script: () => NOOP },
      "3": { script: [ask("1"), NOOP] },
    });
    await again.idle();
    expect(await open(again)).toEqual([["1>2#1", "2>1#1"]]);
    expect(await told(again)).toEqual([["1>2#1", "2>1#1"]]);
    await again.say("3", "You, too");
    await again.idle();
    // It waits for one of a knot, and is not of it.
    expect(await told(again)).toEqual([["1>2#1", "2>1#1"]]);
    await again.stop();
    const stored = await readKnots(recordedStandings(createFileReader(world.project)));
    expect(stored.map(({ agents }) => agents)).toEqual([["1", "2"]]);
  });

  it("is untied by a person's word to any of it, whatever that agent then does", async () => {
    const world = await createWorld({
      "1": { script: [ask("2"), NOOP, NOOP, NOOP] },
      "2": { script: [ask("1"), NOOP, NOOP] },
    });
    await world.say(["1", "2"], "Settle it");
    await world.idle();
    expect(await open(world)).toHaveLength(1);
    await world.say("1", "Go on without");
    await world.idle();
    expect(await open(world)).toEqual([]);
    expect(await told(world)).toHaveLength(1);
  });

  it.each([
    ["an answer", answer("1", "1>2#1")],
    ["a plain answer", plain("The first.")],
    [
      "a refusal to answer",
      {
        calls: [
          { action: "sendMessage", parameters: { targetAgentId: "1", message: "No.", declines: ["1>2#1"] } },
        ],
      },
    ],
  ])("is none after %s (W6)", async (_, reply) => {
    const world = await createWorld({
      "1": { script: [ask("2"), NOOP, NOOP, NOOP] },
      "2": { script: [ask("1"), reply, NOOP, NOOP, NOOP] },
    });
    await world.say("1", "Settle it");
    await world.idle();
    expect([...world.agent("1").memory.conversation.waiting.asked.keys()]).toEqual([]);
    expect(await told(world)).toEqual([]);
  });

  it("stays after messages that answer nothing, though they are replies (W6)", async () => {
    const world = await createWorld({
      "1": { script: [ask("2"), NOOP, NOOP, NOOP] },
      "2": { script: [ask("1"), NOOP, NOOP, NOOP] },
    });
    await world.say("1", "Settle it");
    await world.idle();
    const [asked] = (await world.kinds("2", "result")).flatMap(({ sends = [] }) => sends);
    expect(asked!.re).toBe("1>2#1");
    expect(await told(world)).toEqual([["1>2#1", "2>1#1"]]);
  });

  it("is none where one of it waits for the person as well, or is stopped by them", async () => {
    const world = await createWorld({
      "1": { script: [ask("2"), NOOP, NOOP] },
      "2": { script: [ask("1,0"), NOOP, NOOP] },
      "3": { script: [ask("4"), NOOP, NOOP] },
      "4": { script: [ask("3"), NOOP, NOOP] },
    });
    await world.say(["1", "2"], "Settle it");
    await world.idle();
    expect(await told(world)).toEqual([]);
    await world.legion.agents.get("4")!.pause("by Control");
    await world.say("3", "Settle it");
    await world.say("4", "Settle it");
    await world.idle();
    expect(await told(world)).toEqual([]);
  });

  it("is none where one of it asked another one who may still answer, though a person has spoken since", async () => {
    const world = await createWorld({
      "1": { script: [ask("3"), NOOP, ask("2"), NOOP, NOOP] },
      "2": { script: [ask("1"), NOOP, NOOP] },
      "3": { script: () => NOOP },
    });
    await world.say("1", "Settle it");
    await world.idle();
    await world.say("1", "Settle it with 2");
    await world.idle();
    expect([...world.agent("1").memory.conversation.waiting.asked.keys()]).toEqual(["1>3#1", "1>2#1"]);
    expect(await open(world)).toEqual([]);
    expect(await told(world)).toEqual([]);
  });

  it("is found once a command has ended that one of it ran in the background", async () => {
    const start = { calls: [{ action: "startCommand", parameters: { command: "sleep 1000" } }] };
    const modules = [core, messaging, system];
    const clock = createHandClock();
    const world = await createWorld(
      {
        "1": { script: [ask("2"), NOOP, NOOP] },
        "2": { script: [start, ask("1"), NOOP, NOOP], modules },
      },
      { clock },
    );
    await world.say("2", "Settle it");
    await world.idle();
    expect(await open(world)).toEqual([]);
    expect(await told(world)).toEqual([]);
    await world.agent("2").background.close();
    await clock.asleep(1_000);
    clock.advance(60_000);
    await world.until(
      (seen) => seen.kind === "event" && seen.event.kind === "notice" && seen.event.reason === "announced",
    );
    expect(await told(world)).toEqual([["1>2#1", "2>1#1"]]);
  });

  it.each([false, true])(
    "is told of by the next start where a command held it open, agents at rest closed: %s",
    async (closesIdle) => {
      const start = { calls: [{ action: "startCommand", parameters: { command: "sleep 1000" } }] };
      const modules = [core, messaging, system];
      const quiet = { script: () => NOOP, modules };
      const world = await createWorld(
        {
          "1": { script: [ask("2"), NOOP, NOOP], modules },
          "2": { script: [start, ask("1"), NOOP, NOOP], modules },
        },
        { closesIdle },
      );
      await world.say("2", "Settle it");
      await world.idle();
      expect(await told(world)).toEqual([]);
      const again = await world.restart({ "1": quiet, "2": quiet });
      await again.idle();
      expect(await told(again)).toEqual([["1>2#1", "2>1#1"]]);
    },
  );
});
