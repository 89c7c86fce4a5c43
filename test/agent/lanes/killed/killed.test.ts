// The process of an agent is killed with SIGKILL right after a person said something to it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Event, EventOf } from "../../../../src/domain/event/event.ts";
import { openLink, type Link } from "../../../../src/storage/redis/connection/link.ts";
import { parseRedisAddress } from "../../../../src/storage/redis/connection/address.ts";
import { newLegion } from "../../../storage/redis/places.ts";
import { redisIsThere, startRedis, until, type Server } from "../../../storage/redis/servers.ts";
import { temporaryFolder } from "../../../world.ts";
import { backendOf, LANES, MOMENTS, openLife, type Cell, type KilledOrder } from "./lives.ts";

let redis: Server | undefined;
beforeAll(async () => {
  if (redisIsThere) redis = await startRedis();
});
afterAll(() => redis?.stop());

async function live(order: KilledOrder): Promise<void> {
  const program = join(import.meta.dirname, "first-life.ts");
  const child = spawn(process.execPath, ["--import", "tsx", program, JSON.stringify(order)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const [, signal] = (await once(child, "close")) as [number | null, string | null];
  if (signal !== "SIGKILL") throw new Error(said);
}

/** The agent goes on, until it has nothing to do; its question is answered, where its person wants no other thing first. */
async function goOn(cell: Cell, link: Link | undefined): Promise<void> {
  const { legion } = await openLife(cell, "next", link);
  const answerAll = (): void => {
    for (const { id } of legion.questions()) legion.approve(id).catch(() => undefined);
  };
  if (cell.lane === "follow-up") {
    legion.inspector.watch(({ kind }) => kind === "question" && setImmediate(answerAll));
    answerAll();
  }
  // The right of the dead process to run it has to run out.
  await until(() => Promise.resolve(legion.agents.get("1")?.agent !== undefined));
  if (cell.moment === "before") await legion.agents.get("1")!.resume();
  await legion.untilIdle(new AbortController().signal);
  await legion.stop();
}

/** What is wrong with what the two lives left; mostly nothing. */
function faultsIn({ moment, lane }: Cell, events: readonly Event[], effects: readonly string[]): string[] {
  const of = <K extends Event["kind"]>(kind: K): EventOf<K>[] =>
    events.filter((event): event is EventOf<K> => event.kind === kind);
  const [heard, ...more] = of("message").filter(({ message }) => message.content === "Hear me.");
  const faults: string[] = [];
  const check = (isRight: unknown, fault: string): void => void (isRight || faults.push(fault));
  check(heard !== undefined, "lost");
  check(more.length === 0, "twice");
  for (const { calls } of of("decision"))
    for (const { id } of calls)
      check(of("result").filter(({ call }) => call === id).length === 1, `${id} not closed once`);
  // Looking changes nothing, and is done again.
  const unique = effects.map((line) => line.split(" ")[1]!).filter((step) => !/^(?:same|look)/.test(step));
  check(unique.length === new Set(unique).size, `done twice: ${effects.join()}`);
  const released = of("released").flatMap(({ messages }) => messages);
  const decided = (after: number): boolean => of("decision").some(({ seq }) => seq > after);
  if (lane === "follow-up") {
    check(heard?.held === true, "not held");
    check(released.length === (moment === "parked" ? 0 : 1), `released ${released.length} times`);
    check(moment === "parked" || decided(of("released").at(-1)?.seq ?? Infinity), "never read");
    check(moment !== "in a parallel group" || effects.at(-1) === "next b", "the group is not done again");
    check(moment !== "at a question" || effects.length === 2, "the question is lost");
  } else {
    check(heard?.held === undefined, "held");
    const later = of("message").filter(({ message }) => message.content === "Later.").length;
    const withdrawn = of("notice").filter(({ reason }) => reason === "undeliverable").length;
    check(later === (lane === "steer" ? 1 : 0), `what was for later: ${later} times`);
    // Whoever rests may have read it before the steer came.
    check(withdrawn + released.length === later, `${withdrawn} withdrawn, ${released.length} released`);
    check(released.length === 0 || moment === "idle", "read what was withdrawn");
    check(!effects.some((line) => line.startsWith("next")), `went on all the same: ${effects.join()}`);
    const isRead = lane === "steer" || moment === "before";
    check(decided(heard?.seq ?? Infinity) === isRead, isRead ? "never read" : "goes on after an abort");
  }
  return faults;
}

describe.each(["files", "Redis"])("in %s, what a person said before the process was killed", (home) => {
  it.skipIf(home === "Redis" && !redisIsThere).each([0, 4, 25])(
    "has its effect, once, whatever the agent was at: %d ms after (A2, A3, A5, A6)",
    { timeout: 120_000 },
    async (afterMs) => {
      const url = home === "Redis" ? redis!.url : undefined;
      const cells: Cell[] = [];
      for (const lane of LANES)
        for (const moment of MOMENTS)
          cells.push({ lane, moment, project: await temporaryFolder(), name: newLegion() });
      await live({ cells, redis: url, afterMs });
      const link = url === undefined ? undefined : await openLink(parseRedisAddress(url));
      onTestFinished(() => link?.close());
      await Promise.all(cells.map((cell) => goOn(cell, link)));
      const found: Record<string, readonly string[]> = {};
      for (const cell of cells) {
        const events: Event[] = [];
        for await (const event of backendOf(cell, link).reader.events("1")) events.push(event);
        const text = await readFile(join(cell.project, "effects.txt"), "utf8").catch(() => "");
        const faults = faultsIn(cell, events, text.split("\n").filter(Boolean));
        if (faults.length > 0) found[`${cell.lane} ${cell.moment}`] = faults;
      }
      expect(found).toEqual({});
    },
  );
});
