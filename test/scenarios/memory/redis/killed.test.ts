// A scribe's node is gone at any moment of an invocation, or goes on after it has lost its right: another node, or the same one
// anew, does what is left.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScriptedModel } from "../../../../src/model/scripted/scripted.ts";
import { createRedisBackend } from "../../../../src/storage/redis/backend.ts";
import { courseOf, QUIET } from "../../../observed.ts";
import { openTestLink } from "../../../storage/redis/members.ts";
import { grant, newLegion } from "../../../storage/redis/places.ts";
import { LEASE_MS, openNode } from "../../../storage/redis/redis-world.ts";
import { redisIsThere, startRedis, until, type Server } from "../../../storage/redis/servers.ts";
import { openWorld, temporaryFolder } from "../../../world.ts";
import { killing, type KillMoment } from "../scribe/killing.ts";
import { contextsOf, obliging, scribeOf } from "../scribe/listening.ts";
import { entriesIn, messagesIn } from "./heard.ts";

let server: Server;
beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());

const WORDS = ["One", "Two", "Three", "Four", "Five", "Six", "Seven"];
const AT_ONCE = 6;
/** Each commit is one with a scribe in files; here every eighth of them, others before than after. */
const STRIDES = { commit: 8, delivery: 1 };
const MINUTES_MS = 300_000;

type Trouble = "death" | "theft";

/** A node with a scribe, to which that happens at the moment, and how to be rid of it. */
async function openTroubled(name: string, model: ScriptedModel, trouble: Trouble, moment?: KillMoment) {
  const link = await openTestLink(server.url);
  const backend = createRedisBackend({ link, legion: name, durability: "always", leaseMs: LEASE_MS });
  // Whoever has the right from now on, it is not who believes that.
  const steal = async (): Promise<void> => void (await grant({ link, legion: name, agent: "scribe" }));
  const troubled = killing(backend, "scribe", moment, trouble === "theft" ? steal : undefined);
  const world = await openWorld(await temporaryFolder(), { scribe: scribeOf(model) }, { ...troubled });
  return {
    ...troubled,
    async die(): Promise<void> {
      // Nothing of it gets through to Redis any more: its right runs out.
      await link.close();
      world.legion.interrupt();
      await world.stop().catch(() => undefined);
    },
  };
}

/** Seven words, a session that a person ends, and what became of them. */
async function live(trouble: Trouble, moment?: KillMoment) {
  const name = newLegion();
  const model = obliging();
  const first = await openTroubled(name, model, trouble, moment);
  const second = await openNode(server.url, name, { 1: QUIET, scribe: scribeOf(model) });
  const place = { link: second.link, name };
  const { memories } = createRedisBackend({ link: second.link, legion: name });
  void first.killed.then(first.die);
  for (const word of WORDS) await second.say("1", word);
  await until(async () => (await entriesIn(place)).length >= WORDS.length);
  await second.say("scribe", "flush");
  await until(async () => courseOf(await second.events("scribe")).at(-1) === "rules: Session ended.");
  const course = courseOf(await second.events("scribe"));
  const messages = await messagesIn(place);
  expect(new Set(messages).size).toBe(messages.length);
  const outcome = {
    course: course.filter((line) => line !== "asked"),
    words: (await entriesIn(place)).map(({ raw }) => raw),
    contexts: (await contextsOf({ memories })).length,
  };
  const { counted } = first;
  await second.stop();
  if (!moment || trouble === "theft") await first.die();
  return { outcome, counted, asked: model.requests.length };
}

describe.runIf(redisIsThere)("a scribe in Redis", () => {
  it.each([
    ["death", "commit", "before"],
    ["death", "commit", "after"],
    ["death", "delivery", "before"],
    ["death", "delivery", "after"],
    ["theft", "commit", "before"],
    ["theft", "commit", "after"],
    ["theft", "delivery", "before"],
    ["theft", "delivery", "after"],
  ] as const)(
    "has each message once, in order, keeps its count and asks for nothing that is decided: %s at a %s, %s it",
    { timeout: MINUTES_MS },
    async (trouble, what, when) => {
      const { outcome, counted, asked } = await live(trouble);
      expect(outcome).toMatchObject({ words: WORDS, contexts: 2 });
      expect(outcome.course).toContain("process_message_and_flush 0,1 6: Six");
      expect(counted[what]).toBeGreaterThan(8);
      // Before the very first one nobody listens yet, and what is said then is heard by nobody.
      const first = when === "before" ? 4 : 1;
      const all = Array.from({ length: counted[what] }, (_, index) => index + 1);
      const moments = all.filter((_, index) => index % STRIDES[what] === first % STRIDES[what]);
      while (moments.length > 0)
        await Promise.all(
          moments.splice(0, AT_ONCE).map(async (at) => {
            const troubled = await live(trouble, { what, at, when });
            expect({ at, ...troubled.outcome }).toEqual({ at, ...outcome });
            // At most what was answered and could not be in the log any more is asked for again; where all that was answered is
            // in the log, nothing is.
            const isLogged = trouble === "death" && what === "commit" && when === "after";
            expect(troubled.asked - asked).toBeLessThanOrEqual(isLogged ? 0 : 1);
          }),
        );
    },
  );
});
