// What every reader has to show of the same past, wherever it is recorded.

import { describe, expect, it } from "vitest";
import { goals } from "../../../modules/goals.ts";
import type { ChangedByCommands } from "../../../src/domain/event/changed.ts";
import type { NewEvent } from "../../../src/domain/event/event.ts";
import { sha256 } from "../../../src/past/log/blobs.ts";
import { CONTROL, type AgentId, type Delivery } from "../../../src/domain/message/message.ts";
import { createBranch } from "../../../src/past/fold.ts";
import type { Reader } from "../../../src/storage/contract/reader.ts";
import { keysOf, valueOf } from "../../../src/past/state.ts";
import { letter } from "../../mail/letter.ts";

/** A place where a legion is recorded, by the parts that a node records it with. */
export interface RecordedPlace {
  readonly reader: Reader;
  /** Makes the agent known; `record` is what the last start made of it. */
  enlist(agent: AgentId, record: object): Promise<void>;
  /** Adds to the log of an agent. */
  append(agent: AgentId, events: readonly NewEvent[]): Promise<void>;
  /** Keeps a text beside its log. */
  keep(agent: AgentId, text: string): Promise<void>;
  /** Puts a message into a mailbox. */
  deliver(delivery: Delivery): Promise<void>;
  /** Takes all mail of Control into its log. */
  gather(): Promise<void>;
  /** Everything that is there. */
  snapshot(): Promise<unknown>;
}

const note = (content: string): NewEvent => ({ kind: "notice", reason: "restarted", content });
const goal = (text: string): NewEvent => ({
  kind: "result",
  call: "c",
  outcome: "ok",
  content: "",
  state: [["goals", "goals", [{ text, complete: false }]]],
});
const taken = (delivery: Delivery, mail: number): NewEvent => ({ kind: "message", ...delivery, mail });
const LONG = "long ".repeat(20_000);

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

export function describeReader(name: string, createPlace: () => Promise<RecordedPlace>): void {
  describe(`the reader of ${name}`, () => {
    it("knows the agents by the value of their numbers, Control not", async () => {
      const { reader, enlist, append } = await createPlace();
      expect(await reader.known()).toEqual([]);
      for (const id of ["10", "writer", "2"]) await enlist(id, {});
      await append(CONTROL, [note("said")]);
      expect(await reader.known()).toEqual(["2", "10", "writer"]);
    });

    it("shows the events of a log in order, from any number, long texts included", async () => {
      const { reader, enlist, append } = await createPlace();
      await enlist("2", {});
      await append("2", [note("one"), note(LONG)]);
      await append("2", [note("three")]);
      const events = await all(reader.events("2"));
      expect(events.map(({ seq, kind }) => [seq, kind])).toEqual([
        [1, "opened"],
        [2, "notice"],
        [3, "notice"],
        [4, "notice"],
      ]);
      expect(events[2]).toMatchObject(note(LONG));
      expect(await all(reader.events("2", 3))).toEqual(events.slice(2));
      expect(await all(reader.events("2", 5))).toEqual([]);
      expect(await reader.last("2")).toBe(4);
    });

    it("adds up a log, and follows the branch that it is on", async () => {
      const { reader, enlist, append } = await createPlace();
      await enlist("2", {});
      await append("2", [goal("left"), note("of the branch that was left")]);
      await append("2", [{ kind: "branch", to: 1 }, goal("kept")]);
      const { ledger, branch, path } = await reader.follow("2", createBranch);
      expect(ledger).toEqual(await reader.ledger("2"));
      expect(ledger.last).toBe(5);
      expect(path).toEqual([
        [1, 1],
        [5, Infinity],
      ]);
      expect(valueOf(branch.state, "goals", "goals")).toEqual([{ text: "kept", complete: false }]);
    });

    it("tells what a log comes to, and of nobody nothing", async () => {
      const { reader, enlist, append } = await createPlace();
      await enlist("2", {});
      expect((await reader.digest("2")).ledger).toEqual(await reader.ledger("2"));
      await append("2", [note("began"), note("halted"), { kind: "branch", to: 2 }]);
      await append("2", [{ kind: "notice", reason: "parked", content: "Enough." }]);
      const { ledger, conversation } = await reader.digest("2");
      expect(ledger).toEqual(await reader.ledger("2"));
      expect(conversation.halt).toMatchObject({ reason: "parked", content: "Enough." });
      expect(conversation.halt).toEqual((await reader.follow("2", createBranch)).branch.conversation.halt);
    });

    it("tells what a log came to at an earlier event, whatever came since", async () => {
      const { reader, enlist, append } = await createPlace();
      await enlist("2", {});
      await append("2", [note("began"), { kind: "notice", reason: "parked", content: "Enough." }]);
      const before = await reader.digest("2");
      await append("2", [
        { kind: "notice", reason: "resumed", content: "" },
        { kind: "branch", to: 2 },
      ]);
      expect((await reader.digest("2")).conversation.halt).toBe(undefined);
      expect(await reader.digest("2", { seq: before.ledger.last })).toEqual(before);
      expect((await reader.digest("2", { ms: -1 })).ledger.last).toBe(0);
    });

    it("tells what an agent said and took in, and where that stands in its log", async () => {
      const { reader, enlist, append, deliver } = await createPlace();
      await enlist("2", {});
      await append("2", [note("began")]);
      await deliver(letter("2", 1));
      const [first] = await reader.unread("2", await reader.ledger("2"));
      await append("2", [taken(letter("2", 1), first!.position)]);
      const answer = letter("3", 1, { from: "2" }).message;
      await append("2", [{ kind: "result", call: null, outcome: "ok", content: "", sends: [answer] }]);
      const { peers, correspondence } = await reader.digest("2");
      expect(peers.get("3")).toMatchObject({ sent: 1, taken: 0 });
      expect(correspondence.sent).toMatchObject([{ id: "2>3#1", seq: 4, opening: "2 1" }]);
      expect(Object.fromEntries(correspondence.chains)).toEqual({ "x>2#1": [3, 3], "2>3#1": [4, 4] });
    });

    it("gives the state that the agent has", async () => {
      const { reader, enlist, append } = await createPlace();
      await enlist("2", {});
      await append("2", [note("began"), goal("first")]);
      const state = await reader.state("2", [goals]);
      expect(valueOf(state, "goals", "goals")).toEqual([{ text: "first", complete: false }]);
    });

    it("keeps what a result touched, what was not kept of it, and the receipts of what was said, as they are", async () => {
      const { reader, enlist, append, deliver, gather } = await createPlace();
      await enlist("2", {});
      const touched = {
        count: "00abc.1",
        root: "/work",
        from: 3,
        n: 4,
        read: ["é/a.txt"],
        wrote: ["b", ""],
        ran: "make",
      };
      const unkept = [{ path: "é", why: "it holds a secret" }];
      const changed: ChangedByCommands = {
        files: [{ path: "\u001b[2J\n<b>é", does: "created" }],
        ...{ more: 3, isShared: true, unknown: "git was slow" },
      };
      const receipts = [
        {
          agent: "2",
          log: "log of 2",
          seq: 4,
          verdict: "stale" as const,
          why: "b was written since, by Agent 3",
        },
        { agent: "3", log: "", seq: 0, verdict: "unknown" as const },
      ];
      const said = (to: AgentId): Delivery => {
        const { message, ...delivery } = letter(to, 1);
        return { ...delivery, message: { ...message, receipts } };
      };
      const { message } = said(CONTROL);
      await append("2", [
        {
          kind: "result",
          call: "c",
          outcome: "ok",
          content: "x",
          touched,
          unkept,
          changed,
          sends: [message],
        },
      ]);
      const [, result] = await all(reader.events("2"));
      expect(result).toMatchObject({ touched, unkept, changed, sends: [{ receipts }] });
      await deliver(said("2"));
      const [waiting] = await reader.unread("2", await reader.ledger("2"));
      expect(waiting?.message.receipts).toEqual(receipts);
      await deliver(said(CONTROL));
      await gather();
      expect((await all(reader.inbox())).map((one) => one.receipts)).toEqual([receipts]);
    });

    it("shows mail that waits, oldest first, and none that is taken in", async () => {
      const { reader, enlist, append, deliver } = await createPlace();
      await enlist("2", {});
      await append("2", [note("began")]);
      for (const n of [1, 2, 3]) await deliver(letter("2", n));
      const waiting = await reader.unread("2", await reader.ledger("2"));
      expect(waiting.map(({ message }) => message.content)).toEqual(["x 1", "x 2", "x 3"]);
      const [first] = waiting;
      await append("2", [taken(letter("2", 1), first!.position)]);
      expect(await reader.unread("2", await reader.ledger("2"))).toEqual(waiting.slice(1));
    });

    it("shows what was said to Control, taken in or not, once and in order", async () => {
      const { reader, deliver, gather } = await createPlace();
      const inbox = async () => (await all(reader.inbox())).map(({ content }) => content);
      expect(await inbox()).toEqual([]);
      await deliver(letter(CONTROL, 1));
      await deliver(letter(CONTROL, 2));
      expect(await inbox()).toEqual(["x 1", "x 2"]);
      await gather();
      await deliver(letter(CONTROL, 3));
      expect(await inbox()).toEqual(["x 1", "x 2", "x 3"]);
    });

    it("misses no message that is taken in while it reads", async () => {
      const { reader, deliver, gather } = await createPlace();
      await deliver(letter(CONTROL, 1));
      await gather();
      await deliver(letter(CONTROL, 2));
      await deliver(letter(CONTROL, 3));
      const seen: string[] = [];
      for await (const { content } of reader.inbox()) {
        seen.push(content);
        if (seen.length === 1) await gather();
      }
      expect(seen).toEqual(["x 1", "x 2", "x 3"]);
    });

    it("tells what the last start made of an agent, as far as it is what it should be", async () => {
      const { reader, enlist } = await createPlace();
      const record = {
        ...{ description: "Writes.", definition: "writer", model: "offline", modules: ["core"] },
        limits: { steps: 3 },
      };
      await enlist("2", { id: "2", ...record, speed: 1 });
      await enlist("3", { definition: 7, modules: [1], brief: "Read.", limits: { steps: "many" } });
      expect(await reader.record("2")).toEqual(record);
      expect(await reader.record("3")).toEqual({ brief: "Read." });
      expect(await reader.record("4")).toEqual({});
    });

    it("finds what is kept beside a log, and nothing else", async () => {
      const { reader, enlist, keep } = await createPlace();
      await enlist("2", {});
      await keep("2", "a system prompt");
      expect(await reader.blobs("2").read(sha256("a system prompt"))).toBe("a system prompt");
      expect(await reader.blobs("2").read(sha256("another"))).toBeUndefined();
      expect(await reader.blobs("2").read("../agent.json")).toBeUndefined();
    });

    it("has nothing to show of an agent that nobody knows", async () => {
      const { reader } = await createPlace();
      expect(await all(reader.events("9"))).toEqual([]);
      expect(await reader.last("9")).toBe(0);
      const { ledger } = await reader.follow("9", createBranch);
      expect(ledger.last).toBe(0);
      expect(await reader.unread("9", ledger)).toEqual([]);
      expect(keysOf(await reader.state("9", [goals]), "goals")).toEqual([]);
    });

    it("writes nothing", async () => {
      const { reader, enlist, append, deliver, snapshot } = await createPlace();
      await enlist("2", {});
      await append("2", [goal("first"), note(LONG)]);
      await deliver(letter("2", 1));
      await deliver(letter(CONTROL, 1));
      const before = await snapshot();
      for (const id of [CONTROL, "2", "9"]) {
        await reader.last(id);
        await reader.state(id, [goals]);
        await reader.unread(id, await reader.ledger(id));
        await reader.record(id);
        expect(await reader.blobs(id).keep("never written")).toBe(sha256("never written"));
      }
      await all(reader.inbox());
      expect(await reader.known()).toEqual(["2"]);
      expect(await snapshot()).toEqual(before);
    });
  });
}
