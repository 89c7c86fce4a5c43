import { describe, expect, it } from "vitest";
import { createInvoker, type Legion, type LegionAgent, type OpenOptions } from "../../../src/index.ts";
import { createScriptedModel, type ScriptedModel } from "../../../src/model/scripted/scripted.ts";
import { createTempProject } from "../../temp-project.ts";
import { answerTo } from "../../scenarios/memory/scribe/listening.ts";
import { openProgram } from "../programs.ts";

const MEMORY = "main/legion";

const obliging = (): ScriptedModel =>
  createScriptedModel(({ tools }, index) => answerTo(tools[0]?.name, index));

async function openWithScribe(options: OpenOptions = {}): Promise<readonly [Legion, LegionAgent]> {
  const project = options.project ?? (await createTempProject());
  const legion = await openProgram({ project, model: obliging(), ...options });
  return [legion, await legion.spawn({ agent: "scribe", id: "scribe" })];
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

async function calls(legion: Legion, agent: LegionAgent): Promise<readonly string[]> {
  const made: string[] = [];
  for await (const event of legion.runtime.agents.get(agent.id)!.agent!.memory.read())
    if (event.kind === "observed") made.push(`${event.control} ${event.thread}`);
    else if (event.kind === "decision") made.push(event.calls[0]?.action ?? (event.text || "-"));
  return made.filter((one) => one !== "-");
}

describe("a program that has a scribe keep its conversations", () => {
  it("takes the steps of the protocol, each 6th message flushing, and each call resolves when it is done", async () => {
    const [legion, scribe] = await openWithScribe({ store: "memory" });
    const invoker = createInvoker(scribe);
    const memory = legion.memory(MEMORY);
    await invoker.startSession("t1");
    for (const n of numbers(7)) {
      const role = n % 2 === 1 ? "user" : "assistant";
      await invoker.processConversationMessage({ threadId: "t1", role, content: `Message ${n}.` });
      const entries = await memory.entries();
      expect(entries).toHaveLength(n);
      const sixth = expect.objectContaining({ upTo: entries[5]?.seq });
      expect(await memory.context()).toEqual(n < 6 ? undefined : sixth);
    }
    await invoker.endSession("t1");
    const [last] = await memory.entries({ limit: 1 });
    expect(await memory.context()).toMatchObject({ upTo: last!.seq });
    const processed = ["process_message t1", "add_entry", "Message processed."];
    const flushed = ["add_entry", "await_consistency", "put_context", "Flushed to context."];
    expect(await calls(legion, scribe)).toEqual([
      ...["start_session t1", "get_context", "list_entries"],
      ...numbers(5).flatMap(() => processed),
      ...["process_message_and_flush t1", ...flushed],
      ...processed,
      ...["end_session t1", "await_consistency", "put_context", "Session ended."],
    ]);
    expect(
      (await memory.entries({ limit: 2 })).map(({ role, speaker, thread, raw }) => [
        role,
        speaker,
        thread,
        raw,
      ]),
    ).toEqual([
      ["assistant", "assistant", "t1", "Message 6."],
      ["user", "user", "t1", "Message 7."],
    ]);
  });

  it("keeps three conversations apart that are interleaved, and in the order in which it was called where nobody waits", async () => {
    const [legion, scribe] = await openWithScribe({ store: "memory" });
    const invoker = createInvoker(scribe);
    const said = numbers(6).flatMap((n) =>
      ["a", "b", "c"].map((threadId) => ({ threadId, role: "user", content: `${threadId}${n}` }) as const),
    );
    await Promise.all(said.map(invoker.processConversationMessage));
    const entries = await legion.memory(MEMORY).entries({ limit: 50 });
    expect(entries.map(({ raw }) => raw)).toEqual(said.map(({ content }) => content));
    const made = await calls(legion, scribe);
    // No session was begun, so each is begun by its first message, and flushed by its sixth.
    for (const thread of ["a", "b", "c"]) {
      expect(made.filter((one) => one === `start_session ${thread}`)).toHaveLength(1);
      expect(made.filter((one) => one === `process_message_and_flush ${thread}`)).toHaveLength(1);
    }
  });

  it("knows what was said when, and by whom, and is found by it", async () => {
    const [legion, scribe] = await openWithScribe({ store: "memory" });
    const said = "2023-05-08T13:56:00.000Z";
    await createInvoker(scribe).processConversationMessage({
      ...{ threadId: "boats", role: "user", speaker: "Mara Lind", said },
      content: "The keel is of oak.",
    });
    const memory = legion.memory(MEMORY);
    await memory.consistent();
    const found = await memory.search({ text: "oak keel", until: "2023-05-08" });
    expect(found).toMatchObject([{ speaker: "Mara Lind", said, role: "user", raw: "The keel is of oak." }]);
    expect(await memory.search({ text: "oak keel", since: "2023-05-09" })).toEqual([]);
  });

  it("keeps the word flush as any other that somebody says", async () => {
    const [legion, scribe] = await openWithScribe({ store: "memory" });
    const invoker = createInvoker(scribe);
    for (const content of ["Hello.", "flush", "Bye."])
      await invoker.processConversationMessage({ threadId: "t", role: "user", content });
    expect((await legion.memory(MEMORY).entries()).map(({ raw }) => raw)).toEqual([
      "Hello.",
      "flush",
      "Bye.",
    ]);
    expect(await calls(legion, scribe)).not.toContain("end_session t");
  });

  it("ends no session in which nothing was said with a question to its model", async () => {
    const model = obliging();
    const [legion, scribe] = await openWithScribe({ store: "memory", model });
    const invoker = createInvoker(scribe);
    await invoker.endSession("never begun");
    await invoker.startSession("t");
    await invoker.endSession("t");
    expect(model.requests).toEqual([]);
    expect(await legion.memory(MEMORY).context()).toBeUndefined();
  });

  it("goes on counting where the program that was closed in between opens it again", async () => {
    const project = await createTempProject();
    const say = async (from: number, to: number): Promise<void> => {
      const [legion, scribe] = await openWithScribe({ project });
      const invoker = createInvoker(scribe);
      for (const n of numbers(to).slice(from - 1))
        await invoker.processConversationMessage({ threadId: "t", role: "user", content: `${n}` });
      await legion.stop();
    };
    await say(1, 4);
    await say(5, 6);
    const [legion] = await openWithScribe({ project });
    const entries = await legion.memory(MEMORY).entries();
    expect(entries.map(({ raw }) => raw)).toEqual(["1", "2", "3", "4", "5", "6"]);
    expect(await legion.memory(MEMORY).context()).toMatchObject({ upTo: entries.at(-1)!.seq });
  });

  it("has done once what was asked for before the program ended, when it opens again", async () => {
    const project = await createTempProject();
    const [first, scribe] = await openWithScribe({ project });
    const invoker = createInvoker(scribe);
    const asked = numbers(20).map((n) =>
      invoker.processConversationMessage({ threadId: "t", role: "user", content: `${n}` }),
    );
    const ends = Promise.allSettled(asked);
    await asked[2];
    await untilSent(first, 20);
    await first.stop();
    await ends;
    const [second] = await openWithScribe({ project });
    await second.runtime.untilIdle(new AbortController().signal);
    expect((await second.memory(MEMORY).entries()).map(({ raw }) => raw)).toEqual(numbers(20).map(String));
  });

  it("writes to the memory that it was spawned for, and a fork of it does nothing of that again", async () => {
    const [legion] = await openWithScribe({ store: "memory" });
    const scribe = await legion.spawn({ agent: "scribe", id: "clerk", memories: ["main/clerk"] });
    const invoker = createInvoker(scribe);
    for (const n of numbers(3))
      await invoker.processConversationMessage({ threadId: "t", role: "user", content: `${n}` });
    const { last } = legion.runtime.agents.get("clerk")!.agent!.memory.ledger;
    const fork = await legion.fork({ agent: "clerk", at: last, as: "clerk-2" });
    await createInvoker(fork).processConversationMessage({ threadId: "t", role: "user", content: "4" });
    await legion.runtime.untilIdle(new AbortController().signal);
    const entries = await legion.memory("main/clerk").entries();
    expect(entries.map(({ raw, by }) => `${raw} ${by}`)).toEqual([
      "1 clerk",
      "2 clerk",
      "3 clerk",
      "4 clerk-2",
    ]);
    expect(await legion.memory(MEMORY).entries()).toEqual([]);
  });

  it("rejects where the scribe is at its limit, and goes on from there", async () => {
    const [legion, scribe] = await openWithScribe({ store: "memory", limits: { steps: 2 } });
    const invoker = createInvoker(scribe);
    const asked = numbers(3).map((n) =>
      invoker.processConversationMessage({ threadId: "t", role: "user", content: `${n}` }),
    );
    const ends = await Promise.allSettled(asked);
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(ends[2]).toMatchObject({ reason: { code: "LIMIT" } });
    expect(await legion.memory(MEMORY).entries()).toHaveLength(2);
  });
});

/** Resolves when so many orders are safe. */
async function untilSent({ runtime: { inspector, control } }: Legion, count: number): Promise<void> {
  const said = (): Promise<number> =>
    control.alone(({ memory }) => Promise.resolve(memory.ledger.last - control.undelivered().length));
  while ((await said()) < count)
    await new Promise<void>((grown) => {
      const unwatch = inspector.watch(() => {
        unwatch();
        grown();
      });
    });
}

describe("an invocation that cannot be", () => {
  it.each([
    ["no message", ["process_message", "t"], /invoke: expected a text that says something/],
    ["an empty message", ["process_message", "t", { role: "user", content: " " }], /says something/],
    [
      "a role that there is not",
      ["process_message", "t", { role: "system", content: "x" }],
      /expected user or assistant/,
    ],
    [
      "a message to begin with",
      ["start_session", "t", { role: "user", content: "x" }],
      /start_session takes no message/,
    ],
    ["another word", ["start", "t"], /expected one of start_session/],
    ["a thread of what is heard", ["start_session", "0,1"], /two ids with a comma/],
    ["a thread of two lines", ["start_session", "a\nb"], /expected one line/],
    [
      "a time that is none",
      ["process_message", "t", { role: "user", content: "x", said: "tomorrow" }],
      /2026-03-01T12:00:00Z/,
    ],
  ])("is refused in a line, and nothing is sent: %s", async (_, words, why) => {
    const [legion, scribe] = await openWithScribe({ store: "memory" });
    const invoke = scribe.invoke as (...given: readonly unknown[]) => Promise<void>;
    await expect(invoke(...words)).rejects.toMatchObject({
      code: "USAGE",
      message: expect.stringMatching(why),
    });
    expect(await legion.runtime.unread("scribe")).toBe(0);
  });

  it("is refused by an agent that observes nothing", async () => {
    const [legion] = await openWithScribe({ store: "memory" });
    const agent = await legion.spawn();
    await expect(agent.invoke("start_session", "t")).rejects.toMatchObject({
      code: "USAGE",
      message: expect.stringContaining("observes nothing"),
    });
    expect(() => legion.memory("nowhere")).toThrow("is no memory");
  });
});
