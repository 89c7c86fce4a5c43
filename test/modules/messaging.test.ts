import { describe, expect, it } from "vitest";
import { messaging } from "../../modules/messaging.ts";
import type { Peer } from "../../src/domain/authoring/host.ts";
import { createTestHost } from "./test-host.ts";

const PEERS: readonly Peer[] = [
  { id: "1", name: "Agent 1", description: "does what is asked", running: true },
  { id: "2", name: "Agent 2", description: "", running: true },
  { id: "writer", name: "writer", description: "writes it up", running: false },
];

function createAgent() {
  return createTestHost(messaging, { id: "1", peers: PEERS });
}

describe("the messaging module", () => {
  it("tells the agent who Control is and how to reach others", () => {
    expect(messaging.instructions!(createAgent().host)).toMatchInlineSnapshot(
      `"You are one of several agents. Control (agent id 0) is the person you all work for. Nobody sees what you do unless you tell them: when someone asked you for something, send the result to them with \`sendMessage\`. It goes out at once and you need not wait for it; what others send you is shown to you with the sender's name. Answer only when the other needs your answer: thanks and confirmations cost both of you a step. Where a message says that it needs an answer, name its id in \`answers\` when you answer it, or in \`declines\` when you will not."`,
    );
  });

  it.each([
    ["2", ["2"], "Message sent to Agent 2. Go on; you need not wait for an answer."],
    [2, ["2"], "Message sent to Agent 2. Go on; you need not wait for an answer."],
    ["0", ["0"], "Message sent to Control. Go on; you need not wait for an answer."],
    [" 2 , 0,2,", ["2", "0"], "Message sent to Control and Agent 2. Go on; you need not wait for an answer."],
    ["Agent 2", ["2"], "Message sent to Agent 2. Go on; you need not wait for an answer."],
    ["control", ["0"], "Message sent to Control. Go on; you need not wait for an answer."],
    [
      "writer",
      ["writer"],
      "Message sent to writer. Not running now, so it waits for them: writer. Go on; you need not wait for an answer.",
    ],
    [
      "all",
      "all",
      "Message sent to Agent 2 and writer. Not running now, so it waits for them: writer. Go on; you need not wait for an answer.",
    ],
  ])("sends to %j and says so", async (targetAgentId, targets, content) => {
    const agent = createAgent();
    expect(await agent.act("sendMessage", { targetAgentId, message: " hi\n  there" })).toEqual({
      outcome: "ok",
      content,
    });
    expect(agent.sent).toEqual([{ targets, content: " hi\n  there" }]);
  });

  it.each([
    ["2", 1, "1>2#1 needs an answer. Do what you can without it; then you may rest: an answer wakes you."],
    [
      "2,0",
      2,
      "1>2#1 and 1>0#1 need answers. Do what you can without them; then you may rest: an answer wakes you.",
    ],
    [
      "all",
      12,
      "They all need answers. Do what you can without them; then you may rest: an answer wakes you.",
    ],
  ])(
    "says which of its messages to %s need answers, and that one wakes it",
    async (targetAgentId, _, says) => {
      const peers = Array.from({ length: targetAgentId === "all" ? 13 : 2 }, (_, n) => ({
        ...{ id: String(n + 1), name: `Agent ${n + 1}`, description: "", running: true },
      }));
      const { act } = createTestHost(messaging, { id: "1", peers });
      const { content } = await act("sendMessage", {
        targetAgentId,
        message: "Which one?",
        needsAnswer: true,
      });
      expect(content).toMatch(/^Message sent to [^.]+\. /);
      expect(content.replace(/^[^.]+\. /, "")).toBe(says);
    },
  );

  it.each(["1", "Agent 1", "2,1"])("refuses to send to oneself: %s", async (targetAgentId) => {
    const agent = createAgent();
    const result = await agent.act("sendMessage", { targetAgentId, message: "hi" });
    expect(result).toEqual({
      outcome: "error",
      content: "You cannot send a message to yourself; to keep something for later use `writeNote`.",
    });
    expect(agent.sent).toEqual([]);
  });

  it("sends to an agent that is called like Control", async () => {
    const peers = [...PEERS, { id: "control", name: "control", description: "", running: true }];
    const agent = createTestHost(messaging, { id: "1", peers });
    await agent.act("sendMessage", { targetAgentId: "control", message: "hi" });
    expect(agent.sent).toEqual([{ targets: ["control"], content: "hi" }]);
  });

  it("refuses to send to nobody, to all and others, and to all where nobody else is", async () => {
    const agent = createAgent();
    expect((await agent.act("sendMessage", { targetAgentId: " , ", message: "hi" })).content).toBe(
      "Name at least one agent id, or all.",
    );
    expect((await agent.act("sendMessage", { targetAgentId: "all,0", message: "hi" })).content).toBe(
      "`all` stands alone: it is every agent but you and Control.",
    );
    const alone = createTestHost(messaging, { id: "1", peers: PEERS.slice(0, 1) });
    expect((await alone.act("sendMessage", { targetAgentId: "all", message: "hi" })).content).toBe(
      "There is no other agent. Control has the agent id 0.",
    );
    expect([...agent.sent, ...alone.sent]).toEqual([]);
  });

  it("passes on why the runtime does not send", async () => {
    await expect(createAgent().act("sendMessage", { targetAgentId: "2,9", message: "hi" })).rejects.toThrow(
      "There is no agent 9.",
    );
  });

  it("refuses a message that says nothing", async () => {
    await expect(createAgent().act("sendMessage", { targetAgentId: "2", message: " \n" })).rejects.toThrow(
      "a message has to say something",
    );
  });

  it("names the receivers only as long as they are few", async () => {
    const peers = Array.from({ length: 12 }, (_, n) => ({
      ...PEERS[1]!,
      id: `${n + 1}`,
      name: `Agent ${n + 1}`,
    }));
    const agent = createTestHost(messaging, { id: "1", peers });
    expect((await agent.act("sendMessage", { targetAgentId: "all", message: "hi" })).content).toBe(
      "Message sent to 11 agents. Go on; you need not wait for an answer.",
    );
  });

  it("lists who there is, oneself and Control included", async () => {
    expect((await createAgent().act("queryAgentRegistry")).content).toMatchInlineSnapshot(`
      "Agent 1 [agentId=1] running - does what is asked (you)
      Agent 2 [agentId=2] running
      writer [agentId=writer] not running - writes it up
      Control [agentId=0] the person you work for"
    `);
  });

  it("lists the first 200 of many agents and counts the rest", async () => {
    const peers = Array.from({ length: 205 }, (_, n) => ({ ...PEERS[1]!, id: `${n + 1}` }));
    const lines = (await createTestHost(messaging, { peers }).act("queryAgentRegistry")).content.split("\n");
    expect(lines).toHaveLength(202);
    expect(lines[200]).toBe("(5 more)");
  });

  it("declares that its actions touch nothing outside the unit of work", () => {
    expect(Object.values(messaging.actions).map(({ effects }) => effects)).toEqual(["none", "reads"]);
  });
});
