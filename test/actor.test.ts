import { describe, expect, it } from "vitest";
import { createWorld } from "./world.ts";

describe("an agent's day", () => {
  it("reads its mail, does what was asked, reports back and waits for more", async () => {
    const world = await createWorld({
      1: {
        script: [
          { calls: [{ action: "addGoal", parameters: { goal: "buy milk" } }] },
          { calls: [{ action: "writeNote", parameters: { title: "milk", content: "two litres" } }] },
          { calls: [{ action: "completeGoal", parameters: { goalNumber: 1 } }] },
          "The milk is bought.",
        ],
      },
    });
    const [asked] = await world.say("1", "Please buy milk.");
    await world.idle();

    const kinds = (await world.events("1")).map(({ kind }) => kind).filter((kind) => kind !== "prompted");
    expect(kinds).toEqual([
      "opened",
      "message",
      ...["decision", "result"],
      ...["decision", "result"],
      ...["decision", "result"],
      "decision",
      "sent",
    ]);
    const [answer] = await world.kinds("0", "message");
    expect(answer?.message).toMatchObject({ content: "The milk is bought.", re: asked, root: asked, hops: 1 });
  });
});
