// Starts the process, feeds it, kills it, again and again; lets it come to rest at the end and asks the checker.

import { mkdirSync } from "node:fs";
import { withLegion } from "../../src/control/open.ts";
import { createFileBackend } from "../../src/storage/files/backend.ts";
import { questionPlaces, startAnswering, type Temper } from "./answers.ts";
import { join } from "node:path";
import { check, type Verdict } from "./checker.ts";
import { gather } from "./evidence.ts";
import type { Violation } from "./fault.ts";
import { live, type Ended, type Fate, type Sleeper } from "./life.ts";
import { CARRIERS, type Order } from "./order.ts";
import { drawLane, drawRoute, NORMAL_ALONE, type Lanes } from "./parcel.ts";
import { keepForScribe } from "./scribe.ts";
import type { SharpPoint } from "./sharp-disk.ts";

/** One life of the process. */
export interface Life {
  readonly mode: Order["mode"];
  /** How many parcels Control hands out. */
  readonly parcels: number;
  readonly until: Order["until"];
  /** Befalls it also if it does not come to its sharp point. */
  readonly fate: Fate;
  readonly sharp?: SharpPoint;
}

export interface Campaign {
  /** An empty one, for everything that is written. */
  readonly folder: string;
  readonly program: string;
  /** Of the journeys. */
  readonly random: () => number;
  /** The next life; `undefined` when it is over. `startMs`: how long the process took to be ready, lately. */
  readonly next: (kills: number, startMs: number) => Life | undefined;
  /** How a person answers what is asked; in all ways by default. */
  readonly temper?: Temper;
  /** How Control says what it says; all of it is normal mail by default. */
  readonly lanes?: Lanes;
  /** How long the last life may take to come to rest. */
  readonly settleMs: number;
  readonly onKill?: (kills: number) => void;
}

export interface Outcome extends Verdict {
  readonly kills: number;
  readonly lives: number;
}

const FIRST_START_MS = 400;

export async function wage(campaign: Campaign): Promise<Outcome> {
  const { folder, program, settleMs } = campaign;
  const places = {
    project: join(folder, "project"),
    effects: join(folder, "effects"),
    fed: join(folder, "fed"),
    rests: join(folder, "rests"),
    ...questionPlaces(folder),
  };
  mkdirSync(places.project);
  const post = createPost(campaign.random, campaign.lanes ?? NORMAL_ALONE);
  let kills = 0;
  let lives = 0;
  let startMs = FIRST_START_MS;
  let sleeper: Sleeper | undefined;
  const next = async (order: Order, fate: Fate): Promise<Ended> => {
    const before = sleeper;
    const ended = await live(program, order, fate, () => before?.wake());
    await before?.bury();
    sleeper = ended.sleeper;
    lives++;
    if (ended.by !== "itself") kills++;
    if (ended.readyMs) startMs += (ended.readyMs - startMs) / 4;
    return ended;
  };
  // A last word to all would bring back what was lost: where nothing is aborted there is none.
  const until = campaign.lanes ? "rest" : "idle";
  const settle = async (): Promise<string> => {
    const order: Order = { ...places, mode: "host", parcels: [], until };
    const { by, error } = await next(order, { signal: "SIGKILL", after: "spawn", ms: settleMs });
    return by === "itself" ? error : `It did not come to rest within ${settleMs} ms.`;
  };
  // So that there is somebody to send to.
  let error = await settle();
  await keepForScribe(createFileBackend(places.project));
  const site = { project: places.project, config: { durability: "disk" } } as const;
  // As at another terminal: over the socket of a node, or, while it is dead, by hand.
  const person = startAnswering({
    places,
    temper: campaign.temper ?? "any",
    say: (verdict) =>
      withLegion({ ...site, backend: createFileBackend(places.project) }, (legion) => legion.answer(verdict)),
  });
  for (let life = campaign.next(kills, startMs); life && !error; life = campaign.next(kills, startMs)) {
    const { fate, parcels, ...rest } = life;
    error = (await next({ ...places, ...rest, parcels: post(parcels) }, fate)).error;
    campaign.onKill?.(kills);
  }
  person.calm();
  error ||= await settle();
  await person.close();
  const { violations, figures } = check(gather(places));
  const unsettled: readonly Violation[] = error ? [{ fault: "unsettled", text: error }] : [];
  return { violations: [...unsettled, ...violations], figures, kills, lives };
}

/** Makes parcels whose journeys lead anywhere, and to Control in the end. */
function createPost(random: () => number, lanes: Lanes): (count: number) => Order["parcels"] {
  let number = 0;
  return (count) =>
    Array.from({ length: count }, () => {
      const route = drawRoute(random, CARRIERS);
      number++;
      return { name: `p${number}`, route, number, lane: drawLane(random, lanes) };
    });
}
