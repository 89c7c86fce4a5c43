import { describe, expect, it } from "vitest";
import { SHUTDOWN } from "../../../../src/base/process/signals.ts";
import type { Backend } from "../../../../src/storage/contract/backend.ts";
import { createFileBackend } from "../../../../src/storage/files/backend.ts";
import { createMemoryBackend } from "../../../../src/storage/memory/backend.ts";
import type { ScriptedModel } from "../../../../src/model/scripted/scripted.ts";
import { createHandClock, type HandClock } from "../../../hand-clock.ts";
import { openWorld, temporaryFolder, type World } from "../../../world.ts";
import { killing, type KillMoment } from "./killing.ts";
import { courseOf, POLITE, QUIET } from "../../../observed.ts";
import { contextsOf, entriesOf, obliging, scribeOf } from "./listening.ts";

const HALF_AN_HOUR_MS = 30 * 60_000;
const WORDS = 7;

interface Place {
  readonly project: string;
  readonly model: ScriptedModel;
  readonly clock: HandClock;
  readonly open: () => Backend;
}

type Words = "unsaid" | "said";

interface Life {
  readonly counted: Readonly<Record<KillMoment["what"], number>>;
  /** What the person has to say they have still to say, or have said. */
  readonly words: Words;
}

/** One life of the legion: the person speaks, where they have not, and is silent then for long. */
async function live(place: Place, words: Words, moment?: KillMoment): Promise<Life> {
  const { project, model, clock, open } = place;
  const { backend, killed, counted } = killing(open(), "scribe", moment);
  const agents = { "1": QUIET, scribe: scribeOf(model) };
  const world = await openWorld(project, agents, { backend, clock }).catch((error: unknown) => {
    if (error !== SHUTDOWN) throw error;
  });
  if (!world) return { counted, words };
  const over = killed.then(() => "killed" as const);
  const idle = () => Promise.race([over, world.idle().then(() => "idle" as const)]);
  if (words === "unsaid") for (let n = 1; n <= WORDS; n++) await world.say("1", `Word ${n}`);
  if ((await idle()) === "idle") {
    clock.advance(HALF_AN_HOUR_MS);
    await idle();
  }
  world.legion.interrupt();
  await world.stop();
  return { counted, words: "said" };
}

async function outcomeAt(place: Place) {
  const backend = place.open();
  const events = [];
  for await (const event of backend.reader.events("scribe")) events.push(event);
  const course = courseOf(events);
  return {
    course: course.filter((line) => line !== "asked"),
    asked: course.filter((line) => line === "asked").length,
    entries: (await entriesOf(backend)).map(({ raw, thread, of }) => `${thread} ${of?.message}: ${raw}`),
    contexts: (await contextsOf(backend)).length,
  };
}

const PLACES: Readonly<Record<string, () => Promise<Pick<Place, "project" | "open">>>> = {
  files: async () => {
    const project = await temporaryFolder();
    return { project, open: () => createFileBackend(project) };
  },
  "the memory of a process": async () => {
    const backend = createMemoryBackend();
    return { project: await temporaryFolder(), open: () => backend };
  },
};

const newPlace = async (place: string): Promise<Place> => ({
  ...(await PLACES[place]!()),
  model: obliging(),
  clock: createHandClock(),
});

describe.each(Object.keys(PLACES))("a scribe in %s whose process is killed", (place) => {
  it.each([
    ["commit", "before"],
    ["commit", "after"],
    ["delivery", "before"],
    ["delivery", "after"],
  ] as const)(
    "has each message once, in order, keeps its count and asks for nothing that is decided: any %s, killed %s it",
    { timeout: 120_000 },
    async (what, when) => {
      const whole = await newPlace(place);
      const { counted } = await live(whole, "unsaid");
      const expected = await outcomeAt(whole);
      expect(expected.entries).toHaveLength(WORDS);
      expect(counted[what]).toBeGreaterThan(8);
      for (let at = 1; at <= counted[what]; at++) {
        const killed = await newPlace(place);
        const { words } = await live(killed, "unsaid", { what, at, when });
        await live(killed, words);
        const { asked, ...outcome } = await outcomeAt(killed);
        const { asked: askedOnce, ...rest } = expected;
        expect({ at, ...outcome }).toEqual({ at, ...rest });
        // What was answered and not in the log yet is asked for again; nothing else is.
        expect(asked - askedOnce).toBeLessThanOrEqual(what === "commit" && when === "before" ? 1 : 0);
      }
    },
  );

  it("has what three said to three others at once in the order of each, each once, killed anywhere", async () => {
    const agents = { "1": POLITE, "2": POLITE, "3": POLITE };
    // The first ones join the logs, before anybody can say anything.
    const [first, last] = [5, 28];
    for (let at = first; at <= last; at++) {
      const here = await newPlace(place);
      const { backend, killed } = killing(here.open(), "scribe", { what: "commit", at, when: "after" });
      const { project, clock, model } = here;
      const world = await openWorld(project, { ...agents, scribe: scribeOf(model) }, { backend, clock });
      for (let n = 1; n <= 2; n++) await world.say(["1", "2", "3"], `Word ${n}`);
      await Promise.race([killed, world.idle()]);
      world.legion.interrupt();
      await world.stop();
      const next = { backend: here.open(), clock };
      const again = await openWorld(project, { ...agents, scribe: scribeOf(model) }, next);
      await again.idle();
      await again.stop();
      const entries = await entriesOf(next.backend);
      expect(new Set(entries.map(({ of }) => `${of?.log} ${of?.message}`)).size).toBe(entries.length);
      for (const id of ["1", "2", "3"]) {
        const theirs = entries.filter(({ thread }) => thread === `0,${id}`);
        const said = await saidWith(id, again);
        expect(theirs.map(({ raw }) => raw)).toEqual(said);
      }
    }
  });
});

/** What the person and agent `id` said to each other, as its own log has it. */
async function saidWith(id: string, world: World): Promise<readonly string[]> {
  return (await world.events(id)).flatMap((event) => {
    if (event.kind === "message") return [event.message.content];
    return event.kind === "decision" ? (event.sends ?? []).map(({ content }) => content) : [];
  });
}
