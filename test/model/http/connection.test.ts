import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Provider } from "../../../src/model/http/failure.ts";
import { dial, type Line } from "../../../src/model/http/connection.ts";
import { NO_ABORT, PROFILE, failureOf } from "../provider-contract.ts";

const PROVIDER: Provider = { label: "Test", model: "test/x", keyVariable: "TEST_KEY", apiKey: "key" };

/** A call whose bytes arrive when the test says so. */
function openCall(limits: { firstMs?: number; stallMs?: number; timeoutMs?: number } = {}) {
  let source!: ReadableStreamDefaultController<Uint8Array>;
  let line!: Line;
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void (source = controller) });
  const options = {
    id: "x",
    profile: PROFILE,
    apiKey: "key",
    ...limits,
    fetch: async () => new Response(body),
  };
  let isReady!: () => void;
  const ready = new Promise<void>((resolve) => (isReady = resolve));
  const talk = async (given: Line): Promise<string> => {
    line = given;
    const response = await given.fetch("http://test/");
    const reader = response.body!.getReader();
    given.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}));
    isReady();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += Buffer.from(value).toString();
    }
  };
  const answer = dial(PROVIDER, options, { signal: NO_ABORT }, talk);
  // Looked at below; until then its failure is nobody's.
  answer.catch(() => {});
  return {
    answer,
    ready,
    begun: () => line.begun(),
    aborted: () => line.signal.aborted,
    async send(bytes: string | Uint8Array): Promise<void> {
      source.enqueue(typeof bytes === "string" ? Buffer.from(bytes) : bytes);
      // The byte passes through streams, which take turns of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
    },
    end: () => source.close(),
  };
}

describe("a call on the wire", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("lets a provider be silent for as long as the answer has not begun, then for less", async () => {
    const { answer, ready, begun, aborted, send, end } = openCall({ firstMs: 300_000, stallMs: 60_000 });
    await ready;
    vi.advanceTimersByTime(299_999);
    expect(aborted()).toBe(false);
    await send("a");
    begun();
    for (let n = 0; n < 5; n++) {
      vi.advanceTimersByTime(59_999);
      expect(aborted()).toBe(false);
      // Any byte counts, also one that says nothing: providers ping while they work.
      await send(": ping\n\n");
      begun();
    }
    end();
    expect(await answer).toBe(`a${": ping\n\n".repeat(5)}`);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends a call in which the provider fell silent", async () => {
    const { ready, begun, aborted, send } = openCall({ firstMs: 300_000, stallMs: 60_000 });
    await ready;
    await send("a");
    begun();
    vi.advanceTimersByTime(60_000);
    expect(aborted()).toBe(true);
  });

  it("ends a call in which no answer begins", async () => {
    const { ready, aborted } = openCall();
    await ready;
    vi.advanceTimersByTime(300_000);
    expect(aborted()).toBe(true);
  });

  it("ends an answer that takes longer than it may, however much is sent", async () => {
    const { answer, ready, begun, aborted, send } = openCall({ timeoutMs: 90_000 });
    await ready;
    await send("a");
    begun();
    vi.advanceTimersByTime(50_000);
    await send("b");
    vi.advanceTimersByTime(39_999);
    expect(aborted()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(aborted()).toBe(true);
    await answer.catch(() => {});
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends an answer that does not end", async () => {
    const { answer, ready, aborted, send } = openCall();
    await ready;
    const megabyte = new Uint8Array(1_048_576);
    for (let n = 0; n < 64; n++) await send(megabyte);
    expect(aborted()).toBe(false);
    await send("x");
    expect(aborted()).toBe(true);
    await answer.catch(() => {});
  });

  it("hands on what no provider can throw as it is", async () => {
    const bug = new TypeError("undefined is not a function");
    const options = { id: "x", profile: PROFILE, apiKey: "key" };
    const talk = (): Promise<never> => Promise.reject(bug);
    await expect(dial(PROVIDER, options, { signal: NO_ABORT }, talk)).rejects.toBe(bug);
  });

  it.each([
    ["a socket that died", Object.assign(new TypeError("terminated"), { cause: { code: "UND_ERR_SOCKET" } })],
    [
      "a name that does not resolve",
      Object.assign(new Error("x"), { cause: { cause: { code: "ENOTFOUND" } } }),
    ],
    ["JSON cut in half", new SyntaxError("Unexpected end of JSON input")],
  ])("takes %s for a provider that broke", async (_, thrown) => {
    const options = { id: "x", profile: PROFILE, apiKey: "key" };
    const error = await failureOf(
      dial(PROVIDER, options, { signal: NO_ABORT }, () => Promise.reject(thrown)),
    );
    expect(error).toMatchObject({ code: "MODEL_BUSY", retryAfterMs: undefined });
  });
});
