import { describe, expect, it } from "vitest";
import { totalUsage } from "../../src/past/ledger.ts";
import { json, text } from "../model/loopback.ts";
import { STREAMS, WIRES } from "./provider-wires.ts";
import { createPatientClock, statesOf, useProvider, type ProviderWorld } from "./provider-world.ts";

const refusing = (status: number, message: string, headers?: Readonly<Record<string, string>>) =>
  json(status, { error: { message } }, headers);

/** The reasons for which the agent was seen waiting for another try. */
function retryReasons(world: ProviderWorld): string[] {
  return statesOf(world).flatMap(({ state, reason = "" }) => (state === "retrying" ? [reason] : []));
}

/** What the agent has spent, by its ledger, and what its log says that this should be. */
async function spending(world: ProviderWorld): Promise<{ steps: number; tokens: number; charged: number }> {
  const { ledger } = world.agent("1").memory;
  const { input, output } = totalUsage(ledger);
  let charged = 0;
  let reserved = 0;
  for (const event of await world.events("1")) {
    if (event.kind === "prompted") {
      charged += reserved;
      reserved = event.reserved.input;
    } else if (event.kind === "refused") {
      reserved = 0;
    } else if (event.kind === "decision" || event.kind === "summary") {
      charged += event.usage.input + event.usage.output;
      reserved = 0;
    }
  }
  return { steps: ledger.spent.steps, tokens: input + output, charged: charged + reserved };
}

describe.each(WIRES)("an agent on $title", (wire) => {
  const { open, reply } = useProvider(wire);
  const done = wire.answer({ text: "Done.", tokens: { input: 10, output: 4 } });

  /** @param refused how many of the tries were, and so cost nothing */
  const expectAnswered = async (world: ProviderWorld, tries = world.asked(), refused = 0): Promise<void> => {
    const answers = await world.kinds("0", "message");
    expect(answers.map(({ message }) => message.content)).toEqual(["Done."]);
    expect(world.agent("1").standing.state).toBe("idle");
    expect(world.asked()).toBe(tries);
    expect(await world.kinds("1", "refused")).toHaveLength(refused);
    const steps = tries - refused;
    const spent = await spending(world);
    expect(spent).toMatchObject({ steps, tokens: spent.charged });
    expect(spent.tokens).toBeGreaterThanOrEqual(14 + (steps - 1) * 100);
    expect(world.legion.budget.spent()).toMatchObject({ steps, tokens: spent.tokens });
  };

  it("waits as long as a 429 asks, says so, and gets through", async () => {
    reply(refusing(429, "slow down", { "retry-after": "7" }), done);
    const clock = createPatientClock();
    const world = await open({ clock });
    await world.say("1", "Go.");
    await world.idle();
    expect(clock.waits).toEqual([7_000]);
    expect(retryReasons(world)).toEqual([`${world.host} answered 429: slow down (again in 7 s)`]);
    const states = statesOf(world).map(({ state }) => state);
    expect(states.slice(states.indexOf("retrying") - 1)).toEqual([
      ...["thinking", "retrying", "thinking"],
      ...["acting", "idle"],
    ]);
    await expectAnswered(world, 2, 1);
  });

  it("waits as often as an overloaded provider asks, without a restart", async () => {
    reply(...Array.from({ length: 6 }, () => refusing(529, "overloaded", { "retry-after": "2" })), done);
    const clock = createPatientClock();
    const world = await open({ clock });
    await world.say("1", "Go.");
    await world.idle();
    expect(clock.waits).toEqual(Array(6).fill(2_000));
    await expectAnswered(world, 7, 6);
  });

  it("tries again after 500s", async () => {
    reply(refusing(500, "it broke"), refusing(500, "it broke again"), done);
    const world = await open();
    await world.say("1", "Go.");
    await world.idle();
    expect(retryReasons(world)).toEqual([
      `${world.host} answered 500: it broke (again in 1 s)`,
      `${world.host} answered 500: it broke again (again in 1 s)`,
    ]);
    await expectAnswered(world, 3);
  });

  it.each([
    ["a page in place of an answer", text(502, "<html><body>Bad gateway</body></html>"), "answered 502"],
    ["no answer at all", json(200, {}), "ended|sent no answer"],
    ["an answer that is not JSON", text(200, "{oops", { "content-type": "application/json" }), "JSON|answer"],
  ])("tries again after %s", async (_, malformed, said) => {
    reply(malformed, done);
    const world = await open();
    await world.say("1", "Go.");
    await world.idle();
    expect(retryReasons(world)).toEqual([expect.stringMatching(new RegExp(`^${world.host} .*(${said})`))]);
    await expectAnswered(world, 2);
  });

  it("tries again when nothing is said for too long before an answer", async () => {
    // On a busy machine the next answer may be late, too.
    reply(() => undefined, ...Array.from({ length: 20 }, () => done));
    const world = await open({ model: { firstMs: 30 } });
    await world.say("1", "Go.");
    await world.idle();
    expect(retryReasons(world)[0]).toContain(`${world.host} sent nothing for 0.03 s.`);
    await expectAnswered(world);
  });

  it.each([
    [401, "invalid key", `Check ${wire.format.keyVariable}.`],
    [403, "not yours", `The key in ${wire.format.keyVariable} may not use`],
    [404, "no such model", `does not serve ${wire.format.name}/test-1; choose another model`],
    [400, "bad tool", ""],
  ])("parks on a %i with what a person has to do, and goes on when told", async (status, said, advice) => {
    reply(refusing(status, said));
    const world = await open();
    await world.say("1", "Go.");
    await world.idle();
    const { standing } = world.agent("1");
    expect(standing.state).toBe("parked");
    expect(standing.reason).toContain(`${world.host} answered ${status}: ${said}.`);
    expect(standing.reason).toContain(advice);
    const [told] = await world.kinds("0", "message");
    expect(told?.message.content).toBe(`I was stopped: ${standing.reason}`);
    expect(world.asked()).toBe(1);
    expect(await spending(world)).toEqual({ steps: 0, tokens: 0, charged: 0 });

    reply(done);
    await world.legion.agents.get("1")!.resume();
    await world.idle();
    expect((await world.kinds("0", "message")).at(-1)?.message.content).toBe("Done.");
    expect(await world.kinds("1", "message")).toHaveLength(1);
    expect(await spending(world)).toEqual({ steps: 1, tokens: 14, charged: 14 });
  });

  it("stays parked over a restart, and leaves new mail waiting", async () => {
    reply(refusing(401, "invalid key"));
    const world = await open();
    await world.say("1", "Go.");
    await world.idle();
    const again = await world.restart();
    await again.say("1", "Are you there?");
    await again.idle();
    expect(world.asked()).toBe(1);
    expect(again.agent("1").standing).toMatchObject({ state: "parked" });
    expect(again.agent("1").standing.reason).toContain("invalid key");
    expect(await again.legion.unread("1")).toBe(1);
    expect(again.legion.budget.spent()).toMatchObject({ steps: 0, tokens: 0, cost: 0, timeMs: 0 });
  });

  it("writes a key that the provider quotes neither into the log nor to anybody", async () => {
    const apiKey = "local-0123456789abcdef";
    reply(refusing(401, `Incorrect API key provided: ${apiKey}.`));
    const world = await open({ model: { apiKey } });
    await world.say("1", "Go.");
    await world.idle();
    const shown = JSON.stringify([world.seen, await world.events("1"), await world.events("0")]);
    expect(shown).toContain("Incorrect API key provided: [key]");
    expect(shown).not.toContain(apiKey);
  });

  it("says so in the log when the provider refuses to answer, and parks after three times", async () => {
    reply(...Array.from({ length: 3 }, () => wire.answer({ refused: true })));
    const world = await open();
    await world.say("1", "Go.");
    await world.idle();
    const results = await world.kinds("1", "result");
    expect(results.map(({ content }) => content)).toEqual(
      Array(3).fill(expect.stringContaining("refused by the provider's filter")),
    );
    expect(world.agent("1").standing).toMatchObject({
      state: "parked",
      reason: expect.stringContaining("3 completions in a row held no action"),
    });
  });

  it("hands the words of a refusal on to whoever asked", async () => {
    reply(wire.answer({ text: "I cannot help with that.", refused: true }));
    const world = await open();
    await world.say("1", "Go.");
    await world.idle();
    expect(await world.kinds("1", "decision")).toMatchObject([{ stop: "refused" }]);
    expect((await world.kinds("0", "message"))[0]?.message.content).toBe("I cannot help with that.");
  });

  describe("whose prompt is too long", () => {
    const tooLong = refusing(400, "prompt is too long: 210000 tokens > 200000 maximum");
    const LETTER = "Remember this: ".padEnd(4_000, "milk ");

    /** A world in which there is something to summarise. */
    const withPast = async (): Promise<ProviderWorld> => {
      const world = await open();
      for (const n of [1, 2, 3]) {
        reply(wire.answer({ text: `Noted, ${n}.` }));
        await world.say("1", `${n}: ${LETTER}`);
        await world.idle();
      }
      return world;
    };

    it("summarises, asks once more, and gets through", async () => {
      const world = await withPast();
      const before = await spending(world);
      const summary = wire.answer({ text: "You noted milk.", tokens: { input: 3_000, output: 5 } });
      reply(tooLong, summary, done);
      await world.say("1", "Go.");
      await world.idle();
      expect(await world.kinds("1", "summary")).toMatchObject([
        { content: "You noted milk.", strategy: "legion", usage: { input: 3_000, output: 5 } },
      ]);
      expect(world.body(-1)).toContain("You noted milk.");
      expect(world.body(-1)).not.toContain("1: Remember this");
      expect((await world.kinds("0", "message")).at(-1)?.message.content).toBe("Done.");
      const spent = await spending(world);
      expect(spent).toEqual({ steps: 5, tokens: spent.charged, charged: before.tokens + 3_005 + 14 });
    });

    it("gets through without a summary from the model", async () => {
      const world = await withPast();
      const before = await spending(world);
      reply(tooLong, refusing(400, "no summaries here"), done);
      await world.say("1", "Go.");
      await world.idle();
      const [summary] = await world.kinds("1", "summary");
      expect(summary?.content).toMatch(/^- event \d/m);
      expect((await world.kinds("0", "message")).at(-1)?.message.content).toBe("Done.");
      const spent = await spending(world);
      expect(spent).toEqual({ steps: 4, tokens: spent.charged, charged: before.tokens + 14 });
    });

    it("parks when it still is after that", async () => {
      const world = await withPast();
      reply(tooLong, wire.answer({ text: "You noted milk." }), tooLong);
      await world.say("1", "Go.");
      await world.idle();
      const { standing } = world.agent("1");
      expect(standing.state).toBe("parked");
      expect(standing.reason).toBe(
        `The prompt is longer than the window of ${wire.format.name}/test-1. ` +
          "prompt is too long: 210000 tokens > 200000 maximum",
      );
      const spent = await spending(world);
      expect(spent).toMatchObject({ steps: 4, tokens: spent.charged });
    });

    it("parks at once where there is nothing to summarise", async () => {
      reply(tooLong);
      const world = await open();
      await world.say("1", "Go.");
      await world.idle();
      expect(world.asked()).toBe(1);
      expect(world.agent("1").standing.state).toBe("parked");
    });
  });
});

describe.each(STREAMS)("a stream of $title", (wire) => {
  const { open, reply } = useProvider(wire);
  const done = wire.answer({ text: "Done." });

  it.each([
    ["stalls", wire.format.stream("half an ans", "stall"), "sent nothing for 0.03 s.", 30],
    ["is cut", wire.format.stream("half an ans", "cut"), "cannot be reached, or hung up (", undefined],
    [
      "ends without an end",
      wire.format.stream("half an ans", "end"),
      "ended its answer in the middle.",
      undefined,
    ],
    ["reports an overload", wire.format.failing("overloaded_error", "Overloaded"), "Overloaded", undefined],
  ])("that %s is read again, and nothing of it is kept", async (_, broken, said, stallMs) => {
    reply(broken, ...Array.from({ length: 20 }, () => done));
    const world = await open({ model: { stallMs } });
    await world.say("1", "Go.");
    await world.idle();
    expect(retryReasons(world)[0]).toContain(`${world.host} `);
    expect(retryReasons(world)[0]).toContain(said);
    expect(await world.kinds("1", "decision")).toMatchObject([{ text: "Done." }]);
    expect(JSON.stringify(await world.events("1"))).not.toContain("half an ans");
    const spent = await spending(world);
    expect(spent).toMatchObject({ steps: world.asked(), tokens: spent.charged });
  });
});
