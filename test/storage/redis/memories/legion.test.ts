import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { core } from "../../../../modules/core.ts";
import { memory } from "../../../../modules/memory/index.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../../../src/model/scripted/scripted.ts";
import { letter } from "../../../mail/letter.ts";
import { createRedisMemories } from "../../../../src/storage/redis/memories/memories.ts";
import { openNode } from "../redis-world.ts";
import { redisIsThere, startRedis, until, type Server } from "../servers.ts";

let server: Server;
beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());

const ID = "main/legion";
const call = (action: string, parameters: Readonly<Record<string, unknown>>): ScriptedAnswer => ({
  calls: [{ action, parameters }],
});
const done: ScriptedAnswer = { text: "Done." };

function agentWith(...script: readonly ScriptedAnswer[]) {
  const model = createScriptedModel(script);
  return { model, agent: { model, modules: [core, memory], memories: [ID] } };
}

describe.runIf(redisIsThere)("long-term memory of a legion in Redis", () => {
  it("what is told on one node is found on another, and stands in the prompts of its next start", async () => {
    const name = "two-nodes";
    const writer = agentWith(call("remember", { text: "The boat is called Ada." }), done);
    const one = await openNode(server.url, name, { 1: writer.agent });
    await one.say("1", "Remember the boat");
    await one.idle();
    const memories = createRedisMemories({ link: one.link, legion: name });
    const { last } = await memories.read(ID).standing();
    const shard = { content: "# Facts\nAda is a boat.", details: { context: { upTo: last } } };
    await memories.receive(ID, letter(ID, 1, { from: "scribe", ...shard }));
    const reader = agentWith(call("searchMemory", { query: "called" }), done);
    const two = await openNode(server.url, name, { 2: reader.agent });
    await two.say("2", "What is the boat called?");
    await until(async () => (await two.kinds("2", "result")).length === 1);
    expect((await two.kinds("2", "result"))[0]!.content).toContain("> The boat is called Ada.");
    expect(reader.model.requests[0]!.system).toContain("> # Facts\n> Ada is a boat.");
  });
});
