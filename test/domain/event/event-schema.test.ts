import { expect, expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type { Event, EventOf } from "../../../src/domain/event/event.ts";
import { eventSchemas, messageSchema, stampSchema } from "../../../src/domain/event/event-schema.ts";
import { letter } from "../../mail/letter.ts";

/** Words of a fixed set are any words, nothing is written to, and what may be absent may not be there as `undefined`. */
type Plain<T> = unknown extends T
  ? unknown
  : T extends string
    ? string
    : T extends number
      ? number
      : T extends boolean
        ? boolean
        : { readonly [K in keyof T]: Plain<Exclude<T[K], undefined>> };

it("the schema and the types of events have the same fields", () => {
  type Described = { [K in keyof typeof eventSchemas]: Plain<z.output<(typeof eventSchemas)[K]>> };
  type Typed = { [K in Event["kind"]]: Plain<EventOf<K>> };
  expectTypeOf<Described>().toEqualTypeOf<Typed>();
});

const stamp = { seq: 1, epoch: 1, at: "2026-01-01T00:00:00.000Z" };

it("what JSON leaves out is not missed", () => {
  const call = { id: "c1", action: "noop", parameters: undefined };
  const usage = { input: 0, output: 0 };
  const decision = { text: "", calls: [call], protocol: "tools", model: "m", usage, stop: "calls" };
  const events = [
    { ...stamp, kind: "decision", ...decision },
    { ...stamp, kind: "edited", module: "m", key: "k", value: undefined },
  ] as const;
  for (const event of events)
    expect(eventSchemas[event.kind].safeParse(JSON.parse(JSON.stringify(event))).error).toBeUndefined();
});

it("an event of a later version is one by its stamp", () => {
  expect(stampSchema.safeParse({ ...stamp, kind: "dreamt", of: "sheep" }).success).toBe(true);
  expect(stampSchema.safeParse({ ...stamp, kind: "dreamt", seq: 0 }).success).toBe(false);
});

it("what came from outside is a list of sources, or `true` as earlier versions wrote it; authority is a list", () => {
  const { message } = letter("1", 1);
  const result = { ...stamp, kind: "result", call: "a", outcome: "ok", content: "" };
  const isMessage = (more: object): boolean => messageSchema.safeParse({ ...message, ...more }).success;
  const isResult = (more: object): boolean => eventSchemas.result.safeParse({ ...result, ...more }).success;
  for (const taint of [undefined, true, [], ["a page", "and more"]])
    expect([isMessage({ taint }), isResult({ taint })]).toEqual([true, true]);
  for (const taint of ["a page", [1], [["a"]], {}, 1, null])
    expect([isMessage({ taint }), isResult({ taint })]).toEqual([false, false]);
  expect([undefined, [], ["1"]].map((authority) => isMessage({ authority }))).toEqual([true, true, true]);
  expect(["1", [1], {}, true, null].some((authority) => isMessage({ authority }))).toBe(false);
});
