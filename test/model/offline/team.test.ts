import { describe, expect, it } from "vitest";
import { newShare, returnShare, writeReport, writeShare } from "../../../src/model/offline/letters.ts";
import { divide, runningPeers, shareOut, type TeamPart } from "../../../src/model/offline/team.ts";
import { readView } from "../../../src/model/offline/view.ts";
import type { Turn } from "../../../src/domain/model.ts";

const ENTRIES = ["a/", "b/", "c/", "x", "y"];
/** What agents 1, 2 and 3 get of them. */
const [, SECOND, THIRD] = divide(ENTRIES, 3).map((entries) => newShare(".", entries, 2));

function sent(to: string, message: string, result: "arrives" | "is refused" = "arrives"): Turn[] {
  const call = { id: "call-1", action: "sendMessage", parameters: { targetAgentId: to, message } };
  return [
    { role: "assistant", text: "", calls: [call] },
    { role: "results", results: [{ call: "call-1", content: "", isError: result === "is refused" }] },
  ];
}

function mail(from: string, text: string): Turn {
  return { role: "user", text: `--- MESSAGE FROM ${from} ---\n\n${text}` };
}

function report(share: typeof SECOND, ...paths: string[]): string {
  const found = paths.map((path) => ({ path, says: "1 line" }));
  return writeReport(share!, { files: paths.length, lines: 1, bytes: 0, folders: 0, unread: 0, found });
}

function teamAfter(turns: readonly Turn[], at = -1) {
  const view = readView({
    system: "You are Agent 1 (agent id 1).",
    tools: [],
    turns,
    pinned: "",
    maxOutput: 1,
  });
  return shareOut(view, at, { dir: ".", entries: ENTRIES }, ["2", "3"]);
}

function states(parts: readonly TeamPart[]): readonly unknown[] {
  return parts.map(({ state }) => (typeof state === "object" ? state.found.map(({ path }) => path) : state));
}

describe("the shares of a survey", () => {
  it("are even, folders first, and always the same", () => {
    expect(divide(ENTRIES, 1)).toEqual([ENTRIES]);
    expect(divide(ENTRIES, 3)).toEqual([["a/", "x"], ["b/", "y"], ["c/"]]);
    expect(divide(["z", "a/"], 2)).toEqual([["a/"], ["z"]]);
    expect(divide(["only"], 3)).toEqual([["only"], [], []]);
    expect(divide([], 2)).toEqual([[], []]);
    expect(divide(ENTRIES.toReversed(), 3)).toEqual(divide(ENTRIES, 3));
    const many = divide(
      Array.from({ length: 1_000 }, (_, n) => `file-${n}`),
      20,
    );
    expect(new Set(many.map(({ length }) => length))).toEqual(new Set([50]));
  });

  it("go to the agents that the registry shows as running", () => {
    const registry = [
      "Agent 1 [agentId=1] running (you)",
      "Agent 2 [agentId=2] running - tests [agentId=9] running",
      "Agent 3 [agentId=3] not running - says it is running",
      "writer [agentId=writer] running",
      "writer [agentId=writer] running",
      "[agentId=4] running",
      "(7 more)",
      "Control [agentId=0] the person you work for, running",
    ].join("\n");
    expect(runningPeers(registry, "1")).toEqual(["2", "writer"]);
  });

  it("are unsent, awaited and reported, one after the other", () => {
    expect(states(teamAfter([]).parts)).toEqual(["unsent", "unsent"]);
    const letter = sent("2", writeShare(SECOND!));
    expect(states(teamAfter(letter).parts)).toEqual(["awaited", "unsent"]);
    expect(states(teamAfter([...letter, mail("AGENT 2", report(SECOND, "y"))]).parts)).toEqual([
      ["y"],
      "unsent",
    ]);
  });

  it("that are given back go to whoever shares them out", () => {
    const { own, parts } = teamAfter([
      ...sent("3", writeShare(THIRD!)),
      mail("AGENT 3", returnShare(THIRD!)),
    ]);
    expect(states(parts)).toEqual(["unsent", "returned"]);
    expect(own.entries).toEqual(["a/", "x", "c/"]);
  });

  it("are handed to nobody where there are more agents than entries", () => {
    const view = readView({ system: "", tools: [], turns: [], pinned: "", maxOutput: 1 });
    const { own, parts } = shareOut(view, -1, { dir: ".", entries: ["x", "y"] }, ["2", "3", "4"]);
    expect([own.entries, ...parts.map(({ agent, share }) => [agent, ...share.entries])]).toEqual([
      ["x"],
      ["2", "y"],
    ]);
  });

  it("that cannot be handed over stay with whoever shares them out", () => {
    const { own, parts } = teamAfter(sent("3", writeShare(THIRD!), "is refused"));
    expect(states(parts)).toEqual(["unsent", "returned"]);
    expect(own.entries).toEqual(["a/", "x", "c/"]);
  });

  it("are not reported by somebody else, for another share, or before they were asked for", () => {
    const letters = [...sent("2", writeShare(SECOND!)), ...sent("3", writeShare(THIRD!))];
    const wrong = [
      mail("AGENT 3", report(SECOND, "y")),
      mail("CONTROL", report(SECOND, "y")),
      mail("AGENT 2", report(THIRD, "c/z")),
      mail("AGENT 2", "Report on the survey of . by me: nothing"),
      { role: "user", text: report(SECOND, "y") } satisfies Turn,
    ];
    expect(states(teamAfter([...letters, ...wrong]).parts)).toEqual(["awaited", "awaited"]);
    const early = [mail("AGENT 2", report(SECOND, "y")), mail("CONTROL", "survey ."), ...letters];
    expect(states(teamAfter(early, 1).parts)).toEqual(["awaited", "awaited"]);
  });

  it("are reported with what lies in them, and nothing else; the newest report counts", () => {
    const turns = [
      ...sent("2", writeShare(SECOND!)),
      mail("AGENT 2", report(SECOND, "y")),
      mail(
        "AGENT 2",
        report(SECOND, "b/1", "b/2/3", "b", "y", "x", "a/1", "../b/1", "/etc/passwd", "b//", ""),
      ),
    ];
    expect(states(teamAfter(turns).parts)[0]).toEqual(["b/1", "b/2/3", "y", "b//"]);
  });
});
