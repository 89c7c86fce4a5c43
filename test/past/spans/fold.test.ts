import { describe, expect, it } from "vitest";
import { spanIdOf, traceIdOf, type Span } from "../../../src/past/spans/span.ts";
import {
  LEGION,
  decision,
  letter,
  mail,
  numbered,
  opened,
  prompted,
  result,
  shortly,
  tell,
} from "./story.ts";

const only = (spans: readonly Span[], name: string): Span => {
  const found = spans.filter((span) => span.name.startsWith(name));
  expect(found).toHaveLength(1);
  return found[0]!;
};

const task = [opened(), mail("0>1#1"), prompted(), decision(["a", "b"]), result("a"), result("b", "error")];
const done = [prompted(), decision([])];

describe("a piece of work", () => {
  it("is a span from its mail to rest, with its model calls and its actions below it", () => {
    const { spans, open } = tell({ 1: [...task, ...done] })[1];
    expect(shortly(spans)).toEqual([
      "chat m-1 3-4",
      "execute_tool do-a 4-5",
      "execute_tool do-b 5-6 tool_error",
      "chat m-1 7-8",
      "invoke_agent Agent 1 2-8",
    ]);
    expect(open).toEqual([]);
    const work = only(spans, "invoke_agent");
    expect(work).toMatchObject({ trace: traceIdOf(LEGION, "0>1#1"), id: spanIdOf("log of 1", "2") });
    expect(work.parent).toBeUndefined();
    for (const span of spans.slice(0, -1)) expect([span.trace, span.parent]).toEqual([work.trace, work.id]);
    expect(new Set(spans.map(({ id }) => id)).size).toBe(spans.length);
    for (const { id, trace } of spans) expect([id, trace].join()).toMatch(/^[0-9a-f]{16},[0-9a-f]{32}$/);
  });

  it("has the names of the conventions, and nothing of what was said unless that is asked for", () => {
    const log = [...task, ...done];
    const plain = tell({ 1: log })[1].spans;
    expect(plain[0]?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.request.model": "m-1",
      "gen_ai.response.finish_reasons": ["tool_call"],
      "gen_ai.usage.input_tokens": 90,
      "gen_ai.usage.output_tokens": 7,
      "gen_ai.agent.id": "1",
      "gen_ai.agent.name": "Agent 1",
      "gen_ai.conversation.id": "log of 1",
    });
    expect(plain[1]?.attributes).toMatchObject({ "gen_ai.tool.name": "do-a", "gen_ai.tool.call.id": "a" });
    expect(JSON.stringify(plain)).not.toMatch(/Well|This is|is done|messages/);
    const full = tell({ 1: log }, "told")[1].spans;
    expect(full[0]?.attributes["gen_ai.input.messages"]).toContain("This is 0>1#1.");
    expect(full[0]?.attributes["gen_ai.output.messages"]).toContain('"name":"do-a"');
    expect(full[1]?.attributes["gen_ai.tool.call.arguments"]).toBe('{"of":"a"}');
    expect(full[3]?.attributes["gen_ai.input.messages"]).toContain("b is done.");
    expect(full[3]?.attributes["gen_ai.input.messages"]).not.toContain("This is");
    expect(full.map(({ id }) => id)).toEqual(plain.map(({ id }) => id));
  });

  it("goes on while it has something to do, and is told of meanwhile as open", () => {
    const { spans, open } = tell({ 1: [...task, prompted()] })[1];
    expect(shortly(spans).at(-1)).toBe("execute_tool do-b 5-6 tool_error");
    expect(shortly(open)).toEqual(["chat m-1 7-7", "invoke_agent Agent 1 2-7"]);
    expect(open.every(({ attributes }) => attributes["ai_legion.open"] === true)).toBe(true);
  });

  it("that was stopped ends where the stop was taken in", () => {
    const stopped = [
      opened(),
      mail("0>1#1"),
      prompted(),
      decision([], { stop: "aborted" }),
      mail("0>1#2", { delivery: "abort" }),
    ];
    expect(shortly(tell({ 1: stopped })[1].spans)).toEqual([
      "chat m-1 3-4 aborted",
      "invoke_agent Agent 1 2-4",
    ]);
    const late = [
      ...task.slice(0, 4),
      result("a", "idle"),
      result("b", "idle"),
      mail("0>1#2", { delivery: "abort" }),
    ];
    expect(shortly(tell({ 1: late })[1].spans).at(-1)).toBe("invoke_agent Agent 1 2-6");
  });

  it("of a run that ends for another reason than that it is done says which", () => {
    const end = {
      kind: "notice",
      reason: "ended",
      content: "",
      details: { status: "LimitsExceeded", submission: "" },
    } as const;
    expect(shortly(tell({ 1: [...task, end] })[1].spans).at(-1)).toBe(
      "invoke_agent Agent 1 2-7 LimitsExceeded",
    );
  });
});

describe("a message of another agent", () => {
  const asked = letter("1>2#1", { root: "0>1#1" });
  const first = [
    opened(),
    mail("0>1#1"),
    prompted(),
    decision(["a"]),
    result("a", "ok", { sends: [asked] }),
    ...done,
  ];
  const second = [opened("log of 2"), mail("1>2#1", { root: "0>1#1" }), ...done];

  it("continues the trace: the work is below the action that sent it", () => {
    const told = tell({ 1: first, 2: second });
    const sender = only(told[1].spans, "execute_tool");
    const work = only(told[2].spans, "invoke_agent");
    expect([work.trace, work.parent]).toEqual([sender.trace, sender.id]);
    expect(tell({ 2: second })[2].spans.at(-1)).toEqual({ ...work, parent: undefined });
  });

  it("that is a plain answer comes from the model call", () => {
    const plain = [opened(), mail("0>1#1"), prompted(), decision([], { sends: [asked] })];
    const told = tell({ 1: plain, 2: second });
    expect(only(told[2].spans, "invoke_agent").parent).toBe(only(told[1].spans, "chat").id);
  });

  it("is linked where it joins work for another chain, and takes it over", () => {
    const joined = [
      opened("log of 2"),
      mail("0>2#1"),
      mail("1>2#1", { root: "0>1#1" }),
      mail("0>2#2", { root: "0>2#1" }),
      ...done,
    ];
    const told = tell({ 1: first, 2: joined });
    const [chat, own, others] = told[2].spans;
    expect(shortly(told[2].spans)).toEqual([
      "chat m-1 5-6",
      "invoke_agent Agent 2 2-6",
      "invoke_agent Agent 2 3-6",
    ]);
    expect(chat).toMatchObject({ trace: own?.trace, parent: own?.id });
    expect(chat?.links).toEqual([{ trace: others?.trace, id: only(told[1].spans, "execute_tool").id }]);
    const over = [opened("log of 2"), mail("0>2#1"), mail("1>2#1", { root: "0>1#1" }), ...done];
    const taken = tell({ 1: first, 2: over })[2].spans;
    expect(taken[0]).toMatchObject({
      parent: taken[2]?.id,
      links: [{ id: taken[1]?.id, trace: taken[1]?.trace }],
    });
  });

  it("that is held counts where it is shown", () => {
    const held = [
      opened("log of 2"),
      mail("0>2#1", { delivery: "follow-up" }, true),
      ...task.slice(0, 0),
      mail("0>2#2"),
      ...done,
    ];
    const log = [...held, { kind: "released", messages: [2] } as const, ...done];
    expect(shortly(tell({ 2: log })[2].spans).filter((span) => span.startsWith("invoke"))).toEqual([
      "invoke_agent Agent 2 3-5",
      "invoke_agent Agent 2 6-8",
    ]);
  });
});

describe("a crash", () => {
  it("ends a model call where its process was last heard of, and the work goes on", () => {
    const log = [opened(), mail("0>1#1"), prompted(), { kind: "sent", upTo: 1 } as const, opened(), ...done];
    const { spans } = tell({ 1: log })[1];
    expect(shortly(spans)).toEqual(["chat m-1 3-4 interrupted", "chat m-1 6-7", "invoke_agent Agent 1 2-7"]);
  });

  it("ends a call that it cut off, and one that is run again begins again", () => {
    const cut = [...task.slice(0, 4), opened(), result("a", "interrupted"), result("b", "idle"), ...done];
    expect(shortly(tell({ 1: cut })[1].spans).slice(1, 3)).toEqual([
      "execute_tool do-a 4-4 interrupted",
      "execute_tool do-b 6-7",
    ]);
    const again = [
      ...task.slice(0, 4),
      opened(),
      { kind: "notice", reason: "restarted", content: "", details: "again" } as const,
      result("a"),
    ];
    expect(shortly(tell({ 1: again })[1].spans)[1]).toBe("execute_tool do-a 6-7");
  });
});

describe("a log with branches", () => {
  it("begins its work anew where it goes back, for the chain that it was at there", () => {
    const log = [
      ...task,
      { kind: "branch", to: 2 } as const,
      ...done,
      mail("0>1#2"),
      ...done,
      { kind: "branch", to: 4 } as const,
      ...done,
    ];
    const { spans } = tell({ 1: log })[1];
    const works = spans.filter(({ operation }) => operation === "invoke_agent");
    expect(shortly(works)).toEqual(
      ["2-7", "8-9", "10-12", "14-15"].map((times) => `invoke_agent Agent 1 ${times}`),
    );
    const one = traceIdOf(LEGION, "0>1#1");
    expect(works.map(({ trace }) => trace)).toEqual([one, one, traceIdOf(LEGION, "0>1#2"), one]);
    expect(new Set(spans.map(({ id }) => id)).size).toBe(spans.length);
  });

  it("makes no spans of a past that was another agent's", () => {
    const copied = [
      opened("log of 3"),
      ...task.slice(1),
      { kind: "branch", to: 4, origin: "1" } as const,
      ...done,
    ];
    const { spans, open } = tell({ 3: copied })[3];
    expect([shortly(spans), open]).toEqual([["chat m-1 8-9", "invoke_agent Agent 3 8-9"], []]);
    expect(spans[1]?.trace).toBe(traceIdOf(LEGION, "0>1#1"));
  });
});

it("a log that says anything makes spans of what can be understood, in bounded room", () => {
  const long = "x".repeat(10_000);
  const wild = [
    opened(),
    result("nobody's"),
    { kind: "refused", prompted: 99 } as const,
    { kind: "released", messages: [7, 7, -1] } as const,
    prompted(1, "no call"),
    { kind: "branch", to: 77 } as const,
    decision([long, long]),
    result(long),
    ...Array.from({ length: 300 }, (_, n) => mail(`0>1#${n + 1}`)),
    {
      kind: "observed",
      of: { agent: "2", log: "", seq: 0 },
      from: "?",
      control: "process_message",
      thread: "0,1",
      n: 1,
      message: letter("0>2#1"),
    } as const,
    ...done,
  ];
  const { spans, open } = tell({ 1: wild })[1];
  expect(open.length).toBeLessThan(110);
  expect(Math.max(...spans.map(({ name }) => name.length))).toBeLessThan(250);
  for (const { startMs, endMs } of [...spans, ...open]) expect(endMs).toBeGreaterThanOrEqual(startMs);
  const [first] = numbered(wild);
  expect(first?.kind).toBe("opened");
});
