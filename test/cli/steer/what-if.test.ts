import { describe, expect, it } from "vitest";
import { createWorld, readEvents, type World } from "../../world.ts";
import { legion } from "../legion.ts";

const NOOP = { calls: [{ action: "noop" }] };

/** An agent at rest that was told something; `at` is the number of that. */
async function told(): Promise<{ readonly world: World; readonly cwd: string; readonly at: string }> {
  const world = await createWorld({ 1: { script: () => NOOP } });
  await world.say("1", "The plan is a");
  await world.idle();
  await world.stop();
  const [message] = await world.kinds("1", "message");
  return { world, cwd: world.project, at: String(message!.seq) };
}

describe("legion fork of another past", () => {
  it("says how a new agent that is held goes on, and its log says which event has other words", async () => {
    const { cwd, at } = await told();
    const typed = ["fork", "1", "--at", at, "--as", "1b", "--content", "The plan is b", "--held"];
    const { exitCode, out, err } = await legion(typed, { cwd });
    expect([exitCode, err]).toEqual([0, ""]);
    expect(out).toContain(
      "It is held: `legion approve` lets its calls run, `legion mode 1b usual` lets it go.",
    );
    const events = await readEvents(cwd, "1b");
    expect(events[Number(at) - 1]).toMatchObject({ message: { content: "The plan is b" } });
    expect((await legion(["mode", "1b"], { cwd })).out).toContain(
      "1b: held: each call with effects asks you",
    );
    expect((await legion(["log", "1b"], { cwd })).out).toContain("The plan is b");
    expect((await legion(["log", "1"], { cwd })).out).toContain("The plan is a");
  });

  it("needs a new agent, in one line, and writes nothing", async () => {
    const { cwd, at } = await told();
    const { exitCode, out, err } = await legion(["fork", "1", "--at", at, "--held"], { cwd });
    expect([exitCode, out]).toEqual([2, ""]);
    expect(err).toBe("legion: what is changed, or held, needs a new agent: name one with --as\n");
    expect(await readEvents(cwd, "1b")).toEqual([]);
  });
});
