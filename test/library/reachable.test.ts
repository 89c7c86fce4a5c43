import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Legion } from "../../src/index.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import { legion as command, type Seen } from "../cli/legion.ts";
import { createTempProject } from "../temp-project.ts";
import { byHand } from "../world.ts";
import { call, openProgram } from "./programs.ts";

let project: string;
beforeEach(async () => void (project = await createTempProject()));

const type = (...argv: readonly string[]): Promise<Seen> => command(argv, { cwd: project });
const open = (script: Parameters<typeof createScriptedModel>[0]): Promise<Legion> =>
  openProgram({ project, model: createScriptedModel(script), approvals: "wait" });

describe("a legion in a program is reached by the commands while it runs", () => {
  it("is seen, heard and spoken to", async () => {
    const legion = await open((_, index) => `answer ${index + 1}`);
    const agent = await legion.spawn({ id: "helper" });
    expect((await agent.prompt("Hi.")).text).toBe("answer 1");
    const [status] = (await type("ps", "--json")).json;
    expect(status).toMatchObject({
      id: "helper",
      state: "idle",
      node: expect.stringContaining(`${process.pid}@`),
    });
    expect((await type("send", "helper", "And from here?")).exitCode).toBe(0);
    await legion.runtime.untilIdle(new AbortController().signal);
    expect((await type("inbox")).out).toContain("answer 2");
  });

  it("waits for an answer that a command gives", async () => {
    const legion = await open([call("executeCommand", { command: "git push origin" }), "Pushed, or not."]);
    const agent = await legion.spawn({ policy: { ask: ["run git push *"] } });
    const asked = new Promise<string>((resolve) => {
      legion.runtime.inspector.watch((seen) => {
        if (seen.kind === "question" && !seen.ended) resolve(seen.question.id);
      });
    });
    const answer = agent.prompt("Push.");
    const question = await asked;
    expect((await type("approvals")).out).toContain(question);
    expect((await type("deny", question, "not today")).exitCode).toBe(0);
    expect((await answer).text).toBe("Pushed, or not.");
    expect(JSON.stringify(agent.messages())).toContain("not today");
  });

  it("ends when a command ends it: the program goes on, and is told", async () => {
    const asked = byHand();
    const told = byHand<ScriptedAnswer>();
    const legion = await open(() => {
      asked.resolve();
      return told.promise;
    });
    const agent = await legion.spawn();
    const answer = agent.prompt("Think.");
    const failed = expect(answer).rejects.toMatchObject({ code: "REFUSED", message: "Agent 1 is stopped" });
    await asked.promise;
    const ending = new Promise<void>((resolve) => {
      legion.runtime.inspector.watch((seen) => {
        if (seen.kind === "event" && seen.event.kind === "notice") resolve();
      });
    });
    const stopped = type("stop");
    await ending;
    told.resolve(call("addGoal", { goal: "on" }));
    expect((await stopped).exitCode).toBe(0);
    await failed;
    await expect(legion.spawn()).rejects.toMatchObject({ code: "REFUSED" });
  });

  it("is one of two: whoever comes second is refused, and named the first", async () => {
    await open([]);
    await expect(open([])).rejects.toMatchObject({
      code: "LOCKED",
      message: expect.stringContaining(String(process.pid)),
    });
    const start = await type("start", "--until-idle");
    expect(start).toMatchObject({ exitCode: 1, err: expect.stringContaining(String(process.pid)) });
  });

  it("leaves nothing that keeps others out", async () => {
    const legion = await open(["Hello."]);
    await (await legion.spawn()).prompt("Hi.");
    await legion.stop();
    expect((await type("send", "1", "Later.")).exitCode).toBe(0);
    expect((await type("ps", "--json")).json).toMatchObject([{ id: "1", state: "stopped", unread: 1 }]);
    expect(JSON.parse(await readFile(join(project, ".ai-legion/agents/1/agent.json"), "utf8"))).toMatchObject(
      {
        definition: "legionnaire",
      },
    );
  });
});
