import { rm } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { compareLogs, describeDifference } from "../../../src/legion/replay/difference.ts";
import { legionPaths } from "../../../src/storage/folder/paths.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { checkCast, openRecording } from "../../../src/legion/replay/replay-legion.ts";
import { calls, legionOf, modulesWith, never, outside, record } from "./recorded.ts";
import { replay, replayLegion } from "./replays.ts";
import { createWorld, readEvents, type World, type WorldAgent } from "../../world.ts";

describe("a replay of a whole legion", () => {
  it(
    "makes the same decisions and the same logs, touches nothing, and can be replayed",
    { timeout: 60_000 },
    async () => {
      const { world, touched } = await record();
      const count = touched();
      const { project, decisions, difference } = await replayLegion(world.project, legionOf(never));
      expect(difference && describeDifference(difference)).toBe(undefined);
      expect(decisions).toBeGreaterThan(100);
      expect(touched()).toBe(count);
      for (const [id, agent] of Object.entries(legionOf(never))) {
        expect(compareLogs(id, await world.events(id), await readEvents(project, id))).toBe(undefined);
        const again = await replay(project, id, agent);
        expect(again.difference && describeDifference(again.difference)).toBe(undefined);
      }
    },
  );

  const talk: Readonly<Record<string, WorldAgent>> = {
    1: {
      script: [
        calls(["sendMessage", { targetAgentId: "2", message: "Are you there?" }]),
        calls(["noop", {}]),
        "Good.",
      ],
    },
    2: { script: ["Yes."], modules: modulesWith(never) },
  };
  const recordTalk = async (): Promise<World> => {
    const world = await createWorld(talk);
    await world.say("1", "Ask 2.");
    await world.idle();
    await world.stop();
    return world;
  };

  it("ends at the first difference of any agent, with both sides", async () => {
    const world = await recordTalk();
    const bold = { ...outside(never), instructions: () => "Touch the world boldly." };
    const today = { ...talk, 2: { ...talk["2"], modules: [...modulesWith(never).slice(0, -1), bold] } };
    const { difference } = await replayLegion(world.project, today);
    const [decision] = await world.kinds("2", "decision");
    expect(difference).toMatchObject({ agent: "2", part: `decision ${decision!.seq}: system prompt` });
    expect(describeDifference(difference!)).toMatch(
      /\n- Touch the world carefully\.\n\+ Touch the world boldly\.$/,
    );
  });

  it("tells of mail that cannot come any more instead of waiting for it", async () => {
    const world = await recordTalk();
    await rm(legionPaths(world.project).agent("0"), { recursive: true });
    const { difference } = await replayLegion(world.project, talk);
    const [first] = await world.kinds("1", "message");
    expect(difference).toMatchObject({
      agent: "1",
      part: `event ${first!.seq}: message`,
      today: "(nothing)",
    });
  });

  it("is refused for other agents than were recorded, with the known ids", async () => {
    const recording = await openRecording(createFileReader((await recordTalk()).project));
    expect(() => checkCast(recording, ["1", "2"])).not.toThrow();
    expect(() => checkCast(recording, ["1", "2", "3"])).toThrow("the recording has no agent 3; it has: 1, 2");
    expect(() => checkCast(recording, ["1"])).toThrow("the recording also has agent 2; start all of: 1, 2");
  });
});

describe("two logs", () => {
  it("are the same whatever their times, numbers and log names are, and differ in anything else", async () => {
    const agent: WorldAgent = { script: [calls(["addGoal", { goal: "one" }]), calls(["noop", {}])] };
    const live = async (goal = "one"): Promise<World> => {
      const script = [calls(["addGoal", { goal }]), calls(["noop", {}])];
      const world = await createWorld({ 1: { ...agent, script } });
      await world.say("1", "Work.");
      await world.idle();
      await world.stop();
      return world;
    };
    // Ids of native calls are the provider's: the same only in a replay.
    const [log, other] = [await (await live()).events("1"), await (await live("two")).events("1")];
    const shifted = log.map((event) => ({
      ...event,
      seq: event.seq + 7,
      epoch: 9,
      at: "2030-01-01T00:00:00.000Z",
    }));
    expect(compareLogs("1", log, shifted)).toBe(undefined);
    expect(compareLogs("1", log, other)?.part).toMatch(/^event \d+: decision$/);
    const last = log.findLast(({ kind }) => kind === "result")!;
    expect(
      compareLogs(
        "1",
        log,
        log.filter((event) => event !== last),
      ),
    ).toMatchObject({ seq: last.seq, today: "(nothing)" });
    expect(compareLogs("1", [], log)?.part).toBe("after its last event: message");
  });
});
