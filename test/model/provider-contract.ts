// What every provider's model does, whatever its wire format.

import { describe, expect, it } from "vitest";
import { isLegionError, LegionError, type ErrorCode } from "../../src/base/errors.ts";
import type { Delta, Model, ModelProfile, ModelRequest } from "../../src/domain/model.ts";
import type { ProviderOptions } from "../../src/model/http/connection.ts";
import { events, json, startLoopback, text, useLoopback, type Ending, type Reply } from "./loopback.ts";

export const KEY = "sk-test-0123456789abcdef";
export const PROFILE: ModelProfile = { window: 100_000, maxOutput: 1_000, tools: true, summarises: true };
export const ASK: ModelRequest = {
  system: "You are a test.",
  tools: [],
  turns: [{ role: "user", text: "Hello?" }],
  pinned: "",
  maxOutput: 500,
};
export const NO_ABORT = new AbortController().signal;

export interface Format {
  readonly name: string;
  readonly keyVariable: string;
  create(options: ProviderOptions): Model;
  /** The base URL for a server at `url`. */
  baseUrl(url: string): string;
  /** An answer with this text: the whole of it, or a stream that goes on as told after the text and before its end. */
  say(text: string): Reply;
  stream(text: string, ending: Ending): Reply;
  whole(text: string): Reply;
  /** An error within a stream. */
  failing(type: string, message: string): Reply;
}

export async function failureOf(promise: Promise<unknown>): Promise<LegionError> {
  const error: unknown = await promise.then(
    () => new Error("it did not fail"),
    (reason: unknown) => reason,
  );
  if (isLegionError(error)) return error;
  throw error;
}

export function describeProvider(format: Format): void {
  describe(`${format.name}, as every provider`, () => {
    const loopback = useLoopback();
    const create = (options: Partial<ProviderOptions> = {}): Model =>
      format.create({
        id: "test-1",
        profile: PROFILE,
        apiKey: KEY,
        baseUrl: format.baseUrl(loopback.server.url),
        ...options,
      });
    const fail = (reply: Reply, options?: Partial<ProviderOptions>): Promise<LegionError> => {
      loopback.server.reply(reply);
      return failureOf(create(options).complete(ASK, { signal: NO_ABORT }));
    };

    it("streams text and passes the pieces on", async () => {
      loopback.server.reply(format.say("Hello there, äöü 🦜."));
      const deltas: Delta[] = [];
      const completion = await create().complete(ASK, {
        signal: NO_ABORT,
        onDelta: (delta) => deltas.push(delta),
      });
      expect(completion).toMatchObject({ text: "Hello there, äöü 🦜.", calls: [], stop: "end" });
      expect(deltas.length).toBeGreaterThan(1);
      expect(deltas.map((delta) => delta.kind === "text" && delta.text).join("")).toBe(
        "Hello there, äöü 🦜.",
      );
      expect(JSON.parse(loopback.server.requests[0]!.body)).toMatchObject({ model: "test-1", stream: true });
    });

    it("asks for the whole answer at once where streaming is off", async () => {
      loopback.server.reply(format.whole("All at once."));
      const deltas: Delta[] = [];
      const run = { signal: NO_ABORT, onDelta: (delta: Delta) => deltas.push(delta) };
      expect(await create({ stream: "off" }).complete(ASK, run)).toMatchObject({
        text: "All at once.",
        stop: "end",
      });
      expect(deltas).toEqual([{ kind: "text", text: "All at once." }]);
      expect(JSON.parse(loopback.server.requests[0]!.body)).not.toHaveProperty("stream");
    });

    it("sends the key as a bearer token and no sampling parameters", async () => {
      loopback.server.reply(format.say("ok"));
      await create().complete(ASK, { signal: NO_ABORT });
      const { headers, body } = loopback.server.requests[0]!;
      expect(headers.authorization).toBe(`Bearer ${KEY}`);
      expect(Object.keys(JSON.parse(body) as object)).not.toContain("temperature");
      expect(Object.keys(JSON.parse(body) as object)).not.toContain("top_p");
    });

    it("sends the headers that it is given, over its own", async () => {
      loopback.server.reply(format.say("ok"));
      const headers = { "X-Team": "garden", Authorization: "Basic of-a-gateway" };
      await create({ headers }).complete(ASK, { signal: NO_ABORT });
      expect(loopback.server.requests[0]!.headers).toMatchObject({
        "x-team": "garden",
        authorization: "Basic of-a-gateway",
      });
    });

    it.each<[number, ErrorCode]>([
      [400, "MODEL_REFUSED"],
      [401, "MODEL_REFUSED"],
      [402, "MODEL_REFUSED"],
      [403, "MODEL_REFUSED"],
      [404, "MODEL_REFUSED"],
      [408, "MODEL_BUSY"],
      [409, "MODEL_BUSY"],
      [413, "MODEL_REFUSED"],
      [422, "MODEL_REFUSED"],
      [429, "MODEL_BUSY"],
      [500, "MODEL_BUSY"],
      [502, "MODEL_BUSY"],
      [503, "MODEL_BUSY"],
      [504, "MODEL_BUSY"],
      [529, "MODEL_BUSY"],
    ])("maps status %i to %s in one attempt, with what the provider said", async (status, code) => {
      const error = await fail(json(status, { error: { message: `no, because ${status}` } }));
      expect(error.code).toBe(code);
      expect(error.message).toContain(`no, because ${status}`);
      expect(loopback.server.requests).toHaveLength(1);
    });

    it("says which variable holds a key that was refused", async () => {
      const error = await fail(json(401, { error: { message: "invalid key" } }));
      expect(error.message).toContain(`Check ${format.keyVariable}.`);
    });

    it.each<[string, Record<string, string>, number | undefined]>([
      ["seconds", { "retry-after": "7" }, 7_000],
      ["milliseconds", { "retry-after": "7", "retry-after-ms": "250" }, 250],
      ["a date long past", { "retry-after": "Thu, 01 Jan 1998 00:00:00 GMT" }, 0],
      ["nonsense", { "retry-after": "soon" }, 0],
      ["nothing", {}, 0],
    ])("reads the wait of a 429 that is given as %s", async (_, headers, waitMs) => {
      const error = await fail(json(429, { error: { message: "slow down" } }, headers));
      expect(error.retryAfterMs).toBe(waitMs);
    });

    it("tells a provider that asks for patience from one that broke", async () => {
      expect((await fail(json(529, { error: { message: "overloaded" } }))).retryAfterMs).toBe(0);
      expect((await fail(json(503, { error: { message: "busy" } }))).retryAfterMs).toBe(0);
      const broke = await fail(json(500, { error: { message: "broke" } }, { "retry-after": "7" }));
      expect(broke.retryAfterMs).toBeUndefined();
    });

    it.each([
      "prompt is too long: 210000 tokens > 200000 maximum",
      "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000",
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      "the request exceeds the available context size, try increasing it",
      "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
      "input length exceeds the context length",
    ])("recognises a prompt that is too long: %s", async (message) => {
      const error = await fail(json(400, { error: { message, type: "invalid_request_error" } }));
      expect(error.code).toBe("CONTEXT_OVERFLOW");
    });

    it("does not take a rate limit that speaks of context for a long prompt", async () => {
      const message =
        "This request would exceed the rate limit for long context requests (context window 1M).";
      expect((await fail(json(429, { error: { message } }))).code).toBe("MODEL_BUSY");
    });

    it("says it in one short line when a proxy answers with a page", async () => {
      const error = await fail(text(502, `<html><body>${"<p>bad gateway</p>".repeat(2_000)}</body></html>`));
      expect(error.code).toBe("MODEL_BUSY");
      expect(error.message).not.toContain("<");
      expect(error.message).toContain("502");
    });

    it("never repeats the key, not even where the provider does", async () => {
      for (const status of [400, 401, 429, 500]) {
        const said = `Incorrect API key provided: ${KEY}, also known as sk-test-********cdef.`;
        const error = await fail(json(status, { error: { message: said } }));
        expect(error.message).toContain("Incorrect API key");
        for (const secret of [KEY, "cdef", KEY.slice(3)]) expect(error.message).not.toContain(secret);
      }
    });

    it("never repeats a key that cannot even be sent", async () => {
      const apiKey = `${KEY}\n${KEY}`;
      const error = await failureOf(create({ apiKey }).complete(ASK, { signal: NO_ABORT }));
      expect(error.message).not.toContain(KEY.slice(3));
    });

    it("is busy when a stream is cut in the middle", async () => {
      expect((await fail(format.stream("half an ans", "cut"))).code).toBe("MODEL_BUSY");
    });

    it("is busy when a stream ends without saying why", async () => {
      const error = await fail(format.stream("half an ans", "end"));
      expect(error.code).toBe("MODEL_BUSY");
      expect(error.message).toContain("in the middle");
    });

    it("is busy when a stream stalls, and hangs up", async () => {
      const error = await fail(format.stream("half an ans", "stall"), { stallMs: 20 });
      expect(error.code).toBe("MODEL_BUSY");
      expect(error.message).toContain("sent nothing for 0.02 s");
      await loopback.server.closed();
    });

    it("is busy when no answer begins, and hangs up", async () => {
      expect((await fail(() => {}, { firstMs: 20 })).code).toBe("MODEL_BUSY");
      await loopback.server.closed();
      expect((await fail(() => {}, { firstMs: 20, stream: "off" })).code).toBe("MODEL_BUSY");
      await loopback.server.closed();
    });

    it.each([
      ["an event that is not JSON", events(["event: message_start\ndata: {broken"])],
      ["no event at all", events([])],
      ["lines of noise", events(["\u0000\u0001", "data", ":::", "retry: x"])],
      [
        "JSON that is no answer",
        events(['event: message_start\ndata: {"type":"message_start"}', "data: []"]),
      ],
    ])("is busy when a stream holds %s", async (_, reply) => {
      expect((await fail(reply)).code).toBe("MODEL_BUSY");
    });

    it.each([
      ["nothing", text(200, "", { "content-type": "application/json" })],
      ["no JSON", text(200, "oops", { "content-type": "application/json" })],
      ["an empty object", json(200, {})],
    ])("is busy when a whole answer is %s", async (_, reply) => {
      expect((await fail(reply, { stream: "off" })).code).toBe("MODEL_BUSY");
    });

    it("reads errors within a stream by their type", async () => {
      const cases: [type: string, message: string, code: ErrorCode][] = [
        ["overloaded_error", "Overloaded", "MODEL_BUSY"],
        ["server_error", "oops", "MODEL_BUSY"],
        ["invalid_request_error", "prompt is too long", "CONTEXT_OVERFLOW"],
        ["invalid_request_error", "bad tool", "MODEL_REFUSED"],
        ["some_new_error", "hm", "MODEL_BUSY"],
      ];
      for (const [type, message, code] of cases) {
        expect((await fail(format.failing(type, message))).code, type).toBe(code);
      }
    });

    it("is busy when nobody listens", async () => {
      const gone = await startLoopback();
      await gone.close();
      const model = create({ baseUrl: format.baseUrl(gone.url) });
      const error = await failureOf(model.complete(ASK, { signal: NO_ABORT }));
      expect(error).toMatchObject({ code: "MODEL_BUSY", retryAfterMs: undefined });
      expect(error.message).toContain("ECONNREFUSED");
    });

    it("is busy, and was not asked, behind a port that no request may go to", async () => {
      const model = create({ baseUrl: format.baseUrl("http://127.0.0.1:1") });
      const error = await failureOf(model.complete(ASK, { signal: NO_ABORT }));
      expect(error).toMatchObject({ code: "MODEL_BUSY", refused: {} });
      expect(error.message).toContain("bad port");
    });

    it("rejects with the reason of an abort in the middle of an answer, and hangs up", async () => {
      loopback.server.reply(format.stream("half an ans", "stall"));
      const caller = new AbortController();
      const reason = new Error("a person said stop");
      const onDelta = (): void => caller.abort(reason);
      await expect(create().complete(ASK, { signal: caller.signal, onDelta })).rejects.toBe(reason);
      await loopback.server.closed();
    });

    it("rejects with the reason of an abort before it began, without a request", async () => {
      await expect(create().complete(ASK, { signal: AbortSignal.abort("no") })).rejects.toBe("no");
      expect(loopback.server.requests).toHaveLength(0);
    });

    it("leaves no listener on the caller's signal", async () => {
      const caller = new AbortController();
      const added: string[] = [];
      const counted = new Proxy(caller.signal, {
        get(target, key) {
          const value: unknown = Reflect.get(target, key, target);
          if (typeof value !== "function") return value;
          if (key === "addEventListener" || key === "removeEventListener") added.push(key.slice(0, 3));
          return (value as () => unknown).bind(target);
        },
      });
      loopback.server.reply(format.say("ok"));
      await create().complete(ASK, { signal: counted });
      expect(added).toEqual(["add", "rem"]);
    });
  });
}
