// Who is woken when, while agents are closed and mail comes.

import { describe, expect, it } from "vitest";
import type { Bus } from "../../../src/mail/bus.ts";
import { NOTHING } from "../../../src/past/limits/spending.ts";
import { createResting, NOBODY_RESTS, type RestIndex } from "../../../src/storage/contract/resting.ts";
import { letter } from "../../mail/letter.ts";

const AT = { spent: NOTHING, last: 1, plan: "" };

/** An index whose disk answers when the test says so, and a bus that only counts. */
function opened() {
  const told: string[] = [];
  let flush: () => void = () => undefined;
  const index: RestIndex = {
    ...NOBODY_RESTS,
    of: () => AT,
    wake: (agent) =>
      new Promise<void>((resolve) => {
        told.push(`wake ${agent}`);
        flush = resolve;
      }),
    rest: (agent) => void told.push(`rest ${agent}`),
  };
  const { resting, begin, waking } = createResting(
    index,
    async (agent) => void told.push(`release ${agent}`),
  );
  begin((agent) => void told.push(`open ${agent}`));
  const bus: Bus = {
    send: async () => (told.push("mail"), { status: "accepted" }),
    open: () => Promise.reject(new Error("nobody reads here")),
    unread: () => Promise.resolve(0),
    close: () => Promise.resolve(),
  };
  return { told, resting, bus: waking(bus), flush: () => flush() };
}

describe("an agent that rests", () => {
  it("is opened, and gets its mail, only when it is durable that it may have something to do (Z5)", async () => {
    const { told, resting, bus, flush } = opened();
    resting.stay("7", AT);
    const sent = bus.send(letter("7", 1));
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual(["wake 7"]);
    flush();
    await sent;
    expect(told).toEqual(["wake 7", "open 7", "mail"]);
  });

  it("is expecting mail as long as that is on its way", async () => {
    const { resting, bus, flush } = opened();
    const sent = bus.send(letter("7", 1));
    expect(resting.isExpecting("7")).toBe(true);
    flush();
    await sent;
    expect(resting.isExpecting("7")).toBe(false);
  });

  it("is not said to rest where something came while it was closed (Z5)", async () => {
    const { told, resting, flush } = opened();
    const rests = await resting.lieDown("7", async () => {
      const woken = resting.wake("7");
      flush();
      await woken;
      return AT;
    });
    expect(rests).toBe(false);
    expect(told).toEqual(["wake 7", "open 7", "release 7"]);
  });

  it("is not said to rest where mail was on its way when it was closed (Z5)", async () => {
    const { told, resting, bus, flush } = opened();
    const sent = bus.send(letter("7", 1));
    expect(await resting.lieDown("7", () => Promise.resolve(AT))).toBe(false);
    flush();
    await sent;
    expect(told).not.toContain("rest 7");
  });

  it("rests once it is closed and nothing of it is held", async () => {
    const { told, resting } = opened();
    expect(await resting.lieDown("7", () => Promise.resolve(AT))).toBe(true);
    expect(told).toEqual(["release 7", "rest 7"]);
  });
});
