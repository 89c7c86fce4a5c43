import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fail, ok } from "../../../src/domain/authoring/module.ts";
import type { Inspection } from "../../../src/domain/inspection.ts";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import type { AgentEvent, AgentEventOf } from "../../../src/legion/watching/agent-event.ts";
import { createAgentEventFold } from "../../../src/legion/watching/fold.ts";
import { byHand, createWorldInMemory, type World, type WorldAgent } from "../../world.ts";
import { committed, decision, delta, result, state } from "../../cli/inspections.ts";
import { work, workshop } from "../../workshop.ts";

/** Everything that inspections of agent 1 come to. */
function fold(seen: readonly Inspection[]): readonly AgentEvent[] {
  return seen.flatMap(createAgentEventFold("1"));
}

/** One line of an event. */
function line(event: AgentEvent): string {
  switch (event.kind) {
    case "text:delta":
    case "thoughts:delta":
      return `${event.kind} ${event.text}`;
    case "call:start":
    case "call:running":
      return `${event.kind} ${event.action}`;
    case "call:end":
      return `${event.kind} ${event.outcome}`;
    case "result":
      return `result ${event.outcome}: ${event.content}`;
    case "agent:end":
    case "notice":
      return `${event.kind} ${event.reason}`;
    default:
      return event.kind;
  }
}

const lines = (seen: readonly Inspection[]): readonly string[] => fold(seen).map(line);
const isKind =
  <K extends AgentEvent["kind"]>(kind: K) =>
  (event: AgentEvent): event is AgentEventOf<K> =>
    event.kind === kind;

const modules = workshop((step, host) => {
  if (step === "tell") host.progress("half way\n");
  return step === "bad" ? fail("no") : ok("yes");
});
const script: readonly ScriptedAnswer[] = [
  { thoughts: "First this.", text: "On it.", ...asObject(work("tell", "bad")) },
  { text: "All done." },
  { text: "You are welcome." },
];

function asObject(answer: ScriptedAnswer): Exclude<ScriptedAnswer, string> {
  return typeof answer === "string" ? { text: answer } : answer;
}

async function session(agent: WorldAgent = { script, modules }): Promise<World> {
  const world = await createWorldInMemory({ "1": agent });
  for (const text of ["Do it.", "Thank you."]) {
    await world.say("1", text);
    await world.idle();
  }
  return world;
}

const TURN_WITH_CALLS = [
  ...["turn:start", "thoughts:delta First this.", "text:delta On it."],
  ...["call:start work", "call:start work"],
];
const LAST_TURN = ["turn:start", "text:delta All done.", "turn:end"];
const SECOND_PROMPT = ["turn:start", "text:delta You are welcome.", "turn:end"];

describe("the events of an agent", () => {
  it("tell a whole session: each prompt from its start to its end, each turn, each call and its result", async () => {
    const { seen } = await session();
    expect(lines(seen)).toEqual([
      "agent:start",
      ...TURN_WITH_CALLS,
      ...["call:running work", "call:progress", "call:end ok", "result ok: yes"],
      ...["call:running work", "call:end error", "result error: no"],
      "turn:end",
      ...LAST_TURN,
      "agent:end completed",
      "agent:start",
      ...SECOND_PROMPT,
      "agent:end completed",
    ]);
    const running = fold(seen).find(isKind("call:running"));
    expect(running).toMatchObject({ agent: "1", parameters: { step: "tell" } });
  });

  it("add up: what the turns took is what the work took", async () => {
    const events = fold((await session()).seen);
    const tokens = events.flatMap((event) => (event.kind === "turn:end" ? [event.usage.output] : []));
    const [first, second] = events.filter(isKind("agent:end")).map(({ usage }) => usage.output);
    expect(tokens).toHaveLength(3);
    expect([first, second]).toEqual([tokens[0]! + tokens[1]!, tokens[2]]);
    expect(first).toBeGreaterThan(0);
  });

  it("tell the same of what is committed alone, but for what is only live", async () => {
    const { seen } = await session();
    expect(lines(seen.filter(({ kind }) => kind === "event"))).toEqual([
      "agent:start",
      ...TURN_WITH_CALLS,
      ...["call:end ok", "result ok: yes", "call:end error", "result error: no"],
      "turn:end",
      ...LAST_TURN,
      ...SECOND_PROMPT,
    ]);
  });

  it("hold each text, call and result once, whatever of what is live was missed", async () => {
    const { seen } = await session();
    const live = seen.flatMap(({ kind }, at) => (kind === "event" ? [] : [at]));
    const whole = { text: "On it.All done.You are welcome.", thoughts: "First this." };
    fc.assert(
      fc.property(fc.subarray(live), (missed) => {
        const events = fold(seen.filter((_, at) => !missed.includes(at)));
        const said = (kind: "text" | "thoughts"): string =>
          events
            .map((event) => (event.kind === `${kind}:delta` && "text" in event ? event.text : ""))
            .join("");
        expect({ text: said("text"), thoughts: said("thoughts") }).toEqual(whole);
        const count = (kind: AgentEvent["kind"]): number => events.filter(isKind(kind)).length;
        expect(["call:start", "call:end", "result"].map((kind) => count(kind as "result"))).toEqual([
          2, 2, 2,
        ]);
        expect([count("turn:start"), count("turn:end")]).toEqual([3, 3]);
        expect(count("agent:start") - count("agent:end")).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("tell of a compaction what it left of how many tokens", () => {
    const [tokens, stays] = [
      { before: 900, after: 45 },
      { messages: 1, decisions: 1, summaries: 1 },
    ] as const;
    const cost = { strategy: "rounds", usage: { input: 5, output: 2 }, tokens, stays };
    const summary = { kind: "summary", covers: [1, 9], content: "It was done.", ...cost } as const;
    const events = fold([committed("1", summary), committed("1", { ...summary, content: "" })]);
    expect(events.filter(isKind("compaction"))).toMatchObject([{ content: "It was done.", tokens, stays }]);
  });

  it("are those of one agent", async () => {
    const { seen } = await session();
    expect(seen.flatMap(createAgentEventFold("2"))).toEqual([]);
  });
});

describe("the end of an agent's work", () => {
  it("is `aborted` when a person stopped it", async () => {
    const asked = byHand();
    const never = byHand<ScriptedAnswer>();
    const world = await createWorldInMemory({
      "1": { script: () => (asked.resolve(), never.promise) },
    });
    await world.say("1", "Think.");
    await asked.promise;
    await world.legion.control.say(["1"], "Stop.", "abort");
    await world.idle();
    expect(lines(world.seen)).toEqual(["agent:start", "turn:start", "turn:end", "agent:end aborted"]);
  });

  it("is `limit` at a limit, `error` where something is wrong, each said once", async () => {
    const limited = await createWorldInMemory({ "1": { script, modules, limits: { steps: 1 } } });
    await limited.say("1", "Do it.");
    await limited.idle();
    expect(lines(limited.seen).slice(-3)).toEqual(["notice parked-limit", "turn:end", "agent:end limit"]);
    const parked = [
      state("1", "thinking"),
      committed("1", { kind: "notice", reason: "parked", content: "It goes in circles." }),
      state("1", "parked", "It goes in circles."),
    ];
    expect(lines(parked)).toEqual(["agent:start", "turn:start", "error", "turn:end", "agent:end error"]);
  });

  it.each([
    ["paused", "aborted", { reason: "paused" }],
    ["at the end of its turns", "limit", { reason: "parked-mail", details: "turns" }],
    ["in a loop", "error", { reason: "parked-mail" }],
    ["halted", "error", { reason: "halted" }],
  ] as const)("is told of an agent that is %s as `%s`", (_, reason, notice) => {
    const seen = [state("1", "thinking"), committed("1", { kind: "notice", content: "", ...notice })];
    expect(lines(seen).at(-1)).toBe(`agent:end ${reason}`);
  });
});

describe("an answer that is tried again", () => {
  it("begins anew after a notice, also if that was missed", () => {
    const tries = [delta("1", "Half an"), state("1", "retrying", "overloaded"), delta("1", "A whole")];
    const seen = [...tries, decision("1", { text: "A whole answer." })];
    expect(lines(seen).slice(2)).toEqual([
      ...["text:delta Half an", "notice retrying", "text:delta A whole", "text:delta  answer.", "turn:end"],
    ]);
    expect(lines(seen.filter(({ kind }) => kind !== "live:state")).slice(-3)).toEqual([
      ...["notice retrying", "text:delta A whole answer.", "turn:end"],
    ]);
  });
});

describe("an answer that is cut off", () => {
  it.each([
    ["is told to go on, and that is part of its turn", [result("1", "Go on.", { call: null })]],
    ["stays as it is, and the next turn ends its own", []],
  ])("%s", (_, results) => {
    const cut = decision("1", { text: "Half", stop: "length" });
    const seen = [state("1", "thinking"), cut, ...results, state("1", "acting"), state("1", "thinking")];
    expect(lines(seen)).toEqual([
      ...["agent:start", "turn:start", "text:delta Half"],
      ...results.map(() => "result ok: Go on."),
      ...["turn:end", "turn:start"],
    ]);
  });
});

describe("whoever begins to watch in the middle", () => {
  it("of an answer gets the rest of it, and its turn from the start", () => {
    const seen = [delta("1", "the end."), decision("1", { text: "The beginning and the end." })];
    expect(lines(seen).slice(0, 3)).toEqual(["agent:start", "turn:start", "text:delta the end."]);
  });

  it("of a call gets its result, and then the next turn", () => {
    const seen = [state("1", "acting"), result("1", "yes", { call: "x" }), state("1", "thinking")];
    expect(lines(seen)).toEqual([
      ...["agent:start", "turn:start", "result ok: yes", "turn:end", "turn:start"],
    ]);
  });
});
