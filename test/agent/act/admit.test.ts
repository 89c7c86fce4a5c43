import { describe, expect, it } from "vitest";
import type { EventOf } from "../../../src/domain/event/event.ts";
import { createScriptedModel } from "../../../src/model/scripted/scripted.ts";
import { createHandClock } from "../../hand-clock.ts";
import { NOOP, story, textOf } from "../../workshop.ts";
import { createWorld } from "../../world.ts";
import { agent, answer, asking, deploy, DEPLOY_AND_LOOK, PERSON, questionOf, shop } from "./asking.ts";

describe("a question", () => {
  it("waits in its place, and what was approved runs once", async () => {
    const { world, done, question } = await asking();
    expect(done).toEqual([]);
    await answer(world, question, "approved");
    await world.idle();
    expect(done).toEqual(["prod"]);
    const kinds = (await world.events("1")).map(({ kind }) => kind).filter((kind) => kind !== "sent");
    expect(kinds.slice(3, 8)).toEqual(["decision", "approval", "approval", "approval", "result"]);
  });

  it("is a message to Control that says what is asked, why, and how to answer", async () => {
    const { world, question } = await asking();
    await world.until((seen) => seen.kind === "event" && seen.agent === "0" && seen.event.kind === "message");
    const [{ message }] = (await world.kinds("0", "message")) as [EventOf<"message">];
    expect(message.details).toEqual({ question });
    expect(message.content).toBe(
      [
        `Agent 1 asks ${question}: may I call deploy?`,
        '    call deploy {"to":"prod"}',
        "Asked because of: profile workspace.",
        `legion approve ${question}, or legion deny ${question} and why`,
      ].join("\n"),
    );
  });

  it("denied with a reason gives the model that reason, and the decision's further calls go on", async () => {
    const { done, modules } = shop();
    const world = await createWorld({ "1": agent([DEPLOY_AND_LOOK], { modules }) });
    await world.say("1", "go");
    await answer(world, await questionOf(world), "denied", "use the test system");
    await world.idle();
    expect(done).toEqual([]);
    const results = (await story(world)).filter((line) => /^(ok|error):/.test(line));
    expect(results).toEqual([
      expect.stringContaining("error: Control said no: use the test system. Do it another way"),
      "ok: looked",
    ]);
  });

  it("once denied is not asked again before a person spoke, and then it is", async () => {
    const { world, done, question } = await asking({}, {}, deploy("prod"));
    await answer(world, question, "denied", "no");
    await world.idle();
    expect((await story(world)).filter((line) => line.includes("not asked again"))).toHaveLength(1);
    expect((await world.kinds("1", "approval")).filter(({ asked }) => asked)).toHaveLength(1);
    expect(done).toEqual([]);
  });

  it("expires after its time, and not before", async () => {
    const clock = createHandClock();
    const { world, done } = await asking({}, { clock, questions: { mode: "wait", expireMs: 86_400_000 } });
    await clock.asleep(86_400_000);
    clock.advance(86_399_999);
    expect(world.agent("1").standing.state).toBe("asking");
    clock.advance(1);
    await world.idle();
    expect(done).toEqual([]);
    expect(await story(world)).toContainEqual(expect.stringContaining("error: Nobody answered in time"));
  });

  it("gives way to a person's message: the call and those after it are not run, and the message is read", async () => {
    const { done, modules } = shop();
    const model = createScriptedModel([DEPLOY_AND_LOOK, NOOP]);
    const world = await createWorld({ "1": { model, policy: [], modules } });
    await world.say("1", "go");
    await questionOf(world);
    await world.say("1", "leave that");
    await world.idle();
    expect(done).toEqual([]);
    expect((await story(world)).slice(4, 8)).toEqual([
      "approval",
      "idle: Not run: new instructions came first.",
      "idle: Not run: new instructions came first.",
      "message: leave that",
    ]);
    expect(textOf(model.requests[1]!)).toContain("leave that");
  });

  it("ends with an abort, which stops the rest as well", async () => {
    const { world, done } = await asking();
    await world.legion.control.say(["1"], "stop", "abort");
    await world.idle();
    expect(done).toEqual([]);
    expect((await story(world)).filter((line) => line.startsWith("idle"))).toEqual([
      "idle: Stopped by Control.",
    ]);
  });

  it("lets the mail of agents wait, in order and unlost, while other agents go on", async () => {
    const { done, modules } = shop();
    const tell = { calls: [{ action: "sendMessage", parameters: { targetAgentId: "1", message: "hello" } }] };
    const world = await createWorld({
      "1": agent([deploy("prod")], { modules }),
      "2": { script: [tell, NOOP] },
    });
    await world.say("1", "go");
    const question = await questionOf(world);
    await world.say("2", "say hello");
    await world.until((seen) => seen.kind === "event" && seen.agent === "2" && seen.event.kind === "sent");
    expect(world.agent("1").standing.state).toBe("asking");
    await answer(world, question, "approved");
    await world.idle();
    expect(done).toEqual(["prod"]);
    const lines = await story(world);
    expect(lines.indexOf("message: hello")).toBeGreaterThan(lines.indexOf("ok: deployed to prod"));
  });

  it("outlives the process: it is not asked twice, and is answered later", async () => {
    const { world, done, modules, question } = await asking();
    await world.stop();
    const again = await world.restart({ "1": agent([], { modules }) });
    expect(await questionOf(again)).toBe(question);
    await answer(again, question, "approved");
    await again.idle();
    expect(done).toEqual(["prod"]);
    const approvals = await again.kinds("1", "approval");
    expect(
      approvals.map(({ asked, sends, verdict }) => verdict ?? (asked ? "asked" : sends && "sent")),
    ).toEqual(["asked", "sent", "approved"]);
  });

  it("that was answered while nobody ran is settled at the next start", async () => {
    const { world, done, modules, question } = await asking();
    await answer(world, question, "approved").catch(() => undefined);
    await world.stop();
    const again = await world.restart({ "1": agent([], { modules }) });
    await again.idle();
    expect(done).toEqual(["prod"]);
  });

  it("is judged once more before it runs: what was forbidden meanwhile does not", async () => {
    const { world, done, modules, question } = await asking();
    await world.stop();
    const policy = [{ ...PERSON, deny: ["action deploy"] }];
    const again = await world.restart({ "1": agent([], { modules, policy }) });
    await again.idle();
    expect(done).toEqual([]);
    expect((await again.kinds("1", "approval")).at(-1)).toMatchObject({ verdict: "denied" });
    await answer(again, question, "approved");
    await again.idle();
    expect(done).toEqual([]);
  });

  it("is settled by its first answer; a later one, or one to another question, is void, and Control hears so", async () => {
    const { world, done, question } = await asking();
    await answer(world, "1.9999", "approved");
    expect(world.agent("1").standing.state).toBe("asking");
    await answer(world, question, "denied", "no");
    await answer(world, question, "approved");
    await world.idle();
    expect(done).toEqual([]);
    const told = (await world.events("0")).flatMap((event) =>
      event.kind === "message" ? event.message.content : [],
    );
    expect(told.filter((text) => text.includes("counts for nothing"))).toHaveLength(2);
  });

  it("takes no working time", async () => {
    const clock = createHandClock();
    const { world, question } = await asking({}, { clock });
    clock.advance(3_600_000);
    await answer(world, question, "approved");
    await world.idle();
    expect(world.agent("1").memory.ledger.spent.workingMs).toBeLessThan(3_600_000);
  });

  it("is never shown to the model as mail, nor is its answer", async () => {
    const { modules } = shop();
    const model = createScriptedModel([deploy("prod"), NOOP]);
    const world = await createWorld({ "1": { model, policy: [], modules } });
    await world.say("1", "go");
    const question = await questionOf(world);
    await answer(world, question, "approved");
    await world.idle();
    expect(model.requests).toHaveLength(2);
    expect(textOf(model.requests[1]!)).not.toContain("approved");
    expect(textOf(model.requests[1]!)).toContain("deployed to prod");
  });
});
