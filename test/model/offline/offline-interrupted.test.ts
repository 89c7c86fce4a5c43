import { describe, expect, it } from "vitest";
import type { Model, Turn } from "../../../src/domain/model.ts";
import { createOfflineModel } from "../../../src/model/offline/offline.ts";
import type { World } from "../../world.ts";
import {
  createTeam,
  decisionsOf,
  expectDone,
  filesIn,
  goalsOf,
  idsTo,
  offlineAgents,
  PROJECT,
  SURVEYED,
  surveyOf,
} from "./offline-world.ts";

/** Resumes whoever was parked. */
async function resume({ legion }: World): Promise<void> {
  for (const { agent, resume } of legion.agents.values()) if (agent!.memory.conversation.halt) await resume();
}

/** Shows the offline model a history without its beginning, as compaction does; `cut` says where it begins. */
function forgetful(
  cut: (seen: { readonly turns: readonly Turn[]; readonly agent: string; from: number }) => number,
): Model {
  const model = createOfflineModel();
  const forgotten = new Map<string, number>();
  const summary: Turn = { role: "user", text: "Several events are omitted here." };
  return {
    ...model,
    complete(request, run) {
      const agent = /agent id (\d+)/.exec(request.system)![1]!;
      const from = cut({ turns: request.turns, agent, from: forgotten.get(agent) ?? 0 });
      forgotten.set(agent, from);
      const turns = from > 0 ? [summary, ...request.turns.slice(from)] : request.turns;
      return model.complete({ ...request, turns }, run);
    },
  };
}

/** Where the newest decision stands: it and what came after it stay. */
function newestIn(turns: readonly Turn[]): number {
  return Math.max(
    0,
    turns.findLastIndex(({ role }) => role === "assistant"),
  );
}

/** Forgets all but the newest, when `agent` decides for the `nth` time. */
function forgetfulOnce(forgetter: string, nth: number): Model {
  let decisions = 0;
  return forgetful(({ turns, agent, from }) => {
    if (agent !== forgetter || ++decisions !== nth) return from;
    return newestIn(turns);
  });
}

/** Forgets the older half whenever there is more than `maxChars`. */
function forgetfulPast(maxChars: number): Model {
  const charsFrom = (turns: readonly Turn[], from: number): number =>
    JSON.stringify(turns.slice(from)).length;
  return forgetful(({ turns, from }) => {
    if (charsFrom(turns, from) <= maxChars) return from;
    while (
      from < newestIn(turns) &&
      (charsFrom(turns, from) > maxChars / 2 || turns[from]!.role === "results")
    )
      from++;
    return from;
  });
}

describe("a survey that is interrupted", () => {
  it.each([1, 2, 3, 4, 5, 6])("after %i decisions of each agent goes on", async (steps) => {
    const world = await createTeam(idsTo(3), PROJECT, { extra: { limits: { steps } } });
    await world.say("1", "survey .");
    await world.idle();
    const again = await world.restart(offlineAgents(idsTo(3)));
    await resume(again);
    await again.idle();
    await expectDone(again, idsTo(3));
    expect([...(await filesIn(again)).keys()].toSorted()).toEqual(SURVEYED);
  });

  it.each([1, 2, 3])("after %i decisions gives way to a new one, with whoever runs then", async (steps) => {
    const world = await createTeam(idsTo(3), PROJECT, { extra: { limits: { steps } } });
    await world.say("1", "survey .");
    await world.idle();
    const again = await world.restart(offlineAgents(idsTo(2)));
    await again.say("1", "survey .");
    await resume(again);
    await again.idle();
    await expectDone(again, idsTo(2));
    expect(await surveyOf(again)).not.toContain("Agent 3");
    expect([...(await filesIn(again)).keys()].toSorted()).toEqual(SURVEYED);
  });

  it.each(["1", "2"].flatMap((id) => [2, 3, 4, 5, 6].map((nth) => [id, nth] as const)))(
    "because agent %s forgets everything at its decision %i starts over",
    async (id, nth) => {
      const world = await createTeam(idsTo(3), PROJECT, { extra: { model: forgetfulOnce(id, nth) } });
      await world.say("1", "survey .");
      await world.idle();
      expect(await expectDone(world, idsTo(3))).toContain("9 files");
      expect([...(await filesIn(world)).keys()].toSorted()).toEqual(SURVEYED);
    },
  );

  it("because an agent forgets its share is walked by the one that was asked", async () => {
    const files = Array.from({ length: 300 }, (_, n) => [`file-${n}.txt`, `${n}\n`]);
    const extra = { model: forgetfulOnce("2", 3) };
    const world = await createTeam(idsTo(2), Object.fromEntries(files), { extra });
    await world.say("1", "survey .");
    await world.idle();
    expect(await expectDone(world, idsTo(2))).toMatch(
      /300 files, 300 lines, .* 0 not read\. Walked by Agent 1\./,
    );
  });

  it.each([2_500, 5_000])("because no more than %i characters can be seen gives up", async (maxChars) => {
    const files = Array.from({ length: 90 }, (_, n) => [`d${n % 9}/file-${n}.md`, `# Heading ${n}\n`]);
    const extra = { model: forgetfulPast(maxChars) };
    const world = await createTeam(idsTo(3), Object.fromEntries(files), { extra });
    await world.say("1", "survey .");
    await world.idle();
    expect(await expectDone(world, [])).toBe('The survey of "." has failed: it takes more room than I have.');
    for (const id of idsTo(3)) {
      expect(goalsOf(world, id).every(({ complete }) => complete)).toBe(true);
      expect(await decisionsOf(world, id)).toBeLessThanOrEqual(40);
    }
  });
});
