import { describe, expect, it } from "vitest";
import { READINGS } from "../../../src/control/api/readings.ts";
import { readChain } from "../../../src/control/reading/chain.ts";
import { readCosts } from "../../../src/control/reading/costs.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { sendsOf, type NewEvent } from "../../../src/domain/event/event.ts";
import { letter } from "../../past/spans/story.ts";
import { NOOP } from "../../workshop.ts";
import { createWorld } from "../../world.ts";
import { readerOf, said, takes } from "./talk.ts";

const tell = (...told: readonly (readonly [to: string, message: string])[]) => ({
  calls: told.map(([targetAgentId, message]) => ({
    action: "sendMessage",
    parameters: { targetAgentId, message },
  })),
});
const shortly = ({ messages }: Awaited<ReturnType<typeof readChain>>) =>
  messages.map(({ id, parent, state }) => `${id} of ${parent} ${state}`);

describe("a chain of messages", () => {
  it("is told from its first one through every agent that it reached, with what it cost each", async () => {
    const world = await createWorld({
      "1": { script: [tell(["2", "Yours"], ["3", "And yours"]), NOOP, NOOP, NOOP, NOOP] },
      "2": { script: [tell(["3", "Help me"]), NOOP, NOOP] },
      "3": { script: [NOOP, NOOP, NOOP, NOOP] },
    });
    const [root] = await world.say("1", "Share it");
    await world.idle();
    const [other] = await world.say("3", "Something else");
    await world.idle();
    await world.stop();
    const reader = createFileReader(world.project);
    const chain = await readChain(reader, "2>3#1");
    expect(shortly(chain).toSorted()).toEqual([
      `0>1#1 of null taken`,
      "1>2#1 of 0>1#1 taken",
      "1>3#1 of 0>1#1 taken",
      "2>3#1 of 1>2#1 taken",
    ]);
    expect(READINGS.chain.answer.parse(chain)).toEqual(chain);
    expect(chain).toMatchObject({ root, otherMessages: 0, unread: [] });
    for (const { at, takenAt } of chain.messages)
      expect(Date.parse(takenAt!)).toBeGreaterThanOrEqual(Date.parse(at));
    const cause = (await readCosts(reader)).causes.find((one) => one.root === root)!;
    const sum = (field: "steps" | "input" | "output") =>
      chain.agents.reduce((all, agent) => all + agent[field], 0);
    expect([sum("steps"), sum("input"), sum("output")]).toEqual([cause.steps, cause.input, cause.output]);
    expect(chain.agents.map(({ id, name }) => [id, name])).toEqual(
      ["1", "2", "3"].map((id) => [id, `Agent ${id}`]),
    );
    expect(await readChain(reader, root!)).toEqual(chain);
    expect(shortly(await readChain(reader, other!))).toEqual([`${other} of null taken`]);
  });

  it("hangs what names no cause on what its sender was shown last of the chain", async () => {
    const first = said("0", "1", 1);
    const second = said("2", "1", 2, { root: "0>1#1" });
    const asked = said("1", "0", 3, { root: "0>1#1" });
    const early = said("1", "0", 4, { root: "0>1#1" });
    const reader = readerOf({
      "0": [first],
      "1": [takes(first), early, takes(second), asked],
      "2": [second],
    });
    expect(shortly(await readChain(reader, "1>0#3"))).toEqual([
      "0>1#1 of null taken",
      "2>1#2 of 0>1#1 taken",
      "1>0#3 of 2>1#2 sent",
      "1>0#4 of 0>1#1 sent",
    ]);
  });

  it("is told as far as the logs that are left tell it", async () => {
    const lost = said("9", "1", 1, { root: "0>9#1" });
    const reader = readerOf({
      "1": [takes(lost), said("1", "2", 2, { root: "0>9#1", cause: "9>1#1" })],
      "2": [],
    });
    const chain = await readChain(reader, "9>1#1");
    expect(shortly(chain)).toEqual(["9>1#1 of null taken", "1>2#2 of 9>1#1 sent"]);
    expect(chain.messages[0]).toMatchObject({ event: { agent: "1", seq: 2 }, opening: "This is 9>1#1." });
  });

  it("tells those nearest to the first one where there are very many, and how many more there are", async () => {
    const first = said("0", "1", 1);
    const root = { root: "0>1#1", cause: "0>1#1" };
    const many = Array.from({ length: 2_500 }, (_, n) => letter(`1>2#${n + 1}`, root));
    const last = said("2", "1", 1, { root: "0>1#1", cause: "1>2#2500" });
    const all: NewEvent = { kind: "result", call: null, outcome: "ok", content: "", sends: many };
    const reader = readerOf({ "0": [first], "1": [takes(first), all], "2": [takes(all), last] });
    const chain = await readChain(reader, "0>1#1");
    expect([chain.messages.length, chain.otherMessages]).toEqual([2_000, 502]);
    expect(chain.messages.map(({ id }) => id)).not.toContain(sendsOf(last)[0]!.id);
  });

  it("is none of a message that nobody knows, and says where to look", async () => {
    const reader = readerOf({ "0": [said("0", "1", 1)], "1": [] });
    await expect(readChain(reader, "1>2#7")).rejects.toThrow(
      "no log has a message `1>2#7`; `legion log <agent> --json` tells the ids that there are",
    );
    await expect(readChain(reader, "<b>")).rejects.toThrow(
      "`<b>` is no message; the id of one looks like 0>2#1",
    );
  });
});
