import { describe, expect, it } from "vitest";
import type { Wait } from "../../src/legion/waits.ts";
import { liveStatus, storedStatus } from "../../src/legion/status.ts";
import { createFileReader } from "../../src/storage/files/reader/reader.ts";
import { NOOP } from "../workshop.ts";
import { createWorld, type World } from "../world.ts";

const tell = (to: string) => ({
  calls: [{ action: "sendMessage", parameters: { targetAgentId: to, message: "Which one?" } }],
});

/** What an agent waits for, as its node tells it; for whom and of whom alone. */
function waits({ legion }: World, id: string): readonly Pick<Wait, "for" | "agents">[] {
  return liveStatus(id, legion.agents.get(id)!, "1@here").waits.map((wait) => ({
    for: wait.for,
    ...(wait.agents && { agents: wait.agents }),
  }));
}

describe("what an agent waits for", () => {
  it("is mail, and a reply of those it wrote to since it heard from them; told the same while nobody runs it", async () => {
    const world = await createWorld({
      "1": { script: [tell("2"), tell("3"), NOOP, NOOP] },
      "2": { script: () => NOOP },
      "3": { script: [tell("1"), NOOP, NOOP] },
    });
    await world.say("1", "Ask them");
    await world.idle();
    expect(waits(world, "1")).toEqual([{ for: "reply", agents: ["2"] }, { for: "mail" }]);
    expect(waits(world, "2")).toEqual([{ for: "mail" }]);
    expect(waits(world, "3")).toEqual([{ for: "reply", agents: ["1"] }, { for: "mail" }]);
    const [sent] = (await world.events("1")).filter(({ kind }) => kind === "result");
    const [reply] = liveStatus("1", world.legion.agents.get("1")!, "1@here").waits;
    expect(reply!.since).toBe(sent!.at);
    await world.stop();
    const stored = await storedStatus("1", createFileReader(world.project));
    expect(stored.waits).toMatchObject([
      { for: "start", agents: ["0"], way: "legion start" },
      { for: "reply", agents: ["2"], since: sent!.at },
    ]);
  });

  it("is a word of the person where they let it rest, with the command, and nothing while it is at work", async () => {
    const world = await createWorld({ "1": { script: () => NOOP } });
    await world.legion.agents.get("1")!.pause("by Control");
    await world.until((seen) => seen.kind === "live:state" && seen.state === "paused");
    expect(liveStatus("1", world.legion.agents.get("1")!, "1@here").waits).toMatchObject([
      { for: "word", agents: ["0"], way: "legion resume 1" },
    ]);
  });
});
