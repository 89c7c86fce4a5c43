import { describe, expect, it } from "vitest";
import { core } from "../../modules/core.ts";
import { defineModule } from "../../src/domain/authoring/module.ts";
import { createMemoryBackend } from "../../src/storage/memory/backend.ts";
import { collectGarbage } from "../garbage.ts";
import { NOOP } from "../workshop.ts";
import { byHand, createWorld, toPlan, type WorldAgent, type WorldOptions } from "../world.ts";

const GOAL: WorldAgent = {
  script: [{ calls: [{ action: "addGoal", parameters: { goal: "rest" } }] }, NOOP],
};
const SILENT: WorldAgent = { script: () => NOOP };

const places: readonly (readonly [string, () => WorldOptions])[] = [
  ["files", () => ({})],
  ["memory", () => ({ backend: createMemoryBackend() })],
];

describe.each(places)("a legion in %s that runs", (_, options) => {
  it("takes in an agent that it has not known, which is a peer from then on", async () => {
    const world = await createWorld({ 1: SILENT }, options());
    const { standing } = await world.legion.host(toPlan("late", GOAL));
    expect(standing.state).not.toBe("stopped");
    await world.say("late", "What for?");
    await world.idle();
    expect(await world.kinds("late", "result")).toMatchObject([{ outcome: "ok" }, { outcome: "idle" }]);
    expect(await world.legion.peers()).toMatchObject([{ id: "1" }, { id: "late", running: true }]);
  });

  it("runs an agent that rested until now, with the mail that waited for it, once", async () => {
    const first = await createWorld({ 1: SILENT, 2: GOAL }, options());
    await first.stop();
    const world = await first.restart({ 1: SILENT });
    await world.say("2", "Good morning.");
    expect(await world.legion.unread("2")).toBe(1);
    await world.legion.host(toPlan("2", GOAL));
    await world.idle();
    expect((await world.kinds("2", "message")).map(({ message }) => message.content)).toEqual([
      "Good morning.",
    ]);
    expect(await world.kinds("2", "result")).toHaveLength(2);
  });

  it("runs one again that was stopped, as another if the plan says so", async () => {
    const world = await createWorld({ 1: SILENT }, options());
    await world.legion.dismiss("1");
    await world.legion.host(toPlan("1", GOAL));
    await world.say("1", "Once more.");
    await world.idle();
    expect(await world.kinds("1", "result")).toMatchObject([{ outcome: "ok" }, { outcome: "idle" }]);
  });

  it("refuses a second one of a name, also where both come at once, and goes on", async () => {
    const world = await createWorld({ 1: SILENT }, options());
    const both = await Promise.allSettled(["2", "2"].map((id) => world.legion.host(toPlan(id, GOAL))));
    expect(both).toMatchObject([
      { status: "fulfilled" },
      {
        status: "rejected",
        reason: { code: "USAGE", message: expect.stringContaining("runs here already") },
      },
    ]);
    await world.say("all", "Go.");
    await world.idle();
    expect(await world.kinds("2", "result")).toHaveLength(2);
  });

  it("closes one that is done, counts on what it has spent, and takes it in again where it was", async () => {
    const world = await createWorld({ 1: SILENT }, options());
    const { legion } = world;
    for (const turn of [1, 2]) {
      // Once it is known, it has mail also while nothing of it is open.
      if (turn === 2) await world.say("late", "Task 2.");
      await legion.host(toPlan("late", { script: () => NOOP }));
      if (turn === 1) await world.say("late", "Task 1.");
      await world.idle();
      const spent = legion.budget.spent();
      expect(spent.steps).toBe(turn);
      await legion.retire("late");
      expect(legion.budget.spent()).toEqual(spent);
      expect(legion.budget.spentHere()).toEqual(spent);
      expect([legion.agents.has("late"), legion.known()]).toEqual([false, ["1", "late"]]);
    }
    expect((await world.kinds("late", "message")).map(({ message }) => message.content)).toEqual([
      "Task 1.",
      "Task 2.",
    ]);
  });

  it("limits others by what those have spent that it has closed (G1, G2)", async () => {
    const world = await createWorld({ 1: SILENT }, { ...options(), limits: { steps: 1 } });
    await world.legion.host(toPlan("late", SILENT));
    await world.say("late", "Go.");
    await world.idle();
    await world.legion.retire("late");
    await world.say("1", "Go.");
    await world.idle();
    expect(world.agent("1").standing.state).toBe("parked");
  });

  it.each(["retired", "hosted again"] as const)(
    "limits others by what one has spent while it closes, as it is %s (G1, G2)",
    async (way) => {
      const world = await createWorld({ 1: SILENT }, { ...options(), limits: { steps: 1 } });
      const { legion } = world;
      const closing = byHand();
      const closed = byHand();
      const slow = defineModule({
        name: "slow",
        actions: {},
        instructions: ({ onClose }) => {
          onClose(() => {
            closing.resolve();
            return closed.promise;
          });
          return "Take your time.";
        },
      });
      await legion.host(toPlan("late", { ...SILENT, modules: [core, slow] }));
      await world.say("late", "Go.");
      await world.idle();
      if (way === "hosted again") await legion.dismiss("late");
      const gone = way === "retired" ? legion.retire("late") : legion.host(toPlan("late", SILENT));
      await closing.promise;
      await world.say("1", "Go.");
      await world.idle();
      closed.resolve();
      await gone;
      await world.idle();
      expect(legion.budget.spent().steps).toBe(1);
      expect(world.agent("1").standing.state).toBe("parked");
    },
  );

  it("stops whom it took in with the others, after what they are at", async () => {
    const world = await createWorld({}, options());
    const asked = byHand();
    const answer = byHand<typeof NOOP>();
    const script = (): Promise<typeof NOOP> => {
      asked.resolve();
      return answer.promise;
    };
    await world.legion.host(toPlan("late", { script }));
    await world.say("late", "Think.");
    await asked.promise;
    const stopped = world.stop();
    answer.resolve(NOOP);
    await stopped;
    expect(await world.kinds("late", "result")).toHaveLength(1);
  });
});

it("a legion in files that runs holds nothing of one that is done but what it has spent", async () => {
  const world = await createWorld({ 1: SILENT });
  await world.legion.host(toPlan("late", SILENT));
  await world.say("late", "Go.");
  await world.idle();
  const ledger = new WeakRef(world.agent("late").memory.ledger);
  await world.legion.retire("late");
  await expect.poll(() => (collectGarbage(), ledger.deref())).toBeUndefined();
  expect(world.legion.budget.spent().steps).toBe(1);
});
