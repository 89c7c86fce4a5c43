import { describe, expect, it } from "vitest";
import { laterView } from "../../../src/past/kept/later-view.ts";
import { createView, type KeptView, type ViewOptions } from "../../../src/past/view.ts";
import type { Event } from "../../../src/domain/event/event.ts";
import { textProtocol } from "../../../src/model/protocol/text.ts";
import { KEEP } from "../../domain/event/event-lines.ts";
import { decided } from "../digest/any-log.ts";

const EVENTS = Array.from({ length: 600 }, (_, n): Event => ({
  ...{ ...decided(n), calls: [{ id: `call-${n}`, action: "noop", parameters: {} }], seq: n + 1 },
  ...{ epoch: 1, at: "2026-01-01T00:00:00.000Z" },
}));

function seen(upTo: number, options: ViewOptions = KEEP) {
  const view = createView(options);
  for (const event of EVENTS.slice(0, upTo)) view.see(event);
  return view;
}

/** A view that was kept after 100 events, and how often it was read. */
function kept() {
  let reads = 0;
  const { items, ...rest } = seen(100).pack()!;
  const view: KeptView = {
    ...rest,
    get items() {
      reads++;
      return items;
    },
  };
  return { view, reads: () => reads };
}

describe("a view that was kept", () => {
  it("is read when somebody looks, once, and has seen all that came by then", () => {
    const { view, reads } = kept();
    const later = laterView(KEEP, view);
    for (const event of EVENTS.slice(100, 200)) later.see(event);
    expect(reads()).toBe(0);
    expect([later.chain, later.tokens]).toEqual([seen(200).chain, seen(200).tokens]);
    later.see(EVENTS[200]!);
    expect([later.chain, reads()]).toEqual([seen(201).chain, 1]);
  });

  it("has few events wait for that", () => {
    const { view, reads } = kept();
    const later = laterView(KEEP, view);
    for (const event of EVENTS.slice(100)) later.see(event);
    expect(reads()).toBe(1);
    expect(later.chain).toBe(seen(600).chain);
  });

  it("is kept again as it is where nothing came, and else with what came", () => {
    const { view, reads } = kept();
    const later = laterView(KEEP, view);
    expect([later.pack(), reads()]).toEqual([view, 0]);
    later.see(EVENTS[100]!);
    expect(laterView(KEEP, later.pack()!).chain).toBe(seen(101).chain);
  });

  it("is the one that was kept, and not kept again, while its options are others and it is not", () => {
    const options = { ...KEEP };
    const later = laterView(options, kept().view);
    options.protocol = textProtocol;
    expect(later.pack()).toBeUndefined();
    later.see(EVENTS[100]!);
    expect([later.chain, later.pack()]).toEqual([seen(101).chain, undefined]);
    expect(seen(101, options).chain).not.toBe(seen(101).chain);
  });
});
