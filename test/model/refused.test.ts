// Which failures of a provider are known to have served nothing, and which are not.

import { describe, expect, it } from "vitest";
import type { LegionError } from "../../src/base/errors.ts";
import type { Model } from "../../src/domain/model.ts";
import type { ProviderOptions } from "../../src/model/http/connection.ts";
import { anthropicFormat } from "./anthropic/anthropic-format.ts";
import { json, startLoopback, useLoopback, type Reply } from "./loopback.ts";
import { openAiFormat } from "./openai/openai-format.ts";
import { ASK, KEY, NO_ABORT, PROFILE, failureOf } from "./provider-contract.ts";

describe.each([anthropicFormat, openAiFormat])("a call to $name", (format) => {
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

  it.each([400, 401, 402, 403, 404, 408, 413, 418, 422, 429, 503, 529])(
    "is refused that is answered with status %i",
    async (status) => {
      for (const stream of ["on", "off"] as const) {
        const error = await fail(json(status, { error: { message: "no" } }), { stream });
        expect(error.refused).toEqual({ status });
      }
    },
  );

  it.each([500, 502, 504])("may have been served that is answered with status %i", async (status) => {
    expect((await fail(json(status, { error: { message: "no" } }))).refused).toBeUndefined();
  });

  it("is refused that is too long, where the answer has not begun", async () => {
    const message = "prompt is too long";
    const error = await fail(json(400, { error: { type: "invalid_request_error", message } }));
    expect(error).toMatchObject({ code: "CONTEXT_OVERFLOW", refused: { status: 400 } });
    expect((await fail(format.failing("invalid_request_error", message))).refused).toBeUndefined();
  });

  it("may have been served that fails within a stream, whatever is said there", async () => {
    for (const type of ["overloaded_error", "rate_limit_error", "invalid_request_error", "server_error"])
      expect((await fail(format.failing(type, "no"))).refused, type).toBeUndefined();
  });

  it("may have been served that was cut off, stalled, or got no answer", async () => {
    const hangUp: Reply = (response) => void response.destroy();
    const silent: Reply = () => undefined;
    const ways: [Reply, Partial<ProviderOptions>][] = [
      [format.stream("half an ans", "cut"), {}],
      [format.stream("half an ans", "end"), {}],
      [format.stream("half an ans", "stall"), { stallMs: 20 }],
      [hangUp, {}],
      [silent, { firstMs: 20 }],
    ];
    for (const [reply, options] of ways)
      expect(await fail(reply, options)).toMatchObject({ code: "MODEL_BUSY", refused: undefined });
  });

  it("is refused where nobody listens", async () => {
    const gone = await startLoopback();
    await gone.close();
    const model = create({ baseUrl: format.baseUrl(gone.url) });
    const error = await failureOf(model.complete(ASK, { signal: NO_ABORT }));
    expect(error).toMatchObject({ code: "MODEL_BUSY", refused: {} });
    expect(error.refused).not.toHaveProperty("status");
  });

  it.each<[string, object, object | undefined]>([
    ["a name that does not resolve", { code: "ENOTFOUND", syscall: "getaddrinfo" }, {}],
    ["a name server that does not answer", { code: "EAI_AGAIN", syscall: "getaddrinfo" }, {}],
    ["a host out of reach", { code: "EHOSTUNREACH", syscall: "connect" }, {}],
    ["a host that does not answer", { code: "ETIMEDOUT", errors: [] }, {}],
    ["a connection that took too long", { code: "UND_ERR_CONNECT_TIMEOUT" }, {}],
    ["a certificate that is over", { code: "CERT_HAS_EXPIRED" }, {}],
    ["a connection that fell silent", { code: "ETIMEDOUT", syscall: "read" }, undefined],
    ["a connection that was reset", { code: "ECONNRESET", syscall: "read" }, undefined],
    ["a socket that died", { code: "UND_ERR_SOCKET" }, undefined],
  ])("tells %s from what may have been served", async (_, cause, refused) => {
    const failing = (): Promise<never> => {
      const reason = Object.assign(new Error("no"), cause);
      return Promise.reject(new TypeError("fetch failed", { cause: reason }));
    };
    const error = await failureOf(create({ fetch: failing }).complete(ASK, { signal: NO_ABORT }));
    expect(error).toMatchObject({ code: "MODEL_BUSY", refused });
  });
});
