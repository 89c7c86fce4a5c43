import { describe, expect, it } from "vitest";
import { createRequestRedactor, redactedModel } from "../../../../src/agent/parts/model/redacted-model.ts";
import { createRedactor } from "../../../../src/base/redaction/redactor.ts";
import type { Delta, ModelRequest, Turn } from "../../../../src/domain/model.ts";
import { createScriptedModel } from "../../../../src/model/scripted/scripted.ts";

const KEY = "sk-ant-x9Kq72fLmZ0vB3tYw";
const MARK = "[redacted:KEY]";
const redactor = createRedactor([{ name: "KEY", value: KEY }]);

function user(text: string): Turn {
  return { role: "user", text };
}

function requestWith(turns: readonly Turn[]): ModelRequest {
  return { system: "You are 1.", tools: [], turns, pinned: "", maxOutput: 100 };
}

describe("what a model is asked", () => {
  it("holds no secret anywhere", () => {
    const tool = { name: "use", description: `with ${KEY}`, parameters: { const: KEY } };
    const turns: readonly Turn[] = [
      user(KEY),
      {
        role: "assistant",
        text: KEY,
        calls: [{ id: "1", action: "use", parameters: { k: KEY } }],
        provider: {},
      },
      { role: "results", results: [{ call: "1", content: KEY, isError: false }] },
    ];
    const request = { ...requestWith(turns), system: KEY, pinned: KEY, tools: [tool] };
    const clean = createRequestRedactor(redactor)(request);
    expect(JSON.stringify(clean)).not.toContain(KEY);
    expect(clean.turns[1]).toEqual({
      role: "assistant",
      text: MARK,
      calls: [{ id: "1", action: "use", parameters: { k: MARK } }],
      // It was made for other words.
      provider: undefined,
    });
  });

  it("is the same object where nothing is to be hidden", () => {
    const request = requestWith([user("hello")]);
    expect(createRequestRedactor(redactor)(request)).toBe(request);
  });

  it("keeps what it was before, whatever becomes of its end", () => {
    const redact = createRequestRedactor(redactor);
    const turns = [user(`a ${KEY}`), user("b"), user(`c ${KEY}`)];
    const texts = (): unknown[] =>
      redact(requestWith(turns)).turns.map((turn) => "text" in turn && turn.text);
    const [first] = redact(requestWith(turns)).turns;
    turns.push(user("d"));
    expect(texts()).toEqual([`a ${MARK}`, "b", `c ${MARK}`, "d"]);
    expect(redact(requestWith(turns)).turns[0]).toBe(first);
    turns.splice(2, 2, user(`e ${KEY}`));
    expect(texts()).toEqual([`a ${MARK}`, "b", `e ${MARK}`]);
    turns.splice(0, 2, user("summary"));
    expect(texts()).toEqual(["summary", `e ${MARK}`]);
    turns.splice(0, 1, user("another summary"));
    expect(texts()).toEqual(["another summary", `e ${MARK}`]);
    turns.length = 1;
    expect(redact(requestWith(turns)).turns).toBe(turns);
  });
});

describe("what a model says while it says it", () => {
  it("is shown without secrets, and to its end also where it fails", async () => {
    const shown: Delta[] = [];
    const failing = {
      ...createScriptedModel([]),
      complete(_: ModelRequest, run: { readonly onDelta?: (delta: Delta) => void }) {
        for (const text of ["it is ", KEY.slice(0, 5), `${KEY.slice(5)}, sk-`])
          run.onDelta?.({ kind: "text", text });
        run.onDelta?.({ kind: "call", id: "c", name: KEY });
        return Promise.reject(new Error("cut off"));
      },
    };
    const run = { signal: new AbortController().signal, onDelta: (delta: Delta) => void shown.push(delta) };
    await expect(redactedModel(failing, redactor).complete(requestWith([]), run)).rejects.toThrow("cut off");
    expect(shown).toEqual([
      { kind: "text", text: "it is " },
      { kind: "text", text: `${MARK}, ` },
      { kind: "call", id: "c", name: MARK },
      { kind: "text", text: "sk-" },
    ]);
  });
});
