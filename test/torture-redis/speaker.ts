// A person at a node, who says parcel after parcel, and says again what was not acknowledged.

import { appendFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Control } from "../../src/mail/control.ts";
import { LegionError } from "../../src/base/errors.ts";
import { GO_ON, ALL_LANES, drawLane, drawRoute, write } from "../torture/parcel.ts";
import { FLUSH, FLUSHED_AT, SCRIBE } from "../torture/scribe.ts";
import { seeded } from "../torture/seeded.ts";
import type { Parcels, Said } from "./order.ts";

export interface Speaker {
  /** True when nothing is left to be said. */
  readonly isSilent: boolean;
  /** Begins nothing new. */
  close(): void;
}

const RETRY_MS = 50;

export function startSpeaking(
  { name, seed, everyMs, fed }: Parcels,
  agents: readonly string[],
  control: Pick<Control, "say">,
): Speaker {
  const random = seeded(seed);
  const closing = new AbortController();
  const record = (line: Omit<Said, "at">): void =>
    appendFileSync(fed, `${JSON.stringify({ ...line, at: Date.now() })}\n`);
  let said = 0;
  /** Whoever does not know what became of a word is silent from then on, and another one goes on: it may still arrive. */
  let voice = 0;
  /** Per recipient. */
  let numbers = new Map<string, number>();
  const sayParcel = async (route: readonly string[]): Promise<void> => {
    const to = route[0]!;
    const lane = drawLane(random, ALL_LANES);
    const number = (numbers.get(to) ?? 0) + 1;
    numbers.set(to, number);
    const parcel = { name: `${name}p${++said}`, route, lane };
    record({ ...parcel, said: false });
    if (said % FLUSHED_AT === 0) await control.say([SCRIBE], FLUSH);
    const content = write({ ...parcel, stop: 0, number, from: `${name}s${voice}` });
    const [id] = await control.say([to], content, lane);
    record({ ...parcel, said: true, id: id! });
  };
  const insist = async (say: () => Promise<unknown>): Promise<void> => {
    for (;;) {
      try {
        return void (await say());
      } catch (error) {
        if (!(error instanceof LegionError)) throw error;
        voice++;
        numbers = new Map();
        await delay(RETRY_MS);
      }
    }
  };
  let isSilent = false;
  const speak = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const route = drawRoute(random, agents);
      await insist(() => sayParcel(route));
      await delay(everyMs * 2 * random(), undefined, { signal: closing.signal }).catch(() => undefined);
    }
    await insist(() => control.say("all", GO_ON));
    isSilent = true;
  };
  void speak();
  return {
    get isSilent() {
      return isSilent;
    },
    close: () => closing.abort(),
  };
}
