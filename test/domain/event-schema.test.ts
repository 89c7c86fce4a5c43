import { expect, expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type { Event, EventOf } from "../../src/domain/event.ts";
import { eventSchemas, stampSchema } from "../../src/domain/event-schema.ts";

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
