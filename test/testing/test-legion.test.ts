import { access } from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";
import { createHandClock, openTestLegion } from "../../src/testing.ts";

describe("a legion for a test", () => {
  it("is real but for its model, which knows what it was asked", async () => {
    const legion = await openTestLegion(["Old pond."], {
      files: { "agents/poet.md": "---\nname: poet\nmodules: [core]\n---\n\nYou write haiku.\n" },
    });
    const poet = await legion.spawn("poet");
    expect((await poet.prompt("A frog?")).text).toBe("Old pond.");
    expect(legion.model.requests[0]!.system).toContain("You write haiku.");
    await legion.stop();
    await expect(access(legion.project)).rejects.toThrow();
  });

  it("waits by a clock that the test moves", async () => {
    const clock = createHandClock();
    const legion = await openTestLegion([{ error: { code: "MODEL_BUSY" } }, "Here."], { clock });
    const answer = (await legion.spawn()).prompt("Hi.");
    expect(await clock.asleep()).toBeGreaterThan(0);
    clock.advance(60_000);
    expect((await answer).text).toBe("Here.");
    await legion[Symbol.asyncDispose]();
  });

  it("takes nothing from the machine: neither its model nor its settings", async () => {
    vi.stubEnv("LEGION_MODEL", "anthropic/none");
    vi.stubEnv("LEGION_LIMITS", "nonsense");
    const legion = await openTestLegion(["Hello."]).finally(() => vi.unstubAllEnvs());
    expect((await (await legion.spawn()).prompt("Hi.")).text).toBe("Hello.");
    await legion.stop();
  });
});
