// What every place promises in which a legion can be kept.

import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { describe, expect, it } from "vitest";
import { createClock } from "../../../src/base/clock.ts";
import type { Event } from "../../../src/domain/event/event.ts";
import { CONTROL } from "../../../src/domain/message/message.ts";
import { valueOf } from "../../../src/past/state.ts";
import { createReceiptsToday } from "../../../src/legion/receipts/today.ts";
import { fromArchive } from "../../../src/storage/archive/imported.ts";
import { packAgents } from "../../../src/storage/archive/pack.ts";
import { receiveAt } from "../../../src/storage/archive/unfold.ts";
import type { Backend } from "../../../src/storage/contract/backend.ts";
import { ownHand } from "../../own-hand.ts";
import { puppet, stageIn } from "../../past/receipts/puppets.ts";
import { READABLE } from "../../readable.ts";
import { openWorld, temporaryFolder, type World, type WorldAgent } from "../../world.ts";

const goal = { calls: [{ action: "addGoal", parameters: { goal: "Plan" } }] };
const tell = { calls: [{ action: "sendMessage", parameters: { targetAgentId: "2", message: "Hello" } }] };
const LONG = `é${"x".repeat(70_000)}`;

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** What of a log does not depend on where it is kept. */
const told = (events: readonly Event[]): unknown[] => events.filter(({ kind }) => kind !== "opened");

export function describeBackend(name: string, create: (project: string) => Promise<Backend>): void {
  describe(`a legion kept in ${name}`, () => {
    const found = async () => {
      const project = await temporaryFolder();
      const backend = await create(project);
      const start = (agents: Readonly<Record<string, WorldAgent>>): Promise<World> =>
        openWorld(project, agents, { backend });
      const word = async (content: string): Promise<void> => {
        const store = await backend.openStore({ durability: "process", clock: createClock() });
        await store.control.say(["1"], content);
        await store.deliverForOthers();
        await store.close();
      };
      return { project, backend, start, word, events: (agent: string) => all(backend.reader.events(agent)) };
    };
    const exported = async ({ source }: Backend, agents: readonly string[]): Promise<string> => {
      const file = join(await temporaryFolder(), "a.legion");
      const authorship = await ownHand();
      const packing = packAgents(source({ readable: READABLE, authorship }), agents, authorship);
      await pipeline(Readable.from(packing.pieces), createWriteStream(file));
      return file;
    };
    const arrivalOf = async (file: string, as?: string) =>
      fromArchive(file, { as, readable: READABLE, authorship: await ownHand() });

    it("goes on where it was at its next start", async () => {
      const { start, backend, events } = await found();
      const world = await start({ "1": { script: [goal] } });
      await world.say("1", "Work");
      await world.idle();
      await world.stop();
      const before = await events("1");
      const again = await start({ "1": { script: [{ text: "Done" }] } });
      await again.say("1", "Go on");
      await again.idle();
      expect(told(await events("1")).slice(0, told(before).length)).toEqual(told(before));
      expect(valueOf(again.agent("1").memory.state, "goals", "goals")).toEqual([
        { text: "Plan", complete: false },
      ]);
      expect(await backend.reader.known()).toEqual(["1"]);
      const ids = (await events("1")).flatMap((event) =>
        event.kind === "message" ? [event.message.id] : [],
      );
      expect(ids).toEqual(["0>1#1", "0>1#2"]);
    });

    it("takes a person's word while nobody runs, which counts at the next start", async () => {
      const { start, word, events } = await found();
      await (await start({ "1": {} })).stop();
      await word("While you slept");
      const world = await start({ "1": { script: [{ text: "Good morning" }] } });
      await world.idle();
      const messages = (await events("1")).filter(({ kind }) => kind === "message");
      expect(messages).toMatchObject([{ message: { content: "While you slept" } }]);
    });

    it("delivers what agents said that are not run any more", async () => {
      const { start, events } = await found();
      const world = await start({ "1": { script: [tell] }, "2": {} });
      await world.say("1", "Greet 2");
      await world.idle();
      await world.stop();
      const alone = await start({ "2": {} });
      await alone.idle();
      expect(await events("2")).toContainEqual(expect.objectContaining({ kind: "message" }));
    });

    it("is told of event by event, from any number, each once", async () => {
      const { start, backend } = await found();
      const world = await start({ "1": { script: [goal, { text: "Done" }] } });
      const ending = new AbortController();
      const seen: Event[] = [];
      const following = {
        from: 2,
        signal: ending.signal,
        onAway: () => undefined,
        live: () => Promise.resolve([]),
      };
      const follow = async (): Promise<void> => {
        for await (const event of backend.follow("1", following)) {
          seen.push(event);
          if (event.kind === "decision" && event.text === "Done") ending.abort();
        }
      };
      const followed = follow();
      await world.say("1", "Work");
      await followed;
      expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 2));
    });

    it("gives the past of an agent to a new one, as history", async () => {
      const { start, backend, events } = await found();
      const world = await start({ "1": { script: [goal] } });
      await world.say("1", LONG);
      await world.idle();
      const past = await events("1");
      const result = past.find(({ kind }) => kind === "result")!;
      await (
        await world.legion.fork({ agent: "1", at: result.seq, as: "1b" })
      ).done;
      expect(await backend.reader.known()).toEqual(["1", "1b"]);
      const copied = await events("1b");
      expect(copied.slice(0, result.seq)).toEqual(past.slice(0, result.seq));
      expect(copied.slice(result.seq)).toMatchObject([
        { kind: "opened" },
        { kind: "branch", to: result.seq, origin: "1" },
      ]);
      const state = await backend.reader.state("1b", READABLE);
      expect(valueOf(state, "goals", "goals")).toEqual([{ text: "Plan", complete: false }]);
    });

    it("copies its agents out, and takes them into another place with all that they were", async () => {
      const { start, word, backend, events } = await found();
      const world = await start({ "1": {}, "2": { script: [goal] } });
      await world.say("1", LONG);
      await world.say("2", "Work");
      await world.idle();
      await world.stop();
      await word("Unread");
      const file = await exported(backend, [CONTROL, "1", "2"]);
      const other = await found();
      expect(await receiveAt(other.backend, await arrivalOf(file), READABLE)).toEqual([]);
      expect(await other.backend.reader.known()).toEqual(["1", "2"]);
      for (const id of [CONTROL, "1", "2"])
        expect(told(await other.events(id))).toEqual(told(await events(id)));
      const unread = await other.backend.reader.unread("1", await other.backend.reader.ledger("1"));
      expect(unread.map(({ message }) => message.content)).toEqual(["Unread"]);
      const again = await other.start({ "1": { script: [{ text: "Read" }] }, "2": {} });
      await again.idle();
      expect((await other.events("1")).filter(({ kind }) => kind === "message")).toHaveLength(2);
    });

    it("keeps what a message cites as it was judged, also in a fork and elsewhere, where it is judged today", async () => {
      const { start, backend, events } = await found();
      const world = await start({ "1": puppet, "2": puppet });
      const stage = stageIn(world);
      const [good, bad] = [await stage.order("1", "write a.txt"), await stage.order("1", "run make 2")];
      await stage.order("1", `tell 2 #${good} #${bad}: done`);
      const heard = (log: readonly Event[]) =>
        log.flatMap((event) => (event.kind === "message" && event.message.receipts ? [event.message] : []));
      const [message] = heard(await events("2"));
      const judged = [
        { agent: "1", seq: good, verdict: "stale" },
        { agent: "1", seq: bad, verdict: "failed" },
      ];
      expect(message?.receipts).toMatchObject(judged);
      await (
        await world.legion.fork({ agent: "2", at: (await events("2")).at(-1)!.seq, as: "2b" })
      ).done;
      expect(heard(await events("2b"))).toEqual([message]);
      await world.stop();
      const other = await found();
      const file = await exported(backend, [CONTROL, "1", "2"]);
      await receiveAt(other.backend, await arrivalOf(file), READABLE);
      expect(heard(await other.events("2"))).toEqual([message]);
      const today = await createReceiptsToday(other.backend.reader)(message!);
      expect(today).toEqual(await createReceiptsToday(backend.reader)(message!));
      expect(today!.map(({ today: verdict }) => verdict)).toMatchObject(
        judged.map(({ verdict }) => ({ verdict })),
      );
    });

    it("takes in nobody that is there already, and then nothing has changed", async () => {
      const { start, backend, events } = await found();
      await (await start({ "1": {}, "2": {} })).stop();
      const file = await exported(backend, ["2"]);
      const before = await events("2");
      await expect(receiveAt(backend, await arrivalOf(file), READABLE)).rejects.toMatchObject({
        code: "REFUSED",
        message: expect.stringContaining("Agent 2; `--as <id>`") as string,
      });
      expect(await events("2")).toEqual(before);
      await receiveAt(backend, await arrivalOf(file, "2b"), READABLE);
      expect(await backend.reader.known()).toEqual(["1", "2", "2b"]);
    });
  });
}
