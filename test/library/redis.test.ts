import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createScriptedModel, type Script } from "../../src/model/scripted/scripted.ts";
import { redisIsThere, startRedis, type Server } from "../storage/redis/servers.ts";
import { createTempProject } from "../temp-project.ts";
import { byHand } from "../world.ts";
import { openProgram } from "./programs.ts";

let server: Server;
beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());
let names = 0;

async function openInRedis(script: Script) {
  const config = `bus: ${server.url}\nname: program-${++names}\n`;
  const project = await createTempProject({ ".ai-legion/config.yaml": config });
  return openProgram({ project, trust: true, model: createScriptedModel(script) });
}

describe.runIf(redisIsThere)("a program whose project is kept in Redis", () => {
  it("prompts its agents, and hears what happens to them", async () => {
    const legion = await openInRedis((_, index) => `answer ${index + 1}`);
    const agent = await legion.spawn();
    const events = agent.events();
    expect((await agent.prompt("one")).text).toBe("answer 1");
    expect((await agent.prompt("two")).text).toBe("answer 2");
    expect((await events.next()).value).toMatchObject({ kind: "agent:start" });
  });

  it("has seen what its agents said to the person when nobody has anything to do any more", async () => {
    const { spawn, runtime } = await openInRedis(["Here I am."]);
    await spawn();
    const heard: string[] = [];
    runtime.inspector.watch((seen) => {
      if (seen.kind === "event" && seen.agent === "0" && seen.event.kind === "message")
        heard.push(seen.event.message.content);
    });
    await runtime.control.say(["1"], "Where are you?");
    await runtime.untilIdle(new AbortController().signal);
    expect(heard).toEqual(["Here I am."]);
  });

  it("is told that they are stopped once it is, as in files", async () => {
    const asked = byHand();
    const legion = await openInRedis(() => {
      asked.resolve();
      return new Promise(() => undefined);
    });
    const agent = await legion.spawn();
    const answer = agent.prompt("Hi.").catch((error: unknown) => error);
    await asked.promise;
    legion.runtime.interrupt();
    await legion.stop();
    const refusal = { code: "REFUSED", message: "Agent 1 is stopped" };
    expect(await answer).toMatchObject(refusal);
    await expect(agent.prompt("Hi again.")).rejects.toMatchObject(refusal);
    await expect(agent.steer("And now?")).rejects.toMatchObject(refusal);
    expect(agent.standing.state).toBe("stopped");
    await agent.abort();
    for await (const event of agent.events()) expect.unreachable(event.kind);
  });
});
