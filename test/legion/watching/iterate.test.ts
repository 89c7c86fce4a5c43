import { describe, expect, it } from "vitest";
import { ok } from "../../../src/domain/authoring/module.ts";
import type { Event } from "../../../src/domain/event/event.ts";
import { createInspector, type Inspection } from "../../../src/domain/inspection.ts";
import type { Model } from "../../../src/domain/model.ts";
import type { AgentEvent } from "../../../src/legion/watching/agent-event.ts";
import { createBacklog } from "../../../src/legion/watching/backlog.ts";
import { iterateAgentEvents } from "../../../src/legion/watching/iterate.ts";
import { subscribeToAgent } from "../../../src/legion/watching/subscribe.ts";
import { createScriptedModel } from "../../../src/model/scripted/scripted.ts";
import { delta, state } from "../../cli/inspections.ts";
import { createWorldInMemory, type World, type WorldAgent } from "../../world.ts";
import { work, workshop } from "../../workshop.ts";

const modules = workshop(() => ok("yes"));
const nothing = async function* (): AsyncGenerator<never> {};

async function openWatched(agent: WorldAgent, signal?: AbortSignal) {
  const world = await createWorldInMemory({ "1": agent });
  const events = iterateAgentEvents(sourceOf(world), signal);
  return { world, events };
}

function sourceOf({ legion }: World) {
  const read = (from: number) => legion.agents.get("1")!.agent!.memory.read(from);
  return { agent: "1", inspector: legion.inspector, read };
}

/** As a log has it that keeps nothing before it is committed. */
async function* committed(log: AsyncIterable<Event>): AsyncGenerator<Event> {
  const noted: Event[] = [];
  for await (const event of log) {
    noted.push(event);
    if (!["prompted", "refused", "sent"].includes(event.kind)) yield* noted.splice(0);
  }
}

async function untilRest(events: AsyncIterable<AgentEvent>): Promise<readonly AgentEvent[]> {
  const read: AgentEvent[] = [];
  for await (const event of events) {
    read.push(event);
    if (event.kind === "agent:end") break;
  }
  return read;
}

/** Says its text in pieces of four characters. */
function talkative(text: string): Model {
  const model = createScriptedModel([]);
  return {
    ...model,
    complete(_, { onDelta }) {
      for (let at = 0; at < text.length; at += 4) onDelta?.({ kind: "text", text: text.slice(at, at + 4) });
      return Promise.resolve({ text, calls: [], usage: { input: 1, output: 1 }, stop: "end" });
    },
  };
}

describe("an iterator over the events of an agent", () => {
  it("gives what a subscriber is told, also when it is read afterwards", async () => {
    const { world, events } = await openWatched({ script: [work("a", "b"), "Done."], modules });
    const told: AgentEvent[] = [];
    subscribeToAgent(world.legion.inspector, "1", (event) => told.push(event));
    await world.say("1", "go");
    await world.idle();
    expect(await untilRest(events)).toEqual(told);
    expect(told.length).toBeGreaterThan(10);
  });

  it("gives each event as it happens to who waits for it", async () => {
    const { world, events } = await openWatched({ script: ["Done."] });
    const first = events.next();
    await world.say("1", "go");
    expect((await first).value).toEqual({ agent: "1", kind: "agent:start" });
  });

  it("that nobody reads slows nobody, and gives the whole text in one piece from the log", async () => {
    const text = "all work and no play ".repeat(45_000);
    const { world, events } = await openWatched({ model: talkative(text) });
    await world.say("1", "go");
    await world.idle();
    const read = await untilRest(events);
    const pieces = read.flatMap((event) => (event.kind === "text:delta" ? [event.text] : []));
    expect(pieces).toEqual([text]);
    expect(read.map(({ kind }) => kind)).toEqual([
      ...["agent:start", "turn:start", "text:delta", "turn:end", "agent:end"],
    ]);
  });

  it("goes on live once a slow reader has caught up", async () => {
    const long = "x".repeat(900_000);
    const { world, events } = await openWatched({
      script: [long, "And more.", "The last."],
      profile: { window: 10_000_000 },
    });
    await world.say("1", "go");
    await world.idle();
    const first = await untilRest({ [Symbol.asyncIterator]: () => ({ next: () => events.next() }) });
    expect(first.at(-1)).toMatchObject({ kind: "agent:end", reason: "completed" });
    for (const said of ["And more.", "The last."]) {
      await world.say("1", "more");
      const next = await untilRest({ [Symbol.asyncIterator]: () => ({ next: () => events.next() }) });
      expect(next.flatMap((event) => (event.kind === "text:delta" ? [event.text] : []))).toEqual([said]);
    }
  });

  it("catches up, though what is only noted comes into the log with the next commit", async () => {
    const long = "x".repeat(900_000);
    const script = [long, "And more."];
    const world = await createWorldInMemory({ "1": { script, profile: { window: 10_000_000 } } });
    const source = sourceOf(world);
    const events = iterateAgentEvents({ ...source, read: (from) => committed(source.read(from)) });
    await world.say("1", "go");
    await world.idle();
    await world.say("1", "more");
    await world.idle();
    expect((await untilRest(events)).at(-1)).toMatchObject({ kind: "agent:end", reason: "completed" });
  });

  it("ends with an agent that is stopped, though the log never gets what was noted last", async () => {
    const inspector = createInspector();
    const events = iterateAgentEvents({ agent: "1", inspector, read: nothing });
    const content = "y".repeat(2_000_000);
    const note = { kind: "notice", reason: "restarted", content, seq: 7, epoch: 1, at: "" } as const;
    const [first] = [events.next()];
    for (const event of [note, { ...note, seq: 8 }]) inspector.inspect({ kind: "event", agent: "1", event });
    inspector.inspect(state("1", "stopped"));
    await first;
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it.each<[string, (world: World, end: AbortController) => Promise<void> | void]>([
    ["its signal aborts", (_, end) => end.abort()],
    ["the agent is stopped", (world) => world.stop()],
  ])("ends when %s", async (_, stop) => {
    const end = new AbortController();
    const { world, events } = await openWatched({ script: ["Done."] }, end.signal);
    const rest = (async () => {
      for await (const event of events) void event;
      return "over";
    })();
    await stop(world, end);
    expect(await rest).toBe("over");
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it("watches no more once it is left, also before its first event", async () => {
    let watchers = 0;
    const inspector = createInspector();
    const counted = {
      watch(watcher: (seen: Inspection) => void) {
        watchers++;
        const unwatch = inspector.watch(watcher);
        return () => (watchers--, unwatch());
      },
    };
    const events = iterateAgentEvents({ agent: "1", inspector: counted, read: nothing });
    expect(watchers).toBe(1);
    await events.return!();
    expect(watchers).toBeLessThan(1);
  });
});

describe("what waits for a reader", () => {
  it("is bounded while an answer streams without end, and while an agent works without end", () => {
    const backlog = createBacklog();
    const held = (): number => JSON.stringify(backlog).length;
    for (let n = 0; n < 200_000; n++) backlog.add(delta("1", "some words "));
    let waiting = 0;
    while (backlog.take()) waiting++;
    expect(waiting).toBeLessThan(10_000);
    for (let seq = 1; seq <= 20_000; seq++) {
      backlog.add(delta("1", "some words "));
      const content = "y".repeat(1_000);
      const event = { kind: "result", call: "c", outcome: "ok", content, seq, epoch: 1, at: "" } as const;
      backlog.add({ kind: "event", agent: "1", event });
      backlog.add(state("1", "waiting"));
    }
    expect(backlog.missed).toEqual({ from: 1, to: 20_000 });
    expect(held()).toBeLessThan(1_000);
    backlog.caughtUp();
    expect(backlog.take()).toEqual(state("1", "waiting"));
    expect(backlog.take()).toBeUndefined();
  });
});

describe("a subscriber", () => {
  it.each([
    [
      "throws",
      () => {
        throw new Error("mine");
      },
    ],
    ["rejects", () => Promise.reject(new Error("mine"))],
  ] as const)("that %s is told nothing more, and the agent goes on", async (_, fault) => {
    const world = await createWorldInMemory({ "1": { script: [work("a"), "Done."], modules } });
    let told = 0;
    subscribeToAgent(world.legion.inspector, "1", () => {
      told++;
      return fault();
    });
    await world.say("1", "go");
    await world.idle();
    expect((await world.kinds("1", "decision")).at(-1)?.text).toBe("Done.");
    expect(told).toBeLessThan(4);
  });

  it("that ends it at the first event is told no second one", async () => {
    const world = await createWorldInMemory({ "1": { script: ["Done."] } });
    const told: AgentEvent["kind"][] = [];
    const stop = subscribeToAgent(world.legion.inspector, "1", ({ kind }) => {
      told.push(kind);
      stop();
    });
    await world.say("1", "go");
    await world.idle();
    expect(told).toEqual(["agent:start"]);
  });

  it("that was ended is told nothing more", async () => {
    const world = await createWorldInMemory({ "1": { script: ["Done."] } });
    const told: AgentEvent[] = [];
    subscribeToAgent(world.legion.inspector, "1", (event) => told.push(event))();
    await world.say("1", "go");
    await world.idle();
    expect(told).toEqual([]);
  });
});
