import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import { createWorld, type World } from "../world.ts";

const NOOP: ScriptedAnswer = { calls: [{ action: "noop" }] };
const write = (message: string): ScriptedAnswer => ({
  calls: [{ action: "sendMessage", parameters: { targetAgentId: "2", message } }],
});

/** Changes one byte of the line with this text in the mailbox of agent 2. */
async function damage({ project }: World, text: string): Promise<void> {
  const folder = join(project, ".ai-legion/agents/2/mailbox");
  for (const name of await readdir(folder)) {
    const bytes = await readFile(join(folder, name));
    const at = bytes.indexOf(text);
    if (at === -1) continue;
    bytes[at]! ^= 1;
    await writeFile(join(folder, name), bytes);
  }
}

const contents = async (world: World): Promise<string[]> =>
  (await world.kinds("2", "message")).map(({ message }) => message.content);

/** Agent 1 wrote three messages to agent 2, which rests; Control wrote one. */
async function waitingMail(): Promise<World> {
  const world = await createWorld({
    1: { script: [write("first"), write("second"), write("third"), NOOP] },
    2: { script: () => NOOP },
  });
  await world.legion.agents.get("2")!.pause("lunch");
  await world.say("2", "from Control");
  await world.say("1", "Go.");
  await world.idle();
  await world.stop();
  return world;
}

describe("mail that was damaged in the mailbox", () => {
  it.each(["first", "second", "third"])(
    "is sent again at the next start, and nothing twice: %s",
    async (text) => {
      const world = await waitingMail();
      await damage(world, text);
      const again = await world.restart();
      await again.legion.agents.get("2")!.resume();
      await again.idle();
      const taken = await contents(again);
      expect(taken.filter((content) => content !== "from Control")).toEqual(["first", "second", "third"]);
      expect(taken).toHaveLength(4);
    },
  );

  it("is sent again also by agents that nobody runs, and by Control", async () => {
    const world = await waitingMail();
    await damage(world, "first");
    await damage(world, "from Control");
    const again = await world.restart({ 2: { script: () => NOOP } });
    await again.legion.agents.get("2")!.resume();
    await again.idle();
    expect((await contents(again)).toSorted()).toEqual(["first", "from Control", "second", "third"]);
  });
});
