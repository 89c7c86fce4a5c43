import { describe, expect, it } from "vitest";
import { createAlarms } from "../../src/legion/announcements.ts";
import { LegionError } from "../../src/base/errors.ts";
import { createScriptedModel } from "../../src/model/scripted/scripted.ts";
import { createHandClock } from "../hand-clock.ts";
import { createWorldInMemory as createWorld } from "../world.ts";

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function setUp() {
  const said: string[] = [];
  const clock = createHandClock();
  const announce = (_: readonly string[], content: string): Promise<void> => {
    said.push(content);
    return Promise.resolve();
  };
  return { said, clock, alarms: createAlarms({ announce }, clock) };
}

describe("what Control is told of troubles", () => {
  it("is one message for the first agent, and one for all others with the same trouble", async () => {
    const model = createScriptedModel(() => ({ error: { code: "MODEL_REFUSED", message: "401 bad key" } }));
    const clock = createHandClock();
    const ids = Array.from({ length: 25 }, (_, index) => String(index + 1));
    const world = await createWorld(Object.fromEntries(ids.map((id) => [id, { model }])), { clock });
    await world.say("all", "Go.");
    await world.idle();
    expect(await world.kinds("0", "message")).toHaveLength(1);
    clock.advance(60_000);
    await world.idle();
    await world.stop();
    const [first, second, ...more] = await world.kinds("0", "message");
    expect(first?.message.content).toBe("I was stopped: 401 bad key");
    expect(second?.message.content).toMatch(
      /^Agent \d+(, Agent \d+){19} and 4 more were stopped for the same reason: 401 bad key$/,
    );
    expect(more).toEqual([]);
  });

  it("is told again after that, and of other troubles at once", async () => {
    const { alarms, clock, said } = setUp();
    expect(alarms.isNews("1", "a")).toBe(true);
    expect(alarms.isNews("2", "b")).toBe(true);
    expect(alarms.isNews("3", "a")).toBe(false);
    clock.advance(60_000);
    await settled();
    expect(said).toEqual(["Agent 3 was stopped for the same reason: a"]);
    expect(alarms.isNews("1", "a")).toBe(true);
  });

  it("is told at the end of the node, whatever still waited", async () => {
    const { alarms, said } = setUp();
    alarms.tellControl("1", "a", "Agent 1 goes on.");
    alarms.tellControl("2", "a", "Agent 2 goes on.");
    await alarms.close();
    expect(said).toEqual(["Agent 1 goes on.", "Agent 2 was stopped for the same reason: a"]);
  });

  it("is told once, also where nobody knows whether it was heard", async () => {
    const said: string[] = [];
    const announce = (_: readonly string[], content: string): Promise<void> => {
      said.push(content);
      return Promise.reject(new LegionError("STORAGE", "Redis did not answer in time."));
    };
    const alarms = createAlarms({ announce }, createHandClock());
    alarms.tellControl("1", "a", "Agent 1 goes on.");
    await alarms.close();
    expect(said).toEqual(["Agent 1 goes on."]);
  });

  it("is told of a provider that comes and goes once in ten minutes", async () => {
    const { alarms, clock, said } = setUp();
    for (let time = 0; time < 5; time++) {
      alarms.outage("openai", "it broke.");
      alarms.outage("openai");
      clock.advance(100_000);
    }
    await settled();
    expect(said).toEqual([
      "openai does not answer: it broke. Its agents wait, and try again from time to time.",
      "openai answers again.",
    ]);
    clock.advance(200_000);
    alarms.outage("openai", "127.0.0.1:11434 answered 500: oops");
    await alarms.close();
    expect(said.slice(2)).toEqual([
      "openai does not answer: 127.0.0.1:11434 answered 500: oops. Its agents wait, and try again from time to time.",
    ]);
  });
});
