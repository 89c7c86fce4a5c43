import { describe, expect, it } from "vitest";
import { requestWords } from "../../../src/domain/message/request-words.ts";
import { describeKnot } from "../../../src/domain/message/knot.ts";
import { withStandings } from "../../../src/legion/waits.ts";

const NOW = new Date(2026, 2, 14, 9, 0).getTime();
const at = (day: number, hour: number) => new Date(2026, 2, day, hour, 14).toISOString();
const request = (to: string, since: string, ...messages: readonly string[]) =>
  ({ for: "reply", agents: [to], since, messages, way: "" }) as const;

describe("whom an agent waits for", () => {
  it("is named with since when, and how they stand where they do not go on by themselves", () => {
    const waits = [
      request("writer", at(14, 2), "1>writer#1"),
      request("3", at(12, 2), "1>3#1", "1>3#2", "1>3#3", "1>3#4"),
      { for: "reply", agents: ["4"], since: at(14, 2), way: "" },
    ] as const;
    const agents = [
      { id: "1", state: "idle", waits },
      { id: "writer", state: "parked", waits: [] },
      { id: "3", state: "thinking", waits: [] },
    ] as const;
    const [one] = withStandings(agents);
    expect(requestWords(one!.waits, NOW)).toEqual([
      "waits for writer, who is parked, since 02:14 (1>writer#1)",
      "waits for Agent 3 since 2026-03-12 02:14 (1>3#1, 1>3#2, 1>3#3, 1 more)",
    ]);
  });

  it("is told of a thousand in a few lines", () => {
    const agents = Array.from({ length: 1_000 }, (_, n) => String(n + 1));
    const open = agents.map((id) => `${id}>1#1`);
    expect(describeKnot({ agents, open })).toMatch(
      /^1000 agents wait for each other's answers, .*Agent 20 for Agent 1 \(20>1#1\), 980 more\.$/,
    );
  });
});
