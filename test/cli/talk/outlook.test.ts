import { expect, it } from "vitest";
import { readingOutlooks, type SaidLane } from "../../../src/cli/talk/outlook.ts";
import type { AgentStatus } from "../../../src/legion/status.ts";

const status: AgentStatus = {
  id: "2",
  name: "Agent 2",
  state: "stopped",
  reason: "",
  waitingFor: "start",
  since: null,
  unread: 0,
  held: 0,
  steps: 0,
  tokens: 0,
  cost: 0,
  model: "offline",
  mode: "usual",
  waits: [],
  node: null,
};

it.each<[Partial<AgentStatus>, string, "by itself" | "never"]>([
  [{ waitingFor: "a node" }, "Agent 2 reads it as soon as a node runs it", "by itself"],
  [
    { waitingFor: "its node", node: "7@there", reason: "7@there does not answer" },
    "Agent 2 reads it later: 7@there does not answer",
    "by itself",
  ],
  [
    { waitingFor: "workspace on there", reason: "its files are in /a[x|y]<ids>" },
    "Agent 2 does not run (its files are in /a[x|y]<ids>); `legion start --only 2` runs it",
    "never",
  ],
  [{ node: "7@here", state: "retrying" }, "Agent 2 reads it as soon as the model answers", "by itself"],
  [
    { node: "7@here", state: "halted", waitingFor: "its disk", reason: "ENOSPC" },
    "Agent 2 is halted, and reads it once that is over: ENOSPC",
    "by itself",
  ],
  [
    { state: "halted", waitingFor: "resume", reason: "5 restarts did not help.\u001b[2J" },
    "Agent 2 is halted (5 restarts did not help); `legion resume 2` lets it go on",
    "never",
  ],
  [{ node: "7@here", state: "parked", waitingFor: "mail, resume" }, "Agent 2 reads it now", "by itself"],
])("of an agent with %j says %j", (change, text, comes) => {
  expect(readingOutlooks([{ ...status, ...change }], [])).toEqual([{ comes, text }]);
});

it.each<[SaidLane, Partial<AgentStatus>, string]>([
  ["steer", { state: "idle" }, "reads it now"],
  ["steer", { state: "acting" }, "finishes what runs, begins nothing further and reads it"],
  ["steer", { state: "asking" }, "reads it now"],
  ["steer", { state: "parked", waitingFor: "mail, resume" }, "reads it now"],
  ["steer", { state: "parked" }, "is parked; `legion resume 2` lets it go on"],
  ["follow-up", { state: "idle" }, "reads it now"],
  ["follow-up", { state: "idle", held: 1 }, "was stopped, and reads it after what you say next"],
  ["follow-up", { state: "thinking" }, "reads it once all that is to do is done"],
  ["follow-up", { state: "asking" }, "reads it once all that is to do is done"],
  [
    "follow-up",
    { state: "parked", waitingFor: "mail, resume" },
    "is parked; `legion resume 2` lets it go on",
  ],
  ["follow-up", { state: "stopped", node: null }, "does not run; `legion start --only 2` runs it"],
])("says of a %s to an agent with %j that it %s", (lane, change, words) => {
  const running = { ...status, node: "7@here", ...change };
  expect(readingOutlooks([running], [], lane).map(({ text }) => text)).toEqual([`Agent 2 ${words}`]);
});

it("says what holds for several once, in the order in which it is met first", () => {
  const running = { ...status, state: "idle", waitingFor: "mail", node: "7@here" } as const;
  const all = [running, { ...status, id: "3" }, { ...running, id: "writer" }, { ...status, id: "4" }];
  expect(readingOutlooks(all, ["3", "4"]).map(({ text }) => text)).toEqual([
    "Agent 2 and writer read it now",
    "Agent 3 and Agent 4 do not run; `legion start` runs them",
  ]);
});
