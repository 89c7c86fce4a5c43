import { describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/event/event.ts";
import { messageId, type Message } from "../../src/domain/message/message.ts";
import { write } from "../torture/parcel.ts";
import { NOTHING_REMEMBERED } from "../torture/remembered.ts";
import { check } from "./checker.ts";
import type { RedisEvidence, RedisPast } from "./evidence.ts";

const LOG = "log of 0";

/** Parcel `number` of the person `n1s0`, message `n` of its log; it ends at agent 1, and then with Control. */
function said(number: number, n: number): Message {
  const parcel = { name: `n1p${number}`, route: ["1"], stop: 0, number, from: "n1s0" };
  const id = messageId({ from: "0", to: "1", n });
  const source = { type: "agent", id: "0" };
  return { id, root: id, source, delivery: "normal", content: write(parcel) } as Message;
}

function pastOf(kinds: readonly object[], newest: number): RedisPast {
  const records = kinds.map((event, index) => ({ seq: index + 1, epoch: 1, at: "", ...event }) as Event);
  return {
    log: { records },
    mailbox: { newest, taken: newest, left: 0 },
    last: records.length,
    isLeased: false,
  };
}

/** Control said what agent 1 took in, in this order. */
function evidenceOf(...messages: readonly Message[]): RedisEvidence {
  const opened = { kind: "opened", format: 1, seals: {} };
  const sends = messages.map((message) => ({ kind: "notice", reason: "said", sends: [message] }));
  const taken = messages.map((message, index) => ({ kind: "message", message, mail: index + 1, from: LOG }));
  const agents = new Map([
    ["0", pastOf([{ ...opened, log: LOG }, ...sends], 0)],
    ["1", pastOf([{ ...opened, log: "log of 1" }, ...taken], taken.length)],
  ]);
  const [first] = messages;
  const fed = first
    ? [
        {
          name: "n1p1",
          route: ["1"],
          lane: "normal" as const,
          at: 0,
          said: true,
          id: messageId({ from: "0", to: "1", n: 1 }),
        },
      ]
    : [];
  const nothing = {
    effects: [],
    answers: [],
    revoked: new Set<string>(),
    acknowledged: [],
    rests: [],
    steps: 0,
  };
  return { agents, fed, observed: [], remembered: NOTHING_REMEMBERED, ...nothing };
}

const faultsIn = (evidence: RedisEvidence, durability: "always" | "weak"): readonly string[] =>
  check(evidence, { steps: 10, durability }).violations.map(({ fault }) => fault);

describe("the checker of the torture test in Redis", () => {
  it("finds an acknowledged word lost that is in no log, but where Redis may lose what it acknowledged last", () => {
    const evidence = evidenceOf(said(2, 1));
    expect(faultsIn(evidence, "always")).toContain("lost");
    expect(faultsIn(evidence, "weak")).toEqual([]);
  });

  it("finds a word that overtook another one also there", () => {
    const evidence = evidenceOf(said(2, 1), said(1, 2));
    expect(faultsIn(evidence, "weak")).toContain("out of order");
  });

  it("finds nothing wrong where nothing is", () => {
    for (const durability of ["always", "weak"] as const)
      expect(faultsIn(evidenceOf(said(1, 1), said(2, 2)), durability)).toEqual([]);
  });
});
